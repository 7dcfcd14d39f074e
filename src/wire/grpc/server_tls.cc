#include "wire/grpc/server_tls.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <string>
#include <utility>

#include "common/check.h"

namespace wire {
namespace {

/// gRPC's question, at each handshake, under a lock of its own.
grpc_ssl_certificate_config_reload_status Fetch(void* tls,
                                                grpc_ssl_server_certificate_config** config) {
  const std::shared_ptr<const TlsMaterial> news = static_cast<ServerTls*>(tls)->TakeNews();
  if (news == nullptr) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
  const grpc_ssl_pem_key_cert_pair pair = {.private_key = news->key.c_str(),
                                           .cert_chain = news->certificate.c_str()};
  // gRPC wants an authority of clients even where none is asked for a certificate.
  const std::string& authority = news->authority.empty() ? news->certificate : news->authority;
  *config = grpc_ssl_server_certificate_config_create(authority.c_str(), &pair, 1);
  return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

/// gRPC's C++ interface has no credentials that ask for their files again when they are told to;
/// its C interface has.
class FetchedCredentials final : public grpc::ServerCredentials {
 public:
  FetchedCredentials(ServerTls& tls, grpc_ssl_client_certificate_request_type request)
      : credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(request, Fetch,
                                                                            &tls))) {}
  ~FetchedCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {
    CHECK(false) << "not served";
  }

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  grpc_server_credentials* const credentials_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ServerTls>> ServerTls::Create(const TlsFiles& files) {
  std::unique_ptr<ServerTls> tls(new ServerTls(files));
  RETURN_IF_ERROR(tls->Reload());
  return tls;
}

std::shared_ptr<grpc::ServerCredentials> ServerTls::MakeCredentials() {
  if (files_.certificate.empty()) return grpc::InsecureServerCredentials();
  return std::make_shared<FetchedCredentials>(
      *this, files_.authority.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                      : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
}

absl::Status ServerTls::Reload() {
  ASSIGN_OR_RETURN(TlsMaterial material, ReadServerTls(files_));
  const common::MutexLock lock(mutex_);
  news_ = std::make_shared<const TlsMaterial>(std::move(material));
  return absl::OkStatus();
}

std::shared_ptr<const TlsMaterial> ServerTls::TakeNews() {
  const common::MutexLock lock(mutex_);
  return std::exchange(news_, nullptr);
}

}  // namespace wire
