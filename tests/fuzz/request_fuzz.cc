#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "answer_checks.h"
#include "api_server.h"
#include "fuzz_input.h"

// Any bytes as the body of any route: the first line says "KIND METHOD PATH", KIND being a kind of
// model below, the rest is the body. Every answer is well-formed and of a documented status; one
// that is 200 answers every input, once, in its place, and asked the model for each.

namespace {

/// A server for one kind of model.
struct Kind {
  Kind(const std::function<void(ivy::FakeModel&)>& prepare, bool any_model_name) {
    prepare(model);
    server = std::make_unique<ApiServer>(std::vector{model.Served()}, any_model_name);
  }

  ivy::FakeModel model;
  std::unique_ptr<ApiServer> server;
};

const std::map<std::string, std::unique_ptr<Kind>, std::less<>>& Kinds() {
  using hub::Output;
  static const auto& kinds = *[] {
    auto* made = new std::map<std::string, std::unique_ptr<Kind>, std::less<>>;
    const auto add = [&](const char* name, const std::function<void(ivy::FakeModel&)>& prepare,
                         bool any_model_name = true) {
      made->emplace(name, std::make_unique<Kind>(prepare, any_model_name));
    };
    add("dense", [](ivy::FakeModel&) {});
    add(
        "named", [](ivy::FakeModel&) {}, /*any_model_name=*/false);
    add("all", [](ivy::FakeModel& model) {
      model.Give(hub::Outputs(Output::kDense) | Output::kSparse | Output::kTokens |
                 Output::kColbert);
    });
    add("sparse", [](ivy::FakeModel& model) { model.Give(Output::kSparse); });
    add("rounding",
        [](ivy::FakeModel& model) { model.folder.quantization = hub::Quantization::kTanhInt8; });
    add("reranker",
        [](ivy::FakeModel& model) { model.Classify({"LABEL_0"}, hub::ScoreActivation::kSigmoid); });
    add("template", [](ivy::FakeModel& model) {
      model.client.info().max_length = 200;
      model.folder.rerank_template = hub::Qwen3RerankTemplate();
      model.Classify({"yes"}, hub::ScoreActivation::kSigmoid);
    });
    add("classifier", [](ivy::FakeModel& model) {
      model.Classify({"a", "b", "c"}, hub::ScoreActivation::kSoftmax);
    });
    return made;
  }();
  return kinds;
}

ivy::Method MethodOf(std::string_view name) {
  if (name == "GET") return ivy::Method::kGet;
  if (name == "HEAD") return ivy::Method::kHead;
  if (name == "OPTIONS") return ivy::Method::kOptions;
  return name == "POST" ? ivy::Method::kPost : ivy::Method::kOther;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  std::string head(input.TakeUntil('\n'));
  FuzzInput words(reinterpret_cast<const uint8_t*>(head.data()), head.size());
  const auto kind = Kinds().find(words.TakeUntil(' '));
  if (kind == Kinds().end()) return -1;
  const ivy::Method method = MethodOf(words.TakeUntil(' '));
  const std::string path(words.rest());
  const std::string body(input.rest());
  ApiServer& server = *kind->second->server;
  const ivy::Response response =
      server.Ask({.method = method, .path = path, .query = {}, .body = body});
  int asked = 0;
  for (const wire::InferenceRequest& request : kind->second->model.client.TakeRequests()) {
    asked += static_cast<int>(request.lengths.size());
  }
  const Asked question = {.path = path,
                          .method = method,
                          .body = body,
                          .dialect = server.DialectOf(path),
                          .model = kind->second->model.client.info()};
  CheckAnswer(question, response, asked);
  return 0;
}
