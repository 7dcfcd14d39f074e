#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace ivy {

/// Cancels a socket's operations when a time limit passes, and those that follow until it is called
/// off: of an operation in several steps, one may be complete already and begin the next. The
/// socket stays open, so that the client can still be told. One limit at a time; on the socket's
/// thread.
class Watchdog {
 public:
  explicit Watchdog(boost::asio::ip::tcp::socket& socket)
      : socket_(socket), timer_(socket.get_executor()) {}

  /// `owner` (of socket and watchdog) is kept alive until the limit is called off.
  void Arm(std::chrono::milliseconds limit, std::shared_ptr<void> owner) {
    fired_ = false;
    ++round_;
    CancelAfter(limit, std::move(owner));
  }
  void Disarm() {
    ++round_;
    timer_.cancel();
  }
  bool fired() const { return fired_; }

 private:
  static constexpr std::chrono::milliseconds kAgain{5};

  void CancelAfter(std::chrono::milliseconds delay, std::shared_ptr<void> owner) {
    timer_.expires_after(delay);
    timer_.async_wait(
        [this, owner = std::move(owner), round = round_](boost::system::error_code error) mutable {
          // A wait that had expired before it was called off still arrives without an error.
          if (error || round != round_) return;
          fired_ = true;
          socket_.cancel(error);
          CancelAfter(kAgain, std::move(owner));
        });
  }

  boost::asio::ip::tcp::socket& socket_;
  boost::asio::steady_timer timer_;
  uint64_t round_ = 0;
  bool fired_ = false;
};

}  // namespace ivy
