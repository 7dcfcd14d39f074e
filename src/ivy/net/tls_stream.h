#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace boost::asio::ssl {
class context;
}

namespace ivy {

/// TLS over a client's socket, as its server. Asio's operations with their handlers' types put
/// away, so that they are compiled once; each completes with (error, bytes). One read and one write
/// at a time.
class TlsStream {
 public:
  /// Both outlive it.
  TlsStream(boost::asio::ip::tcp::socket& socket, boost::asio::ssl::context& context);
  ~TlsStream();

  template <typename Token>
  auto AsyncHandshake(Token&& token) {
    return Initiate([this](Done done) { Handshake(std::move(done)); }, std::forward<Token>(token));
  }
  template <typename Token>
  auto AsyncReadSome(boost::asio::mutable_buffer buffer, Token&& token) {
    return Initiate([this, buffer](Done done) { ReadSome(buffer, std::move(done)); },
                    std::forward<Token>(token));
  }
  template <typename Token>
  auto AsyncWriteSome(boost::asio::const_buffer buffer, Token&& token) {
    return Initiate([this, buffer](Done done) { WriteSome(buffer, std::move(done)); },
                    std::forward<Token>(token));
  }
  /// Says farewell and waits for the client's.
  template <typename Token>
  auto AsyncShutdown(Token&& token) {
    return Initiate([this](Done done) { Shutdown(std::move(done)); }, std::forward<Token>(token));
  }

 private:
  struct Session;
  using Done = std::function<void(boost::system::error_code, std::size_t)>;

  template <typename Start, typename Token>
  static auto Initiate(Start start, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [start = std::move(start)](auto handler) mutable {
          const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
          start([shared](boost::system::error_code error, std::size_t bytes) {
            std::move (*shared)(error, bytes);
          });
        },
        token);
  }

  void Handshake(Done done);
  void ReadSome(boost::asio::mutable_buffer buffer, Done done);
  void WriteSome(boost::asio::const_buffer buffer, Done done);
  void Shutdown(Done done);

  const std::unique_ptr<Session> session_;
};

}  // namespace ivy
