#pragma once

#include <memory>

#include "common/status.h"
#include "wire/tls_files.h"

namespace boost::asio::ssl {
class context;
}

namespace ivy {

/// What the connections of a server that speaks HTTPS share: TLS 1.2 or later with the certificate,
/// HTTP/1.1 alone where the client names protocols, and, with an authority, only clients that show
/// a certificate which it has signed. Null without a certificate: plain HTTP. InvalidArgument names
/// the file, or the part missing.
absl::StatusOr<std::shared_ptr<boost::asio::ssl::context>> MakeTlsContext(
    const wire::TlsFiles& files);

}  // namespace ivy
