#pragma once

#include <grpcpp/security/credentials.h>

#include <memory>

#include "common/mutex.h"
#include "common/status.h"
#include "wire/tls_files.h"

namespace wire {

/// What a gRPC client shows to servers and asks of them, read anew while it runs. Without an
/// authority the client speaks plain text. With one it takes only servers whose certificate that
/// authority has signed for the name or address dialled, and shows its own if it has one. Any
/// thread.
class ChannelTls {
 public:
  /// Errors name the file, or the part missing.
  static absl::StatusOr<std::shared_ptr<ChannelTls>> Create(const TlsFiles& files);

  /// Of the files as they were last read: another object each time they are. A channel keeps those
  /// that it was made with.
  std::shared_ptr<grpc::ChannelCredentials> credentials() const;

  /// Reads the files again. Errors as of Create; then nothing changes. Nothing to do for plain
  /// text.
  absl::Status Reload();

 private:
  explicit ChannelTls(TlsFiles files) : files_(std::move(files)) {}

  const TlsFiles files_;
  mutable common::Mutex mutex_;
  std::shared_ptr<grpc::ChannelCredentials> credentials_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wire
