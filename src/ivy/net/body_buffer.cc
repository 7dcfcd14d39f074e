#include "ivy/net/body_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "ivy/http/cause.h"

namespace ivy {
namespace {

constexpr std::size_t kStepBytes = std::size_t{64} << 10;

}  // namespace

BodyBuffer::BodyBuffer(Exchange& exchange, std::size_t bytes_max,
                       std::shared_ptr<ByteBudget> budget)
    : body_(exchange.request.body),
      account_(exchange.body_lease),
      budget_(std::move(budget)),
      bytes_max_(bytes_max),
      most_(bytes_max + 1) {}

absl::Status BodyBuffer::Expect(std::optional<uint64_t> length) {
  if (!length) return absl::OkStatus();
  if (*length > bytes_max_) return TooLarge();
  most_ = static_cast<std::size_t>(*length);
  return absl::OkStatus();
}

absl::Status BodyBuffer::ExpectChunk(uint64_t bytes) const {
  return over() || bytes > bytes_max_ - size_ ? TooLarge() : absl::OkStatus();
}

absl::Status BodyBuffer::MakeRoom() {
  if (size_ < body_.size()) return absl::OkStatus();
  const std::size_t grown = std::min(most_, std::max(kStepBytes, 2 * size_));
  if (grown > kStepBytes) {
    if (!lease_) account_ = lease_ = std::make_shared<ByteBudget::Lease>(budget_);
    if (!lease_->Raise(static_cast<int64_t>(grown))) {
      return Failure(Cause::kOverloaded, "too many large bodies at once, try again later");
    }
  }
  try {
    body_.reserve(grown + kBodyPadding);
    body_.resize(grown);
  } catch (const std::bad_alloc&) {
    return Failure(Cause::kOverloaded, "out of memory, try again later");
  }
  return absl::OkStatus();
}

absl::Status BodyBuffer::Finish() {
  body_.resize(size_);
  return over() ? TooLarge() : absl::OkStatus();
}

absl::Status BodyBuffer::TooLarge() const {
  return Failure(Cause::kPayload, fmt::format("body: expected at most {} bytes", bytes_max_));
}

}  // namespace ivy
