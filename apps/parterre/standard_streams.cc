#include "standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace {

void HoldStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The wrong way round, so that whoever uses it is told. The lowest number that is free is it.
    const int mode = stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY;
    if (::open("/dev/null", mode) != stream) _exit(2);
  }
}

// main would be too late: gRPC opens a descriptor when its library is loaded.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const kBeforeLibraries)() = HoldStandardStreams;

}  // namespace

absl::Status FlushOutput(std::ostream& out) {
  errno = 0;
  // A stream that has failed before does not flush; its buffer tries once more, and has the cause.
  const bool written = out.rdbuf()->pubsync() == 0;
  if (written && out) return absl::OkStatus();
  const std::string cause = errno == 0 ? "" : ": " + std::system_category().message(errno);
  return absl::AbortedError("the output cannot be written" + cause);
}
