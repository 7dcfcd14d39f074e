#include "ivy/net/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <string>
#include <string_view>

#include "common/file.h"

namespace ivy {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

constexpr std::size_t kPemBytesMax = std::size_t{1} << 20;
/// As ALPN has it: its length and the name.
constexpr std::string_view kHttp11 = "\x08http/1.1";

absl::Status CheckParts(const wire::TlsFiles& files) {
  const auto missing = [](const std::string& file, const char* what) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", file, what));
  };
  if (files.certificate.empty() && !files.key.empty()) {
    return missing(files.key, "a key needs its certificate");
  }
  if (files.certificate.empty() && !files.authority.empty()) {
    return missing(files.authority, "an authority for clients needs a certificate");
  }
  if (!files.certificate.empty() && files.key.empty()) {
    return missing(files.certificate, "a certificate needs its key");
  }
  return absl::OkStatus();
}

absl::Status Unusable(const std::string& file, const char* expected, error_code error) {
  return absl::InvalidArgumentError(
      fmt::format("{}: expected {} ({})", file, expected, error.message()));
}

absl::Status UseCertificate(const wire::TlsFiles& files, ssl::context& context) {
  ASSIGN_OR_RETURN(const std::string chain, common::ReadFile(files.certificate, kPemBytesMax));
  ASSIGN_OR_RETURN(const std::string key, common::ReadFile(files.key, kPemBytesMax));
  error_code error;
  context.use_certificate_chain(boost::asio::buffer(chain), error);
  if (error) return Unusable(files.certificate, "a certificate in PEM", error);
  context.use_private_key(boost::asio::buffer(key), ssl::context::pem, error);
  // It is compared with the certificate when it is set.
  if (error) return Unusable(files.key, "the certificate's key in PEM, not encrypted", error);
  return absl::OkStatus();
}

absl::Status UseAuthority(const std::string& file, ssl::context& context) {
  ASSIGN_OR_RETURN(const std::string authority, common::ReadFile(file, kPemBytesMax));
  error_code error;
  context.add_certificate_authority(boost::asio::buffer(authority), error);
  if (error) return Unusable(file, "certificates in PEM", error);
  SSL_CTX* const native = context.native_handle();
  // What clients are told they may choose their certificate by.
  SSL_CTX_set_client_CA_list(native, SSL_load_client_CA_file(file.c_str()));
  context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, error);
  if (error) return Unusable(file, "certificates in PEM", error);
  return absl::OkStatus();
}

/// A client that speaks HTTP/2 alone is told so in the handshake.
int ChooseProtocol(SSL* /*session*/, const unsigned char** chosen, unsigned char* chosen_length,
                   const unsigned char* offered, unsigned int offered_length, void* /*argument*/) {
  unsigned char* found = nullptr;
  const int result = SSL_select_next_proto(
      &found, chosen_length, reinterpret_cast<const unsigned char*>(kHttp11.data()),
      static_cast<unsigned int>(kHttp11.size()), offered, offered_length);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Else a key with a password would ask for it on the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*argument*/) { return 0; }

}  // namespace

absl::StatusOr<std::shared_ptr<ssl::context>> MakeTlsContext(const wire::TlsFiles& files) {
  RETURN_IF_ERROR(CheckParts(files));
  if (files.certificate.empty()) return nullptr;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(
      native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(native, ChooseProtocol, nullptr);
  SSL_CTX_set_default_passwd_cb(native, NoPassword);
  // Without one, a client with a certificate cannot resume its session.
  constexpr unsigned char kSessions[] = "parterre";
  SSL_CTX_set_session_id_context(native, kSessions, sizeof(kSessions) - 1);
  RETURN_IF_ERROR(UseCertificate(files, *context));
  if (!files.authority.empty()) RETURN_IF_ERROR(UseAuthority(files.authority, *context));
  ERR_clear_error();
  return context;
}

}  // namespace ivy
