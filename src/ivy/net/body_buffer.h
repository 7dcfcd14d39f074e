#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "common/status.h"
#include "ivy/http/exchange.h"
#include "ivy/net/byte_budget.h"

namespace ivy {

/// An exchange's request body while it comes in. It grows with what has arrived, not with what the
/// client says will come; beyond a small size, which the number of connections bounds, out of the
/// server's budget.
class BodyBuffer {
 public:
  /// Both outlive it.
  BodyBuffer(Exchange& exchange, std::size_t bytes_max, std::shared_ptr<ByteBudget> budget);

  /// What the head says of the length. Cause::kPayload: it is too large.
  absl::Status Expect(std::optional<uint64_t> length);
  /// What a chunk's head says is to come. Cause::kPayload: it is too large.
  absl::Status ExpectChunk(uint64_t bytes) const;
  /// Sees to it that room() is not empty. Cause::kOverloaded: other bodies have the memory.
  absl::Status MakeRoom();
  std::span<char> room() { return {body_.data() + size_, body_.size() - size_}; }
  /// `bytes` of the room came.
  void Take(std::size_t bytes) { size_ += bytes; }

  std::size_t size() const { return size_; }
  /// More came than there may be.
  bool over() const { return size_ > bytes_max_; }
  /// Cuts the body to what came. Cause::kPayload: it is over.
  absl::Status Finish();

 private:
  absl::Status TooLarge() const;

  std::string& body_;
  std::shared_ptr<void>& account_;  ///< The exchange's hold on the lease.
  const std::shared_ptr<ByteBudget> budget_;
  const std::size_t bytes_max_;
  std::size_t most_;  ///< No more is made room for.
  std::size_t size_ = 0;
  std::shared_ptr<ByteBudget::Lease> lease_;
};

}  // namespace ivy
