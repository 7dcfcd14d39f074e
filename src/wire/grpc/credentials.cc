#include "wire/grpc/credentials.h"

#include <utility>

#include "wire/tls_material.h"

namespace wire {

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files) {
  ASSIGN_OR_RETURN(TlsMaterial material, ReadServerTls(files));
  if (files.certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      files.authority.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                              : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = std::move(material.authority);
  options.pem_key_cert_pairs.push_back(
      {.private_key = std::move(material.key), .cert_chain = std::move(material.certificate)});
  return grpc::SslServerCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const TlsFiles& files) {
  ASSIGN_OR_RETURN(TlsMaterial material, ReadClientTls(files));
  if (files.authority.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = std::move(material.authority);
  options.pem_private_key = std::move(material.key);
  options.pem_cert_chain = std::move(material.certificate);
  return grpc::SslCredentials(options);
}

}  // namespace wire
