#pragma once

#include <grpcpp/security/server_credentials.h>

#include <cstdint>
#include <memory>

#include "common/mutex.h"
#include "common/status.h"
#include "wire/tls_files.h"
#include "wire/tls_material.h"

namespace wire {

/// What a gRPC server shows to clients and asks of them, read anew while it serves. Without a
/// certificate the server speaks plain text. With one and an authority it takes only clients whose
/// certificate that authority has signed. Any thread.
class ServerTls {
 public:
  /// Errors name the file, or the part missing.
  static absl::StatusOr<std::unique_ptr<ServerTls>> Create(const TlsFiles& files);

  /// For one server, which this outlives.
  std::shared_ptr<grpc::ServerCredentials> MakeCredentials();

  /// Reads the files again: handshakes from now on are of what they hold, connections that are
  /// there go on. Errors as of Create; then nothing changes.
  absl::Status Reload();

  /// What the files held when they were last read, the first time it is asked for since; else null.
  std::shared_ptr<const TlsMaterial> TakeNews();

 private:
  explicit ServerTls(TlsFiles files) : files_(std::move(files)) {}

  const TlsFiles files_;
  common::Mutex mutex_;
  std::shared_ptr<const TlsMaterial> news_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wire
