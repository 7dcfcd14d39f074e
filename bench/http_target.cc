#include "bench/http_target.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/answer.h"
#include "bench/connection.h"

namespace bench {
namespace {

constexpr size_t kQuotedBytes = 300;

absl::Status CheckStatus(const Exchange& exchange) {
  if (exchange.status == 200) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("status {}: {}", exchange.status, exchange.body.substr(0, kQuotedBytes)));
}

class HttpClient final : public Client {
 public:
  using Connect = std::function<absl::StatusOr<std::unique_ptr<Connection>>()>;

  HttpClient(std::unique_ptr<Connection> connection, Connect connect,
             std::vector<std::string> requests)
      : connection_(std::move(connection)),
        connect_(std::move(connect)),
        requests_(std::move(requests)) {}

  /// Before its clock starts it connects anew where the server would not wait for another request.
  absl::StatusOr<Answer> Send(std::size_t index) override {
    if (!connection_->open()) {
      ASSIGN_OR_RETURN(connection_, connect_());
    }
    ASSIGN_OR_RETURN(const Exchange exchange, connection_->Post(requests_[index]));
    RETURN_IF_ERROR(CheckStatus(exchange));
    ASSIGN_OR_RETURN(const AnswerShape shape, ReadAnswer(exchange.body));
    return Answer{.took = exchange.took,
                  .rows = shape.rows,
                  .dimensions = shape.dimensions,
                  .tokens = shape.tokens};
  }

 private:
  std::unique_ptr<Connection> connection_;
  const Connect connect_;
  const std::vector<std::string> requests_;
};

/// A server in this process that does nothing, and the way to it.
class NullTarget final : public Target {
 public:
  static absl::StatusOr<std::unique_ptr<Target>> Create(int rows, int dimensions,
                                                        const std::string& model) {
    const std::string answer = HttpAnswer(200, NullEmbeddings(rows, dimensions));
    ASSIGN_OR_RETURN(auto server, NullServer::Create(
                                      [answer](std::string_view) { return std::string(answer); }));
    return std::make_unique<NullTarget>(std::move(server), model);
  }
  NullTarget(std::unique_ptr<NullServer> server, const std::string& model)
      : server_(std::move(server)),
        target_({.host = "127.0.0.1", .port = server_->port()}, model) {}

  absl::StatusOr<std::unique_ptr<Client>> Connect(const std::vector<Request>& requests) override {
    return target_.Connect(requests);
  }
  absl::StatusOr<Vectors> Embed(const Request& request) override { return target_.Embed(request); }
  absl::StatusOr<std::unique_ptr<Target>> MakeNull(int rows, int dimensions) const override {
    return target_.MakeNull(rows, dimensions);
  }

 private:
  const std::unique_ptr<NullServer> server_;
  HttpTarget target_;
};

absl::StatusOr<std::vector<float>> ReadVector(const std::string& base64) {
  std::string bytes;
  if (!absl::Base64Unescape(base64, &bytes) || bytes.size() % sizeof(float) != 0) {
    return absl::DataLossError("expected float32 values in base64");
  }
  std::vector<float> vector(bytes.size() / sizeof(float));
  std::memcpy(vector.data(), bytes.data(), bytes.size());
  return vector;
}

absl::StatusOr<Vectors> ReadVectors(std::string_view body) {
  try {
    const nlohmann::json answer = nlohmann::json::parse(body);
    Vectors vectors;
    for (const nlohmann::json& row : answer.at("data")) {
      ASSIGN_OR_RETURN(vectors.emplace_back(), ReadVector(row.at("embedding")));
    }
    return vectors;
  } catch (const nlohmann::json::exception& error) {
    return absl::DataLossError(fmt::format("no answer of /v1/embeddings: {}", error.what()));
  }
}

}  // namespace

HttpTarget::HttpTarget(Url url, std::string model, std::chrono::milliseconds timeout)
    : url_(std::move(url)), model_(std::move(model)), timeout_(timeout) {}

absl::StatusOr<std::unique_ptr<Client>> HttpTarget::Connect(const std::vector<Request>& requests) {
  std::vector<std::string> encoded;
  encoded.reserve(requests.size());
  for (const Request& request : requests) {
    encoded.push_back(EmbeddingsRequest(url_, EmbeddingsBody(request, model_)));
  }
  HttpClient::Connect connect = [url = url_, timeout = timeout_] {
    return Connection::Open(url, timeout);
  };
  ASSIGN_OR_RETURN(auto connection, connect());
  return std::make_unique<HttpClient>(std::move(connection), std::move(connect),
                                      std::move(encoded));
}

absl::StatusOr<Vectors> HttpTarget::Embed(const Request& request) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(url_, timeout_));
  ASSIGN_OR_RETURN(const Exchange exchange,
                   connection->Post(EmbeddingsRequest(url_, EmbeddingsBody(request, model_))));
  RETURN_IF_ERROR(CheckStatus(exchange));
  return ReadVectors(exchange.body);
}

absl::StatusOr<std::unique_ptr<Target>> HttpTarget::MakeNull(int rows, int dimensions) const {
  return NullTarget::Create(rows, dimensions, model_);
}

std::string EmbeddingsBody(const Request& request, const std::string& model) {
  nlohmann::json body = {{"encoding_format", "base64"}};
  if (!model.empty()) body["model"] = model;
  nlohmann::json& input = body["input"];
  for (const std::vector<int32_t>& ids : request.ids) input.push_back(ids);
  for (const std::string& text : request.texts) input.push_back(text);
  // A name that is no UTF-8 is the server's to refuse.
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace bench
