#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "ivy/http/exchange.h"
#include "ivy/net/byte_budget.h"
#include "ivy/net/server.h"

namespace boost::asio::ssl {
class context;
}

namespace ivy {

/// One client's connection, as the I/O thread that owns it sees it; all calls on that thread.
class Connection {
 public:
  virtual ~Connection() = default;
  /// No further request: closes now if idle or not yet encrypted, else after the answer in hand.
  virtual void Retire() = 0;
  /// Closes now; a request in hand is cancelled and not answered.
  virtual void Abort() = 0;
};

/// What the connections of a server share.
struct ConnectionContext {
  std::shared_ptr<Handler> handler;
  ConnectionLimits limits;
  std::shared_ptr<ByteBudget> bodies;
};

struct ConnectionHooks {
  std::function<void(Connection*)> ended;  ///< On the I/O thread; the last call.
  /// Dropped when the last reference to the connection is, on whatever thread.
  std::shared_ptr<void> lifetime;
};

/// Starts serving `socket`, with TLS where there is a context of it; the connection keeps itself
/// alive until it ends. `context` outlives it.
Connection* StartConnection(boost::asio::ip::tcp::socket socket, const ConnectionContext& context,
                            std::shared_ptr<boost::asio::ssl::context> tls, ConnectionHooks hooks);

}  // namespace ivy
