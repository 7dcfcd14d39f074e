#include "ivy/http/exchange.h"

namespace ivy {

void Exchange::Answer(Response response) {
  if (!answered_.exchange(true)) Send(std::move(response));
}

void Exchange::Fail(const absl::Status& failure) {
  if (!answered_.exchange(true)) Send(handler_->Tell(*this, failure));
}

void Exchange::Abandon() {
  answered_.store(true);
  cancel->Cancel();
}

void Exchange::Send(Response response) {
  handler_->Seal(*this, response);
  if (const auto transport = transport_.lock()) transport->Deliver(std::move(response));
}

void Exchange::Post(std::function<void()> work) const {
  if (const auto transport = transport_.lock()) transport->Post(std::move(work));
}

}  // namespace ivy
