#include "ivy/http/request_id.h"

#include <fmt/format.h>

#include "common/random_id.h"
#include "wire/request_id.h"

namespace ivy {

std::string RequestId(std::string_view sent) {
  if (wire::IsRequestId(sent)) return std::string(sent);
  return fmt::format("{:016x}", common::RandomId());
}

}  // namespace ivy
