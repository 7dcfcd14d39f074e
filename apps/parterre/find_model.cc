#include "find_model.h"

#include <csignal>

namespace {

bool SignalWaits() {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
}

}  // namespace

absl::StatusOr<hub::FoundModel> FindModel(const std::string& model, const std::string& revision,
                                          bool weights) {
  return hub::FindModel(model, {.revision = revision,
                                .weights = weights,
                                .cancelled = &SignalWaits,
                                .user_agent = "parterre/" PARTERRE_VERSION});
}
