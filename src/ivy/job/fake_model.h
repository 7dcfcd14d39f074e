#pragma once

#include <string>
#include <vector>

#include "ivy/job/fake_client.h"
#include "ivy/job/fake_tokenizer.h"
#include "ivy/job/served_model.h"

// For tests: a model that needs no files.

namespace ivy {

/// Folder, tokenizer and client together, named "fake" with the alias "alias": an embedding model
/// until Classify.
struct FakeModel {
  FakeModel() {
    folder.name = "fake-folder";
    folder.outputs = hub::Output::kDense;
    folder.normalize = true;
    folder.prompts = {{"query", "ask: now "}, {"empty", ""}};
  }

  /// Makes it a reranker (one label) or a classifier.
  void Classify(std::vector<std::string> labels, hub::ScoreActivation activation) {
    folder.task = labels.size() == 1 ? hub::Task::kReranking : hub::Task::kClassification;
    client.info().labels = static_cast<int32_t>(labels.size());
    client.info().dimension = 0;
    folder.classifier = {.labels = std::move(labels), .activation = activation};
    Give(hub::Output::kScores);
  }
  void Give(hub::Outputs outputs) { folder.outputs = client.info().outputs = outputs; }

  ServedModel Served() {
    return {.name = "fake",
            .aliases = {"alias"},
            .folder = &folder,
            .tokenizer = &tokenizer,
            .client = &client};
  }

  hub::ModelFolder folder;
  FakeTokenizer tokenizer;
  FakeClient client;
};

}  // namespace ivy
