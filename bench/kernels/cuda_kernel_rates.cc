// cuda_kernel_rates: how fast the CUDA kernels of rows are at the sizes of real models. One line a
// kernel and count of rows: µs of a launch among 20 in a CUDA graph, with plain edges and with
// overlapping ones, and its bytes per second beside those of a copy. Up to some 4096 rows the data
// stay in the second-level cache.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bench/kernels/rate_table.h"
#include "rose/kernels/activate.h"
#include "rose/kernels/embed.h"
#include "rose/kernels/head_norm_rope.h"
#include "rose/kernels/norm.h"
#include "rose/kernels/pool.h"

namespace bench {
namespace {

using rose::Activation;
using rose::NormKind;
using rose::NormParams;
using rose::PoolingMode;
using rose::Tensor;
using rose::kernels::Launch;
using rose::kernels::Lookup;

constexpr int64_t kRowCounts[] = {16, 128, 512, 4096, 51200};
constexpr int64_t kRowsMax = 51200;

NormParams MakeNorm(DeviceMemory& memory, NormKind kind, int64_t cols) {
  const std::vector<float> values(static_cast<std::size_t>(cols), 0.5f);
  return {.kind = kind,
          .weight = memory.Vector(values),
          .bias = kind == NormKind::kLayer ? memory.Vector(values) : Tensor{},
          .epsilon = 1e-6f};
}

void TimeNorms(DeviceMemory& memory, RateTable& table) {
  for (const int64_t cols : {384, 768, 1024}) {
    const NormParams layer = MakeNorm(memory, NormKind::kLayer, cols);
    const NormParams rms = MakeNorm(memory, NormKind::kRms, cols);
    for (const int64_t rows : kRowCounts) {
      const Tensor x = memory.At(0, rows, cols), y = memory.At(1, rows, cols);
      const Tensor out = memory.At(2, rows, cols);
      const auto print = [&](const char* name, int passes, const auto& enqueue) {
        table.Print(fmt::format("{} {}", name, cols), rows, passes * x.bytes(), enqueue);
      };
      print("norm, RMS", 2, [&](const Launch& launch) { return Norm(launch, rms, x, out); });
      print("norm, layer", 2, [&](const Launch& launch) { return Norm(launch, layer, x, out); });
      print("norm of a sum, layer", 3,
            [&](const Launch& launch) { return AddNorm(launch, layer, x, y, out); });
      print("norm of a residual, RMS", 4,
            [&](const Launch& launch) { return ResidualNorm(launch, rms, y, x, out); });
    }
  }
}

void TimeEmbeddings(DeviceMemory& memory, RateTable& table) {
  constexpr int64_t kWords = 150000, kPositions = 512;
  std::vector<int32_t> ids(kRowsMax), position_ids(kRowsMax);
  for (int64_t i = 0; i < kRowsMax; ++i) {
    ids[i] = static_cast<int32_t>(i * 7919 % kWords);
    position_ids[i] = static_cast<int32_t>(i % kPositions);
  }
  const int32_t* device_ids = memory.Array(ids);
  const int32_t* device_positions = memory.Array(position_ids);
  for (const int64_t cols : {384, 1024}) {
    const NormParams norm = MakeNorm(memory, NormKind::kLayer, cols);
    const Lookup words{memory.At(0, kWords, cols), device_ids};
    const Lookup positions{memory.At(1, kPositions, cols), device_positions};
    for (const int64_t rows : kRowCounts) {
      const Tensor out = memory.At(2, rows, cols);
      table.Print(fmt::format("embedding {}", cols), rows, 2 * out.bytes(),
                  [&](const Launch& launch) { return Embed(launch, words, false, out); });
      table.Print(fmt::format("norm of embeddings {}", cols), rows, 2 * out.bytes(),
                  [&](const Launch& launch) {
                    return EmbedNorm(launch, words, positions, Lookup{}, norm, out);
                  });
    }
  }
}

void TimeActivations(DeviceMemory& memory, RateTable& table) {
  struct Shape {
    const char* name;
    Activation activation;
    int64_t cols;
    bool gate;
  };
  for (const auto& [name, activation, cols, gate] :
       {Shape{"gate, SiLU", Activation::kSilu, 3072, true},
        Shape{"gate, GELU", Activation::kGelu, 1152, true},
        Shape{"GELU", Activation::kGelu, 1536, false},
        Shape{"GELU", Activation::kGelu, 3072, false},
        Shape{"GELU", Activation::kGelu, 4096, false},
        Shape{"ln(1 + max(x, 0))", Activation::kLog1pRelu, 30522, false}}) {
    const Tensor bias = memory.At(1, 1, cols);
    for (const int64_t rows : kRowCounts) {
      if (rows * cols > int64_t{400} << 20) continue;
      const Tensor x = memory.At(0, rows, gate ? 2 * cols : cols), out = memory.At(2, rows, cols);
      const auto enqueue = [&, gate = gate, activation = activation](const Launch& launch) {
        return gate ? Gate(launch, activation, x, out) : Activate(launch, activation, bias, x);
      };
      table.Print(fmt::format("{} {}", name, cols), rows, (gate ? 3 : 2) * out.bytes(), enqueue);
    }
  }
  for (const int64_t rows : kRowCounts) {
    const Tensor x = memory.At(0, rows, 1024), y = memory.At(1, rows, 1024);
    table.Print("sum 1024", rows, 3 * x.bytes(),
                [&](const Launch& launch) { return Add(launch, x, y, memory.At(2, rows, 1024)); });
  }
}

void TimeHeads(DeviceMemory& memory, RateTable& table) {
  struct Shape {
    const char* of;
    int64_t heads, kv_heads;
    int head_dim;
  };
  constexpr int64_t kPositions = 512;
  std::vector<int32_t> position_ids(kRowsMax);
  for (int64_t i = 0; i < kRowsMax; ++i) position_ids[i] = static_cast<int32_t>(i % kPositions);
  const int32_t* positions = memory.Array(position_ids);
  for (const Shape& shape : {Shape{"Qwen3", 16, 8, 128}, Shape{"ModernBERT", 12, 12, 64}}) {
    const rose::RopeParams rope{
        .table = memory.At(1, kPositions, shape.head_dim, rose::DType::kFloat32),
        .head_dim = shape.head_dim,
        .rotary_dim = shape.head_dim};
    const NormParams norm = MakeNorm(memory, NormKind::kRms, shape.head_dim);
    const int64_t turned = shape.heads + shape.kv_heads;
    const rose::HeadNormRopeParams heads = {
        .q_norm = norm,
        .k_norm = norm,
        .rope = rope,
        .position_ids = {positions, static_cast<std::size_t>(kRowsMax)},
        .heads = shape.heads,
        .kv_heads = shape.kv_heads};
    for (const int64_t rows : kRowCounts) {
      const Tensor qkv = memory.At(0, rows, (turned + shape.kv_heads) * shape.head_dim);
      const int64_t bytes = 2 * memory.At(0, rows, turned * shape.head_dim).bytes();
      table.Print(fmt::format("norm and rope, {}", shape.of), rows, bytes,
                  [&](const Launch& launch) { return HeadNormRope(launch, heads, qkv); });
      table.Print(fmt::format("rope, {}", shape.of), rows, bytes,
                  [&](const Launch& launch) { return Rope(launch, rope, positions, turned, qkv); });
    }
  }
}

void TimePoolings(DeviceMemory& memory, RateTable& table) {
  struct Mode {
    const char* name;
    PoolingMode mode;
  };
  struct Lengths {
    int32_t sequences, tokens;
  };
  constexpr int64_t kCols = 1024;
  for (const auto& [name, mode] :
       {Mode{"first token", PoolingMode::kCls}, Mode{"last token", PoolingMode::kLastToken},
        Mode{"mean", PoolingMode::kMean}, Mode{"largest", PoolingMode::kMax}}) {
    for (const auto& [sequences, tokens] : {Lengths{1, 32}, Lengths{1, 512}, Lengths{32, 128},
                                            Lengths{100, 512}, Lengths{1, 32768}}) {
      std::vector<int32_t> cu_seqlens(static_cast<std::size_t>(sequences) + 1);
      for (int32_t s = 0; s <= sequences; ++s) cu_seqlens[s] = s * tokens;
      const int32_t* bounds = memory.Array(cu_seqlens);
      const Tensor x = memory.At(0, int64_t{sequences} * tokens, kCols);
      const Tensor out = memory.At(2, sequences, kCols, rose::DType::kFloat32);
      const bool one = mode == PoolingMode::kCls || mode == PoolingMode::kLastToken;
      const int64_t bytes = (one ? x.bytes() / tokens : x.bytes()) + out.bytes();
      table.Print(fmt::format("{} of {} x {}, to 1", name, sequences, tokens), x.rows, bytes,
                  [&, mode = mode](const Launch& launch) {
                    return PoolNormalize(launch, mode, x, bounds, nullptr, nullptr, out);
                  });
    }
  }
  const int32_t* bounds = memory.Array(std::vector<int32_t>{0, 100, 300, 512});
  const Tensor x = memory.At(0, 512, 30522), out = memory.At(2, 3, 30522, rose::DType::kFloat32);
  table.Print("largest of a block, 3 of 30522", x.rows, x.bytes(), [&](const Launch& launch) {
    return PoolBlock(launch, PoolingMode::kMax, x, /*first_row=*/0, bounds, out);
  });
}

struct Kind {
  const char* name;
  void (*time)(DeviceMemory& memory, RateTable& table);
};
constexpr Kind kKinds[] = {{"norm", TimeNorms},
                           {"embed", TimeEmbeddings},
                           {"activate", TimeActivations},
                           {"heads", TimeHeads},
                           {"pool", TimePoolings}};

}  // namespace
}  // namespace bench

/// Arguments: names of kinds, or none for all.
int main(int argc, char** argv) {
  constexpr int64_t kSlotBytes = int64_t{1} << 30;
  bench::DeviceMemory memory(kSlotBytes);
  bench::RateTable table(memory.CopyRate());
  for (const bench::Kind& kind : bench::kKinds) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::strcmp(argv[i], kind.name) == 0;
    if (wanted) kind.time(memory, table);
  }
  return 0;
}
