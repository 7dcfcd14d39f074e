#pragma once

#include <span>
#include <string>

#include "ivy/api/json_body.h"
#include "ivy/api/quantize.h"
#include "ivy/job/job.h"

namespace ivy {

/// How a dense vector is written.
struct VectorFormat {
  enum class Type { kFloat, kInt8, kUint8, kBinary, kUbinary };
  Type type = Type::kFloat;
  bool base64 = false;  ///< Of the bytes, in one string; else a list of numbers.
  BitOrder bit_order = BitOrder::kHighestFirst;
};

/// encoding_format (float, base64, and Perplexity's base64_int8, base64_binary) and output_dtype
/// (float, int8, uint8, binary, ubinary), checked against the job's model, dimensions and
/// normalize, which have been read. A model that rounds its own vectors gives them whole: for it
/// job.normalize becomes false where anything but floats is asked for.
absl::StatusOr<VectorFormat> ReadVectorFormat(const JsonBody& body, Job& job);

/// Writes vectors of one job; one thread.
class VectorWriter {
 public:
  /// Both outlive this.
  VectorWriter(const Job& job, const VectorFormat& format) : job_(job), format_(format) {}

  /// Appends the vector, cut to the job's dimensions.
  void Append(std::span<const float> vector, std::string& out);
  /// Upper bound of what one Append appends.
  std::size_t BytesMax() const;

 private:
  void AppendQuantized(std::span<const float> vector, std::string& out);
  std::size_t PackedBytes() const;

  const Job& job_;
  const VectorFormat& format_;
  std::vector<float> cut_;
  std::vector<uint8_t> bytes_;
};

}  // namespace ivy
