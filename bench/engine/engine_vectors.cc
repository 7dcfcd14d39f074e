// Runs one batch of token ids through an engine and writes the dense vectors. Files are
// little-endian: in: int32 sequences, int32 tokens, int32 cu_seqlens[sequences + 1], int32
// ids[tokens]; out: float32 [sequences × columns].
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "hub/model_folder.h"
#include "rose/runtime/engine.h"

namespace {

struct Options {
  std::string model;
  std::string in;
  std::string out;
  bool normalize = true;
  int repeat = 3;
  rose::EngineOptions engine;
};

struct Input {
  std::vector<int32_t> cu_seqlens;
  std::vector<int32_t> ids;
};

absl::StatusOr<Input> ReadInput(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto read = [&](std::vector<int32_t>& values) {
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(int32_t)));
  };
  std::vector<int32_t> counts(2);
  read(counts);
  if (!file || counts[0] < 1 || counts[1] < counts[0]) {
    return absl::InvalidArgumentError(fmt::format("--in {}: no batch", path));
  }
  Input input;
  input.cu_seqlens.resize(static_cast<std::size_t>(counts[0]) + 1);
  input.ids.resize(static_cast<std::size_t>(counts[1]));
  read(input.cu_seqlens);
  read(input.ids);
  if (!file) return absl::InvalidArgumentError(fmt::format("--in {}: it ends early", path));
  return input;
}

absl::Status Run(Options options) {
  ASSIGN_OR_RETURN(const Input input, ReadInput(options.in));
  ASSIGN_OR_RETURN(const hub::ModelFolder folder, hub::Open(options.model, {}));
  options.engine.max_batch_tokens = static_cast<int64_t>(input.ids.size());
  options.engine.measure_curve = false;
  ASSIGN_OR_RETURN(const auto engine, rose::Engine::Create(folder, options.engine));
  const std::vector<uint8_t> normalize(input.cu_seqlens.size() - 1, options.normalize ? 1 : 0);
  const rose::Batch batch = {.ids = input.ids,
                             .type_ids = {},
                             .cu_seqlens = input.cu_seqlens,
                             .prompt_lengths = {},
                             .normalize = normalize,
                             .outputs = hub::Output::kDense};
  // A GPU runs the first step by itself, captures the second and replays it from then on.
  std::vector<float> vectors;
  for (int i = 0; i < options.repeat; ++i) {
    const auto step = engine->Step(batch);
    const rose::OutputRows rows = step->Wait()[hub::Output::kDense];
    vectors.assign(rows.values.begin(), rows.values.end());
  }
  std::ofstream file(options.out, std::ios::binary);
  file.write(reinterpret_cast<const char*>(vectors.data()),
             static_cast<std::streamsize>(vectors.size() * sizeof(float)));
  file.close();
  return file ? absl::OkStatus()
              : absl::UnavailableError(fmt::format("--out {}: cannot be written", options.out));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"The dense vectors of a batch of token ids"};
  app.add_option("--model", options.model, "model folder")->required();
  app.add_option("--in", options.in, "the batch")->required();
  app.add_option("--out", options.out, "the vectors")->required();
  app.add_option("--device", options.engine.device, "cpu or cuda:N")->capture_default_str();
  app.add_option("--dtype", options.engine.dtype, "float32 or bfloat16")->capture_default_str();
  app.add_option("--attention", options.engine.attention, "its backend")->capture_default_str();
  app.add_option("--cuda-graphs", options.engine.cuda_graphs)->capture_default_str();
  app.add_option("--normalize", options.normalize, "to unit length")->capture_default_str();
  app.add_option("--repeat", options.repeat, "runs; the last one's vectors are written")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = Run(options); !status.ok()) {
    fmt::print(stderr, "engine_vectors: {}\n", std::string(status.message()));
    return 2;
  }
}
