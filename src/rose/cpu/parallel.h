#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"

namespace rose::cpu {

/// Part `part` of `parts` of 0 … n, as even as can be.
struct Share {
  int64_t begin = 0;
  int64_t end = 0;
};
constexpr Share ShareOf(int64_t n, int64_t part, int64_t parts) {
  return {n * part / parts, n * (part + 1) / parts};
}

/// The threads that work on one call of an operation: one, or all of a pool.
class Parallel {
 public:
  /// `workspace` belongs to the thread that runs the task, for as long as it runs it.
  using Body = absl::FunctionRef<void(int64_t task, std::byte* workspace)>;

  static constexpr int64_t kTasksMax = 65535;

  virtual ~Parallel() = default;
  /// Threads that may take part.
  virtual int width() const = 0;
  /// Calls body(0 … tasks−1), each once, on any thread in any order; returns when all are done.
  virtual void For(int64_t tasks, Body body) = 0;
};

/// The calling thread alone.
class Serial final : public Parallel {
 public:
  explicit Serial(std::byte* workspace) : workspace_(workspace) {}

  int width() const override { return 1; }
  void For(int64_t tasks, Body body) override {
    for (int64_t task = 0; task < tasks; ++task) body(task, workspace_);
  }

 private:
  std::byte* workspace_;
};

}  // namespace rose::cpu
