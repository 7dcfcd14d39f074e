#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/status.h"
#include "wire/tls_files.h"

namespace wire {

/// What TlsFiles hold, in PEM; empty: there is no such file.
struct TlsMaterial {
  std::string certificate = {};
  std::string key = {};
  std::string authority = {};
};

/// Reads the files of a server and tries them out, since who speaks TLS says little of what it
/// cannot use: a certificate and the key of it, not encrypted, and perhaps an authority of clients.
/// Errors name the file and what is wrong with it.
absl::StatusOr<TlsMaterial> ReadServerTls(const TlsFiles& files);

/// Of a client: the authority of the servers, and perhaps a certificate and the key of it.
absl::StatusOr<TlsMaterial> ReadClientTls(const TlsFiles& files);

/// A sentence for each certificate in the files that has expired at `now` or is not yet valid, with
/// its file and the date. Files that ReadServerTls or ReadClientTls take.
std::vector<std::string> FindInvalidCertificates(const TlsFiles& files,
                                                 std::chrono::system_clock::time_point now);

}  // namespace wire
