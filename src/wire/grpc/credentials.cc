#include "wire/grpc/credentials.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "common/file.h"

namespace wire {
namespace {

constexpr std::size_t kPemBytesMax = std::size_t{1} << 20;

/// Empty where there is no file. gRPC says little of what it cannot read, so the form is looked at.
absl::StatusOr<std::string> ReadPem(const std::string& file) {
  if (file.empty()) return std::string();
  ASSIGN_OR_RETURN(std::string pem, common::ReadFile(file, kPemBytesMax));
  if (pem.find("-----BEGIN ") == std::string::npos) {
    return absl::InvalidArgumentError(fmt::format("{}: is no PEM file", file));
  }
  return pem;
}

absl::Status CheckPair(const TlsFiles& files) {
  if (files.certificate.empty() == files.key.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      files.key.empty() ? fmt::format("{}: a certificate needs its key", files.certificate)
                        : fmt::format("{}: a key needs its certificate", files.key));
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files) {
  RETURN_IF_ERROR(CheckPair(files));
  if (files.certificate.empty()) {
    if (files.authority.empty()) return grpc::InsecureServerCredentials();
    return absl::InvalidArgumentError(
        fmt::format("{}: an authority for clients needs a certificate", files.authority));
  }
  grpc::SslServerCredentialsOptions options(
      files.authority.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                              : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  ASSIGN_OR_RETURN(options.pem_root_certs, ReadPem(files.authority));
  grpc::SslServerCredentialsOptions::PemKeyCertPair pair;
  ASSIGN_OR_RETURN(pair.private_key, ReadPem(files.key));
  ASSIGN_OR_RETURN(pair.cert_chain, ReadPem(files.certificate));
  options.pem_key_cert_pairs.push_back(std::move(pair));
  return grpc::SslServerCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const TlsFiles& files) {
  RETURN_IF_ERROR(CheckPair(files));
  if (files.authority.empty()) {
    if (files.certificate.empty()) return grpc::InsecureChannelCredentials();
    return absl::InvalidArgumentError(
        fmt::format("{}: a certificate needs the authority of the servers", files.certificate));
  }
  grpc::SslCredentialsOptions options;
  ASSIGN_OR_RETURN(options.pem_root_certs, ReadPem(files.authority));
  ASSIGN_OR_RETURN(options.pem_private_key, ReadPem(files.key));
  ASSIGN_OR_RETURN(options.pem_cert_chain, ReadPem(files.certificate));
  return grpc::SslCredentials(options);
}

}  // namespace wire
