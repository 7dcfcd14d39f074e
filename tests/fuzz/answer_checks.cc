#include "answer_checks.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "common/check.h"
#include "hub/outputs.h"

namespace {

using hub::Output;
using nlohmann::json;

/// A member of an object, null if there is none: as good as absent.
const json& At(const json& object, const char* key) {
  static const json null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

/// What went wrong is told in the dialect's shape.
void CheckError(const Asked& asked, const ivy::Response& response) {
  const json body = json::parse(response.body);
  const bool tei = asked.dialect == ivy::Dialect::kTei;
  static const std::set<int> openai_statuses = {400, 404, 405},
                             tei_statuses = {400, 404, 405, 422, 424};
  CHECK((tei ? tei_statuses : openai_statuses).contains(response.status))
      << response.status << response.body;
  std::string message;
  if (tei) {
    message = body.at("error").get<std::string>();
    CHECK(!body.at("error_type").get<std::string>().empty());
  } else {
    const json& error = body.at("error");
    message = error.at("message").get<std::string>();
    CHECK(!error.at("type").get<std::string>().empty());
    CHECK(error.contains("code") && error.contains("param"));
  }
  CHECK(!message.empty());
  // 424 is a failed forward pass too, which there is none of here.
  if (response.status == 424) CHECK(message.starts_with("model: ")) << message;
}

/// How many inputs a field holds that takes a text, ids, or a list of them.
std::size_t CountInputs(const json& field) {
  if (!field.is_array()) return 1;
  return field.at(0).is_number() ? 1 : field.size();
}

void CheckNumbers(const json& numbers, std::size_t count) {
  CHECK(numbers.is_array() && numbers.size() == count) << numbers;
  for (const json& number : numbers) CHECK(number.is_number()) << number;
}

void CheckSparse(const json& entries) {
  int64_t before = -1;
  for (const json& entry : entries) {
    CHECK(entry.at("index").get<int64_t>() > before && entry.at("value").get<double>() > 0);
    before = entry.at("index").get<int64_t>();
  }
}

/// The length of a dense vector as asked for.
std::size_t DimensionsOf(const Asked& asked, const json& request) {
  const json& dimensions = At(request, "dimensions");
  return dimensions.is_null() ? static_cast<std::size_t>(asked.model.dimension)
                              : dimensions.get<std::size_t>();
}

bool WantsFloats(const json& request) {
  const auto is = [&](const char* key, const char* value) {
    return At(request, key).is_null() || At(request, key) == value;
  };
  return is("encoding_format", "float") && is("output_dtype", "float");
}

std::size_t CheckOpenAiEmbeddings(const Asked& asked, const json& request, const json& answer) {
  const std::size_t inputs = CountInputs(request.at("input"));
  const json& data = answer.at("data");
  CHECK(data.size() == inputs) << data.size() << " of " << inputs;
  std::set<std::string> outputs = {"dense"};
  if (!At(request, "outputs").is_null())
    outputs = request.at("outputs").get<std::set<std::string>>();
  for (std::size_t i = 0; i < inputs; ++i) {
    CHECK(data[i].at("index") == i && data[i].at("object") == "embedding");
    CHECK(data[i].contains("embedding") == outputs.contains("dense"));
    CHECK(data[i].contains("sparse_embedding") == outputs.contains("sparse"));
    CHECK(data[i].contains("colbert") == outputs.contains("colbert"));
    if (data[i].contains("sparse_embedding")) CheckSparse(data[i]["sparse_embedding"]);
    if (data[i].contains("embedding") && WantsFloats(request)) {
      CheckNumbers(data[i]["embedding"], DimensionsOf(asked, request));
    }
  }
  CHECK(answer.at("usage").at("total_tokens").get<int64_t>() >= static_cast<int64_t>(inputs));
  return inputs;
}

std::size_t CheckTeiVectors(const Asked& asked, const json& request, const json& answer,
                            Output output) {
  const std::size_t inputs = CountInputs(request.at("inputs"));
  CHECK(answer.size() == inputs) << answer.size() << " of " << inputs;
  for (const json& row : answer) {
    if (output == Output::kSparse) {
      CheckSparse(row);
    } else if (output == Output::kDense) {
      CheckNumbers(row, DimensionsOf(asked, request));
    } else {
      CHECK(!row.empty());
      for (const json& token : row) {
        CheckNumbers(token, static_cast<std::size_t>(asked.model.hidden_size));
      }
    }
  }
  return inputs;
}

/// `ranks` are those of the best of `texts`, each once, from high to low, with their texts.
void CheckRanks(const json& ranks, const json& texts, const char* score_key) {
  std::set<std::size_t> seen;
  double before = std::numeric_limits<double>::infinity();
  for (const json& rank : ranks) {
    const auto index = rank.at("index").get<std::size_t>();
    CHECK(index < texts.size() && seen.insert(index).second) << index;
    CHECK(rank.at(score_key).get<double>() <= before) << ranks;
    before = rank.at(score_key).get<double>();
    const json& sent = texts[index].is_object() ? texts[index].at("text") : texts[index];
    if (rank.contains("text")) CHECK(rank["text"] == sent) << rank;
    if (rank.contains("document")) CHECK(rank["document"].at("text") == sent) << rank;
  }
}

std::size_t CheckRerank(const json& request, const json& answer, bool tei) {
  if (tei && !At(request, "texts").is_null()) {
    const json& texts = request.at("texts");
    CHECK(answer.size() == texts.size());
    CheckRanks(answer, texts, "score");
    return texts.size();
  }
  const json& texts = request.at("documents");
  const json& top_n = At(request, "top_n");
  const std::size_t wanted =
      top_n.is_null() ? texts.size() : std::min(texts.size(), top_n.get<std::size_t>());
  CHECK(answer.at("results").size() == wanted) << answer;
  CheckRanks(answer["results"], texts, "relevance_score");
  return texts.size();
}

void CheckLabels(const json& predictions, const Asked& asked) {
  CHECK(predictions.size() == static_cast<std::size_t>(asked.model.labels)) << predictions;
  double before = std::numeric_limits<double>::infinity();
  std::set<std::string> labels;
  for (const json& prediction : predictions) {
    CHECK(labels.insert(prediction.at("label").get<std::string>()).second);
    CHECK(prediction.at("score").get<double>() <= before) << predictions;
    before = prediction.at("score").get<double>();
  }
}

std::size_t CheckPredict(const Asked& asked, const json& request, const json& answer) {
  const json& inputs = request.at("inputs");
  if (inputs.is_string() || inputs.at(0).is_string()) {
    CheckLabels(answer, asked);
    return 1;
  }
  CHECK(answer.size() == inputs.size());
  for (const json& predictions : answer) CheckLabels(predictions, asked);
  return inputs.size();
}

/// Routes that ask no model.
bool CheckText(const std::string& path, const json& request, const json& answer) {
  if (path == "/tokenize") {
    const json& inputs = At(request, "inputs");
    if (inputs.is_null()) {
      CHECK(answer.at("tokens").size() == answer.at("count"));
    } else {
      CHECK(answer.size() == (inputs.is_string() ? 1 : inputs.size())) << answer;
    }
  } else if (path == "/decode") {
    const json& ids = request.at("ids");
    CHECK(answer.size() == (ids.at(0).is_array() ? ids.size() : 1)) << answer;
  } else if (path == "/detokenize") {
    CHECK(answer.at("prompt").is_string());
  } else {
    return false;
  }
  return true;
}

/// How many sequences the model must have been asked for.
std::size_t CheckModelRoute(const Asked& asked, const std::string& path, const json& request,
                            const json& answer) {
  const hub::Outputs given = asked.model.outputs;
  const bool scores = path == "/invocations" && given.Has(Output::kScores);
  if (path == "/v1/embeddings" || path == "/embeddings") {
    return CheckOpenAiEmbeddings(asked, request, answer);
  }
  if (path == "/similarity") {
    const std::size_t sentences = request.at("inputs").at("sentences").size();
    CheckNumbers(answer, sentences);
    return sentences + 1;
  }
  if (path == "/predict" || (scores && asked.model.labels > 1)) {
    return CheckPredict(asked, request, answer);
  }
  if (path == "/rerank" || scores) return CheckRerank(request, answer, true);
  if (path == "/v1/rerank" || path == "/v2/rerank") return CheckRerank(request, answer, false);
  if (path == "/embed_all") return CheckTeiVectors(asked, request, answer, Output::kTokens);
  const bool sparse =
      path == "/embed_sparse" || (path == "/invocations" && !given.Has(Output::kDense));
  CHECK(sparse || path == "/embed" || path == "/invocations") << path;
  return CheckTeiVectors(asked, request, answer, sparse ? Output::kSparse : Output::kDense);
}

}  // namespace

void CheckAnswer(const Asked& asked, const ivy::Response& response, int sequences) {
  if (response.status == 204) {
    CHECK(asked.method == ivy::Method::kOptions && response.body.empty());
    return;
  }
  if (response.content_type == ivy::kJsonType && !response.body.empty()) {
    CHECK(json::accept(response.body)) << response.body;
  }
  if (response.status != 200) {
    CHECK(sequences == 0) << "refused after the model was asked: " << response.body;
    return CheckError(asked, response);
  }
  if (asked.method != ivy::Method::kPost) return;
  CHECK(json::accept(asked.body)) << asked.body;
  const json request = json::parse(asked.body), answer = json::parse(response.body);
  std::string path = asked.path;
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  if (CheckText(path, request, answer)) {
    CHECK(sequences == 0);
    return;
  }
  const std::size_t expected = CheckModelRoute(asked, path, request, answer);
  CHECK(static_cast<std::size_t>(sequences) == expected) << sequences << " of " << expected;
}
