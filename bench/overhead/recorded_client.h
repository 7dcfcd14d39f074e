#pragma once

#include <utility>

#include "bench/overhead/passage.h"
#include "wire/inference.h"

namespace bench {

/// A client that records when it is asked and when it answers.
class RecordedClient final : public wire::InferenceClient {
 public:
  /// All outlive it.
  RecordedClient(wire::InferenceClient& client, Mark asked, Mark answered, Recorder& recorder)
      : client_(client), asked_(asked), answered_(answered), recorder_(recorder) {}

  void Infer(wire::InferenceRequest request, Callback done) override {
    recorder_.Stamp(asked_);
    client_.Infer(std::move(request),
                  [this, done = std::move(done)](absl::StatusOr<wire::InferenceResult> result) {
                    recorder_.Stamp(answered_);
                    done(std::move(result));
                  });
  }
  bool Ready() const override { return client_.Ready(); }
  const wire::ModelInfo& Info() const override { return client_.Info(); }
  bool Healthy() const override { return client_.Healthy(); }
  int Engines() const override { return client_.Engines(); }

 private:
  wire::InferenceClient& client_;
  const Mark asked_;
  const Mark answered_;
  Recorder& recorder_;
};

}  // namespace bench
