#include "ivy/api/info.h"

#include "ivy/http/json_writer.h"

namespace ivy {
namespace {

void WriteBatching(const wire::ModelInfo& info, JsonWriter& json) {
  json.Key("engines").Int(info.engines).Key("schedule").String(info.schedule);
  json.Key("saturation_tokens").Int(info.saturation_tokens);
  json.Key("batch_curve").BeginArray();
  for (const auto& [tokens, microseconds] : info.batch_curve) {
    json.BeginObject();
    json.Key("tokens").Int(tokens).Key("step_us").Int(microseconds);
    json.EndObject();
  }
  json.EndArray();
}

void WritePrompts(const Model& model, JsonWriter& json) {
  json.Key("prompts").BeginArray();
  for (const auto& [name, prompt] : model.prompts) json.String(name);
  json.EndArray();
  json.Key("default_prompt_name");
  const auto& name = model.folder().default_prompt_name;
  name ? json.String(*name) : json.Null();
}

/// TEI's: {"embedding": {pooling}}, or {"reranker" | "classifier": {id2label, label2id}}.
void WriteModelType(const Model& model, JsonWriter& json) {
  const auto& classifier = model.folder().classifier;
  json.Key("model_type").BeginObject();
  if (!classifier) {
    json.Key("embedding").BeginObject().Key("pooling");
    model.info().pooling.empty() ? json.Null() : json.String(model.info().pooling);
  } else {
    const bool ranks = classifier->labels.size() == 1;
    json.Key(ranks ? "reranker" : "classifier").BeginObject().Key("id2label").BeginObject();
    for (std::size_t i = 0; i < classifier->labels.size(); ++i) {
      json.Key(std::to_string(i)).String(classifier->labels[i]);
    }
    json.EndObject().Key("label2id").BeginObject();
    for (std::size_t i = 0; i < classifier->labels.size(); ++i) {
      json.Key(classifier->labels[i]).Int(static_cast<int64_t>(i));
    }
    json.EndObject();
  }
  json.EndObject().EndObject();
}

/// What the model is for and gives, and how.
void WriteKind(const Model& model, JsonWriter& json) {
  const hub::ModelFolder& folder = model.folder();
  json.Key("task").String(hub::TaskName(folder.task)).Key("outputs").BeginArray();
  for (const std::string_view name : hub::OutputNames(model.info().outputs)) json.String(name);
  json.EndArray();
  if (folder.classifier) {
    json.Key("labels").BeginArray();
    for (const std::string& label : folder.classifier->labels) json.String(label);
    json.EndArray().Key("activation");
    json.String(hub::ScoreActivationName(folder.classifier->activation));
  }
  if (!model.info().outputs.Has(hub::Output::kDense)) return;
  json.Key("dimension").Int(model.info().dimension).Key("normalize").Bool(folder.normalize);
  json.Key("quantization").String(hub::QuantizationName(folder.quantization));
}

void WriteModelEntry(const Model& model, const std::string& name, int64_t created,
                     JsonWriter& json) {
  const std::string& root = model.served.name;
  json.BeginObject();
  json.Key("id").String(name).Key("object").String("model").Key("created").Int(created);
  json.Key("owned_by").String("parterre").Key("root").String(root).Key("parent");
  name == root ? json.Null() : json.String(root);
  json.Key("max_model_len").Int(model.info().max_length);
  WriteKind(model, json);
  json.EndObject();
}

}  // namespace

std::string RenderInfo(const ModelTable& models, const ApiLimits& limits,
                       const ServerInfo& server) {
  const Model& model = models.first();
  const wire::ModelInfo& info = model.info();
  std::string body;
  JsonWriter json(body);
  json.BeginObject();
  json.Key("model_id").String(model.folder().name).Key("model_sha").Null();
  json.Key("model_dtype").String(info.dtype).Key("served_model_name").String(model.served.name);
  WriteModelType(model, json);
  json.Key("max_concurrent_requests").Int(server.inputs_in_flight_max);
  json.Key("max_input_length").Int(info.max_length);
  json.Key("max_batch_tokens").Int(info.max_batch_tokens).Key("max_batch_requests").Null();
  json.Key("max_client_batch_size").Int(limits.items_max);
  json.Key("auto_truncate").Bool(limits.auto_truncate);
  json.Key("tokenization_workers").Int(server.text_threads);
  json.Key("version").String(server.version).Key("sha").Null().Key("docker_label").Null();
  json.Key("models").BeginArray();
  for (const auto& served : models.models()) json.String(served->served.name);
  json.EndArray();
  json.Key("family").String(info.family).Key("device").String(info.device);
  WriteKind(model, json);
  json.Key("vocabulary_size").Int(info.vocabulary_size);
  json.Key("fingerprint").String(info.fingerprint).Key("memory_bytes").Int(info.memory_bytes);
  WritePrompts(model, json);
  WriteBatching(info, json);
  json.EndObject();
  return body;
}

std::string RenderModels(const ModelTable& models, int64_t created) {
  std::string body;
  JsonWriter json(body);
  json.BeginObject();
  json.Key("object").String("list").Key("data").BeginArray();
  for (const auto& model : models.models()) {
    WriteModelEntry(*model, model->served.name, created, json);
    for (const std::string& alias : model->served.aliases) {
      WriteModelEntry(*model, alias, created, json);
    }
  }
  json.EndArray().EndObject();
  return body;
}

}  // namespace ivy
