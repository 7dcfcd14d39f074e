#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "common/status.h"
#include "wire/tls_files.h"

namespace wire {

/// Without a certificate the server speaks plain text. With one and an authority it takes only
/// clients whose certificate that authority has signed. Errors name the file, or the part missing.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files);

/// Without an authority the client speaks plain text. With one it takes only servers whose
/// certificate that authority has signed for the name or address dialled, and shows its own if it
/// has one.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const TlsFiles& files);

}  // namespace wire
