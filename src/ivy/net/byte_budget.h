#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace ivy {

/// Bounds the bytes that all request bodies together may take. Any thread.
class ByteBudget {
 public:
  explicit ByteBudget(int64_t bytes) : left_(bytes) {}

  /// What one body has taken; gives it back when it goes. One thread at a time.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
    ~Lease() { budget_->left_ += bytes_; }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    /// Raises the lease to `bytes`; false, and unchanged, if that is more than is left.
    bool Raise(int64_t bytes) {
      const int64_t more = bytes - bytes_;
      if (budget_->left_.fetch_sub(more) < more) {
        budget_->left_ += more;
        return false;
      }
      bytes_ = bytes;
      return true;
    }

   private:
    const std::shared_ptr<ByteBudget> budget_;
    int64_t bytes_ = 0;
  };

 private:
  std::atomic<int64_t> left_;
};

}  // namespace ivy
