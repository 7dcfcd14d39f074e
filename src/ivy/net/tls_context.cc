#include "ivy/net/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <string>
#include <string_view>

#include "wire/tls_material.h"

namespace ivy {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

/// As ALPN has it: its length and the name.
constexpr std::string_view kHttp11 = "\x08http/1.1";

/// What it refuses has been tried out before.
absl::Status Use(const wire::TlsMaterial& material, ssl::context& context) {
  error_code error;
  context.use_certificate_chain(boost::asio::buffer(material.certificate), error);
  if (!error) {
    context.use_private_key(boost::asio::buffer(material.key), ssl::context::pem, error);
  }
  if (!error && !material.authority.empty()) {
    context.add_certificate_authority(boost::asio::buffer(material.authority), error);
  }
  return error ? absl::InternalError("TLS: " + error.message()) : absl::OkStatus();
}

/// Of the authority that is in use. Clients are told it, to choose their certificate by.
void DemandCertificates(SSL_CTX* context) {
  const STACK_OF(X509_OBJECT)* trusted = X509_STORE_get0_objects(SSL_CTX_get_cert_store(context));
  for (int i = 0; i < sk_X509_OBJECT_num(trusted); ++i) {
    X509* const certificate = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(trusted, i));
    if (certificate != nullptr) SSL_CTX_add_client_CA(context, certificate);
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
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

}  // namespace

absl::StatusOr<std::shared_ptr<ssl::context>> MakeTlsContext(const wire::TlsFiles& files) {
  ASSIGN_OR_RETURN(const wire::TlsMaterial material, wire::ReadServerTls(files));
  if (files.certificate.empty()) return nullptr;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(
      native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(native, ChooseProtocol, nullptr);
  // Without one, a client with a certificate cannot resume its session.
  constexpr unsigned char kSessions[] = "parterre";
  SSL_CTX_set_session_id_context(native, kSessions, sizeof(kSessions) - 1);
  RETURN_IF_ERROR(Use(material, *context));
  if (!files.authority.empty()) DemandCertificates(native);
  ERR_clear_error();
  return context;
}

}  // namespace ivy
