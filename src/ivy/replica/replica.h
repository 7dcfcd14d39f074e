#pragma once

#include <functional>
#include <memory>
#include <string>

#include "wire/inference.h"

namespace ivy {

/// One Tulip as the gateway reaches it, by whatever way. Any thread.
class Replica {
 public:
  using Callback = wire::InferenceClient::Callback;
  /// Ends what is under way: once it returns, no callback runs and none will. Never called from one
  /// of its own callbacks.
  virtual ~Replica() = default;

  /// "10.0.0.7:50051": what logs and metrics call it.
  virtual const std::string& address() const = 0;

  /// What InferenceClient::Infer promises. Unavailable where it cannot be reached, or where what it
  /// answers cannot be read: at once if that is known, and never later than the request's deadline.
  virtual void Infer(wire::InferenceRequest request, Callback done) = 0;

  /// What it runs; null until it has answered for the first time since it was last out of reach.
  virtual std::shared_ptr<const wire::ModelInfo> info() const = 0;

  /// Whether it can be reached and says that it serves.
  virtual bool serving() const = 0;

  /// Called every few ten ms by the one thread that looks after the replica: what it has to do that
  /// may wait for other threads.
  virtual void Tend() {}
};

/// Begins to reach for the Tulip at an address; returns at once.
using ReplicaFactory = std::function<std::unique_ptr<Replica>(const std::string& address)>;

}  // namespace ivy
