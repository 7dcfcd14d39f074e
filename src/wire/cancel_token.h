#pragma once

#include <functional>
#include <stop_token>

namespace wire {

/// Cancelled by the asking side when nobody waits for the answer any more. Any thread.
class CancelToken {
 public:
  /// The first call runs the callbacks on this thread; they must not block.
  void Cancel() { source_.request_stop(); }
  bool cancelled() const { return source_.stop_requested(); }

 private:
  friend class CancelCallback;
  std::stop_source source_;
};

/// Runs a function once its token is cancelled: on the thread that cancels, or in the constructor
/// if that has happened. It does not run after the destructor, which waits for one that runs on
/// another thread.
class CancelCallback {
 public:
  CancelCallback(const CancelToken& token, std::function<void()> function)
      : callback_(token.source_.get_token(), std::move(function)) {}

 private:
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace wire
