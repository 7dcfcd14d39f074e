#include "wire/grpc/log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include "common/log.h"

namespace wire {

void RouteGrpcLog() {
  gpr_set_log_function([](gpr_log_func_args* entry) { spdlog::warn("grpc: {}", entry->message); });
  google::protobuf::SetLogHandler(
      [](google::protobuf::LogLevel, const char*, int, const std::string& message) {
        spdlog::warn("protobuf: {}", message);
      });
}

}  // namespace wire
