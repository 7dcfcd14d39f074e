#include "cut_files.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace {

/// Nothing but what a signal's handler may do.
void EndWithACause(int signal, siginfo_t* info, void* /*context*/) {
  if (info->si_code != BUS_ADRERR) {  // Broken memory: its own signal tells.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  constexpr std::string_view kCause = "parterre: a model file became shorter while it was read\n";
  [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, kCause.data(), kCause.size());
  _exit(2);
}

}  // namespace

void TellOfCutFiles() {
  struct sigaction action {};
  action.sa_sigaction = EndWithACause;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}
