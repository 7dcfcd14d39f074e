#pragma once

#include <string>

namespace wire {

/// PEM files of one side of a connection; empty: it has none.
struct TlsFiles {
  std::string certificate = {};  ///< Its own, followed by those between it and its authority.
  std::string key = {};          ///< Of that certificate.
  std::string authority = {};  ///< Certificates of those that the other side's is to be signed by.
};

}  // namespace wire
