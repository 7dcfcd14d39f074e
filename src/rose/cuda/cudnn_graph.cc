#include "rose/cuda/cudnn_graph.h"

#include <cudnn_frontend.h>
#include <fmt/format.h>

#include <exception>
#include <string>
#include <unordered_map>
#include <utility>

// The one source that includes cuDNN's headers: they take half a minute to compile. They find
// cuDNN's functions through this handle.
namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;
}

namespace rose::cuda {
namespace {

namespace fe = cudnn_frontend;
using Attributes = fe::graph::Tensor_attributes;
using TensorPointer = std::shared_ptr<Attributes>;

/// How a call says which tensor is which. A tensor of offsets or lengths belongs to one other, so
/// the same memory goes by several names.
enum Uid : int64_t {
  kQ = 1,
  kK,
  kV,
  kOut,
  kQOffsets,
  kKOffsets,
  kVOffsets,
  kOutOffsets,
  kQLengths,
  kKvLengths,
};

TensorPointer Integers(fe::graph::Graph& graph, Uid uid, int64_t count) {
  return graph.tensor(Attributes()
                          .set_uid(uid)
                          .set_dim({count, 1, 1, 1})
                          .set_stride({1, 1, 1, 1})
                          .set_data_type(fe::DataType_t::INT32));
}

/// Rows of heads side by side, `row_stride` elements apart: [sequences, heads, tokens, head_dim].
void SetRows(const CudnnGraphKind& kind, Uid uid, int64_t heads, int64_t row_stride,
             const TensorPointer& offsets, Attributes& tensor) {
  tensor.set_uid(uid)
      .set_dim({kind.sequences, heads, kind.longest, kind.head_dim})
      .set_stride({kind.longest * row_stride, kind.head_dim, row_stride, 1})
      .set_ragged_offset(offsets);
}

void Describe(const CudnnGraphKind& kind, fe::graph::Graph& graph) {
  const int64_t out_stride = int64_t{kind.heads} * kind.head_dim;
  const int64_t qkv_stride = out_stride + int64_t{2} * kind.kv_heads * kind.head_dim;
  graph.set_io_data_type(fe::DataType_t::BFLOAT16)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  const auto offsets = [&](Uid uid) { return Integers(graph, uid, kind.sequences + 1); };
  const auto input = [&](Uid uid, Uid offsets_uid, int64_t heads) {
    Attributes tensor;
    SetRows(kind, uid, heads, qkv_stride, offsets(offsets_uid), tensor);
    return graph.tensor(tensor);
  };
  const TensorPointer q = input(kQ, kQOffsets, kind.heads);
  const TensorPointer k = input(kK, kKOffsets, kind.kv_heads);
  const TensorPointer v = input(kV, kVOffsets, kind.kv_heads);
  const auto [out, statistics] =
      graph.sdpa(q, k, v,
                 fe::graph::SDPA_attributes()
                     .set_generate_stats(false)
                     .set_attn_scale(kind.scale)
                     .set_causal_mask(kind.mask == AttentionMask::kCausal)
                     .set_padding_mask(true)
                     .set_seq_len_q(Integers(graph, kQLengths, kind.sequences))
                     .set_seq_len_kv(Integers(graph, kKvLengths, kind.sequences)));
  SetRows(kind, kOut, kind.heads, out_stride, offsets(kOutOffsets), out->set_output(true));
}

/// Calls of the headers may throw, where a function is missing.
template <typename Call>
absl::Status Guarded(const Call& call) {
  try {
    fe::error_t error = call();
    if (error.is_good()) return absl::OkStatus();
    return absl::InternalError(error.get_message());
  } catch (const std::exception& exception) {
    return absl::InternalError(exception.what());
  }
}

}  // namespace

struct CudnnGraph::Plan {
  fe::graph::Graph graph;
};

CudnnGraph::CudnnGraph(const CudnnLibrary& library)
    : library_(library), plan_(std::make_unique<Plan>()) {}

CudnnGraph::~CudnnGraph() = default;

absl::StatusOr<std::unique_ptr<CudnnGraph>> CudnnGraph::Build(const CudnnLibrary& library,
                                                              const CudnnGraphKind& kind) {
  [[maybe_unused]] static void* const once = fe::cudnn_dlhandle = library.shared_object();
  std::unique_ptr<CudnnGraph> built(new CudnnGraph(library));
  fe::graph::Graph& graph = built->plan_->graph;
  const absl::Status status = Guarded([&] {
    Describe(kind, graph);
    fe::error_t error = graph.build(library.handle(), {fe::HeurMode_t::A});
    return error.is_good() ? graph.get_workspace_size(built->workspace_bytes_) : error;
  });
  if (status.ok()) return built;
  return absl::FailedPreconditionError(
      fmt::format("cuDNN {} makes no plan for {} sequences of up to {} tokens: {}",
                  library.version(), kind.sequences, kind.longest, std::string(status.message())));
}

absl::Status CudnnGraph::Run(cudaStream_t stream, const Memory& memory) const {
  RETURN_IF_ERROR(library_.SetStream(stream));
  const auto pointer = [](const void* data) { return const_cast<void*>(data); };
  void* const qkv_offsets = pointer(memory.qkv_offsets);
  void* const lengths = pointer(memory.lengths);
  std::unordered_map<int64_t, void*> pointers = {
      {kQ, pointer(memory.q)},  {kK, pointer(memory.k)},
      {kV, pointer(memory.v)},  {kOut, memory.out},
      {kQOffsets, qkv_offsets}, {kKOffsets, qkv_offsets},
      {kVOffsets, qkv_offsets}, {kOutOffsets, pointer(memory.out_offsets)},
      {kQLengths, lengths},     {kKvLengths, lengths}};
  return Guarded(
      [&] { return plan_->graph.execute(library_.handle(), pointers, memory.workspace); });
}

}  // namespace rose::cuda
