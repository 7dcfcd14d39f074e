#include "ivy/net/tls_stream.h"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

namespace ivy {

namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;
using boost::system::error_code;

struct TlsStream::Session {
  ssl::stream<tcp::socket&> stream;
};

TlsStream::TlsStream(tcp::socket& socket, ssl::context& context)
    : session_(new Session{ssl::stream<tcp::socket&>(socket, context)}) {}

TlsStream::~TlsStream() = default;

void TlsStream::Handshake(Done done) {
  session_->stream.async_handshake(ssl::stream_base::server,
                                   [done = std::move(done)](error_code error) { done(error, 0); });
}

void TlsStream::ReadSome(boost::asio::mutable_buffer buffer, Done done) {
  session_->stream.async_read_some(buffer, std::move(done));
}

void TlsStream::WriteSome(boost::asio::const_buffer buffer, Done done) {
  session_->stream.async_write_some(buffer, std::move(done));
}

void TlsStream::Shutdown(Done done) {
  session_->stream.async_shutdown([done = std::move(done)](error_code error) { done(error, 0); });
}

}  // namespace ivy
