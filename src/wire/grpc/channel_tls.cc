#include "wire/grpc/channel_tls.h"

#include <utility>

#include "wire/tls_material.h"

namespace wire {
namespace {

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Read(const TlsFiles& files) {
  ASSIGN_OR_RETURN(TlsMaterial material, ReadClientTls(files));
  if (files.authority.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = std::move(material.authority);
  options.pem_private_key = std::move(material.key);
  options.pem_cert_chain = std::move(material.certificate);
  return grpc::SslCredentials(options);
}

}  // namespace

absl::StatusOr<std::shared_ptr<ChannelTls>> ChannelTls::Create(const TlsFiles& files) {
  std::shared_ptr<ChannelTls> tls(new ChannelTls(files));
  ASSIGN_OR_RETURN(auto credentials, Read(files));
  const common::MutexLock lock(tls->mutex_);
  tls->credentials_ = std::move(credentials);
  return tls;
}

std::shared_ptr<grpc::ChannelCredentials> ChannelTls::credentials() const {
  const common::MutexLock lock(mutex_);
  return credentials_;
}

absl::Status ChannelTls::Reload() {
  if (files_.authority.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto credentials, Read(files_));
  const common::MutexLock lock(mutex_);
  credentials_ = std::move(credentials);
  return absl::OkStatus();
}

}  // namespace wire
