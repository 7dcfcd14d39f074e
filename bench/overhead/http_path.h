#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/connection.h"
#include "bench/overhead/request_paths.h"
#include "bench/url.h"
#include "common/metrics.h"
#include "hub/model_folder.h"
#include "ivy/gateway.h"
#include "text/tokenizer.h"

namespace bench {

/// What the gateway needs of a model beside who computes it.
struct TextSide {
  hub::ModelFolder folder;
  std::unique_ptr<text::Tokenizer> tokenizer;

  /// Inputs are cut at `tokens`.
  static absl::StatusOr<TextSide> Open(const std::filesystem::path& folder, int tokens);
};

/// The gateway over a model's client, on a free port.
class NullGateway {
 public:
  /// `client` and `text` outlive it. `spin`: as ServerOptions says.
  static absl::StatusOr<std::unique_ptr<NullGateway>> Create(const TextSide& text,
                                                             common::Duration spin,
                                                             wire::InferenceClient& client);
  Url url() const { return {.host = "127.0.0.1", .port = gateway_->port()}; }

 private:
  common::Metrics metrics_;
  std::unique_ptr<ivy::Gateway> gateway_;
};

/// Bodies of /v1/embeddings, one input each, that are all different: of `tokens` ids, or of texts
/// of as many tokens.
std::vector<std::string> MakeIdBodies(int tokens, int vocabulary);
std::vector<std::string> MakeTextBodies(const TextSide& text, int tokens);

/// One of the bodies after the other over one connection, from kSent to kRead.
absl::StatusOr<std::unique_ptr<RequestPath>> MakeHttpPath(std::string name, const Url& url,
                                                          const std::vector<std::string>& bodies,
                                                          Recorder& recorder);

}  // namespace bench
