#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/counters.h"
#include "bench/target.h"
#include "common/metrics.h"
#include "common/status.h"
#include "hub/model_folder.h"
#include "ivy/replica/replica.h"
#include "models.h"
#include "serve.h"
#include "stack.h"

/// What `parterre bench` measures: flags that its loads share.
struct BenchTargetOptions {
  std::string url = {};     ///< http://HOST:PORT of any server, grpc://HOST:PORT of a Tulip. Or:
  ServeOptions serve = {};  ///< with `model` set, a server inside this process, on a free port
  bool engine = false;      ///< or, without HTTP, the worker alone.
  std::string model_name = {};                ///< The requests' "model"; empty: none is sent.
  std::vector<std::string> metrics_url = {};  ///< Of Parterres; default: the server's own.
};

/// A target with all that it needs to be there. One thread.
class BenchTarget {
 public:
  /// Starts or reaches it. Unavailable if no Tulip serves at a grpc:// URL; other errors name a
  /// flag, or what of the model cannot be served.
  static absl::StatusOr<std::unique_ptr<BenchTarget>> Open(const BenchTargetOptions& options);

  bench::Target& target() { return *target_; }
  /// What reports call it.
  const std::string& name() const { return name_; }
  /// Whether it has a tokenizer; else it takes token ids only.
  bool takes_text() const { return takes_text_; }
  const bench::CounterSource& counters() const { return counters_; }

 private:
  BenchTarget() = default;

  absl::Status ReachServer(const std::string& url, const BenchTargetOptions& options);
  absl::Status ReachTulip(const std::string& address, const BenchTargetOptions& options);
  absl::Status StartServer(const BenchTargetOptions& options);
  absl::Status StartEngine(const BenchTargetOptions& options);

  std::string name_;
  bool takes_text_ = false;
  bench::CounterSource counters_;
  // In the order in which each needs the ones before.
  common::Metrics metrics_;
  std::vector<NamedModel> models_;
  std::unique_ptr<ModelWorkers> workers_;
  std::unique_ptr<Stack> stack_;
  std::unique_ptr<ivy::Replica> replica_;
  std::unique_ptr<bench::Target> target_;
};
