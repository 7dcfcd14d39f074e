#include "tulip/in_process_client.h"

#include <utility>

namespace tulip {

void InProcessClient::Infer(wire::InferenceRequest request, Callback done) {
  worker_.Submit(std::move(request), std::move(done));
}

}  // namespace tulip
