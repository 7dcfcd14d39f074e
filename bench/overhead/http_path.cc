#include "bench/overhead/http_path.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "bench/http_target.h"
#include "bench/workload.h"
#include "common/check.h"

namespace bench {
namespace {

constexpr int kBodies = 40;
constexpr uint64_t kSeed = 1;

class HttpPath final : public RequestPath {
 public:
  HttpPath(std::string name, std::unique_ptr<Connection> connection,
           std::vector<std::string> requests, Recorder& recorder)
      : RequestPath(std::move(name), Mark::kSent, Mark::kRead),
        connection_(std::move(connection)),
        requests_(std::move(requests)),
        recorder_(recorder) {}

  absl::Status Ask() override {
    const std::string& request = requests_[next_++ % requests_.size()];
    recorder_.Stamp(Mark::kSent);
    ASSIGN_OR_RETURN(const Exchange exchange, connection_->Post(request));
    recorder_.Stamp(Mark::kRead);
    if (exchange.status == 200) return absl::OkStatus();
    return absl::FailedPreconditionError(
        fmt::format("status {}: {}", exchange.status, exchange.body.substr(0, 300)));
  }

 private:
  const std::unique_ptr<Connection> connection_;
  const std::vector<std::string> requests_;
  std::size_t next_ = 0;
  Recorder& recorder_;
};

std::vector<std::string> MakeBodies(const Workload& workload) {
  // The tests' tokenizers have texts of every length.
  const absl::StatusOr<std::vector<Request>> requests = MakeRequests(workload, kBodies, kSeed);
  CHECK(requests.ok()) << requests.status().message();
  std::vector<std::string> bodies;
  for (const Request& request : *requests) bodies.push_back(EmbeddingsBody(request, /*model=*/{}));
  return bodies;
}

}  // namespace

absl::StatusOr<TextSide> TextSide::Open(const std::filesystem::path& folder, int tokens) {
  TextSide text;
  ASSIGN_OR_RETURN(text.folder,
                   hub::Open(folder, {.max_length = tokens, .weights_required = false}));
  ASSIGN_OR_RETURN(text.tokenizer, text::Tokenizer::FromFolder(text.folder.tokenizer_folder));
  return text;
}

absl::StatusOr<std::unique_ptr<NullGateway>> NullGateway::Create(const TextSide& text,
                                                                 common::Duration spin,
                                                                 wire::InferenceClient& client) {
  auto gateway = std::make_unique<NullGateway>();
  ivy::GatewayOptions options;
  options.server.port = 0;
  options.server.spin = spin;
  ASSIGN_OR_RETURN(gateway->gateway_, ivy::Gateway::Create(options,
                                                           {{.name = client.Info().name,
                                                             .folder = &text.folder,
                                                             .tokenizer = text.tokenizer.get(),
                                                             .client = &client}},
                                                           gateway->metrics_));
  return gateway;
}

std::vector<std::string> MakeIdBodies(int tokens, int vocabulary) {
  return MakeBodies({.length = tokens, .vocabulary = vocabulary});
}

std::vector<std::string> MakeTextBodies(const TextSide& text, int tokens) {
  return MakeBodies(
      {.input = InputKind::kText, .length = tokens, .tokenizer = text.tokenizer.get()});
}

absl::StatusOr<std::unique_ptr<RequestPath>> MakeHttpPath(std::string name, const Url& url,
                                                          const std::vector<std::string>& bodies,
                                                          Recorder& recorder) {
  ASSIGN_OR_RETURN(auto connection, Connection::Open(url, std::chrono::seconds(10)));
  std::vector<std::string> requests;
  requests.reserve(bodies.size());
  for (const std::string& body : bodies) requests.push_back(EmbeddingsRequest(url, body));
  return std::make_unique<HttpPath>(std::move(name), std::move(connection), std::move(requests),
                                    recorder);
}

}  // namespace bench
