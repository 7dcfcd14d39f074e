#include "ivy/api/vector_format.h"

#include <fmt/format.h>

#include "ivy/api/render.h"
#include "ivy/http/cause.h"
#include "ivy/job/cut_vector.h"

namespace ivy {
namespace {

using Type = VectorFormat::Type;

struct TypeName {
  std::string_view name;
  Type type;
};
constexpr TypeName kTypeNames[] = {{"float", Type::kFloat},
                                   {"int8", Type::kInt8},
                                   {"uint8", Type::kUint8},
                                   {"binary", Type::kBinary},
                                   {"ubinary", Type::kUbinary}};

bool IsPacked(Type type) { return type == Type::kBinary || type == Type::kUbinary; }

bool RoundsItsOwn(const Model& model) {
  return model.folder().quantization == hub::Quantization::kTanhInt8;
}

absl::StatusOr<Type> ReadType(std::string_view name) {
  for (const TypeName& known : kTypeNames) {
    if (known.name == name) return known.type;
  }
  return Failure(
      Cause::kValidation, "output_dtype",
      fmt::format("expected \"float\", \"int8\", \"uint8\", \"binary\" or \"ubinary\", got \"{}\"",
                  Excerpt(name)));
}

absl::StatusOr<VectorFormat> ReadNames(const JsonBody& body) {
  ASSIGN_OR_RETURN(const auto encoding, body.String("encoding_format"));
  ASSIGN_OR_RETURN(const auto type, body.String("output_dtype"));
  VectorFormat format;
  if (type) {
    ASSIGN_OR_RETURN(format.type, ReadType(*type));
  }
  if (!encoding || *encoding == "float") return format;
  format.base64 = true;
  if (*encoding == "base64") return format;
  if (*encoding != "base64_int8" && *encoding != "base64_binary") {
    return Failure(Cause::kValidation, "encoding_format",
                   fmt::format("expected \"float\", \"base64\", \"base64_int8\" or "
                               "\"base64_binary\", got \"{}\"",
                               Excerpt(*encoding)));
  }
  if (type) {
    return Failure(Cause::kValidation, "output_dtype",
                   fmt::format("does not go with encoding_format {}", *encoding));
  }
  format.type = *encoding == "base64_int8" ? Type::kInt8 : Type::kUbinary;
  format.bit_order = BitOrder::kLowestFirst;
  return format;
}

/// int8 and uint8 of a model that does not round its own vectors.
absl::Status CheckRanges(const Job& job, std::string_view field) {
  const auto& ranges = job.model->served.int8_ranges;
  if (!ranges) {
    return Failure(Cause::kValidation, field,
                   "8-bit vectors of this model need the ranges of its values: start the server "
                   "with --int8-ranges FILE");
  }
  if (job.normalize && job.dimensions < job.model->info().dimension) {
    return Failure(Cause::kValidation, "dimensions",
                   fmt::format("8-bit vectors that are normalised must be whole, of {} components: "
                               "the ranges do not hold for what a cut makes of them",
                               job.model->info().dimension));
  }
  return absl::OkStatus();
}

absl::Status CheckOwnRounding(const JsonBody& body, const VectorFormat& format, Job& job) {
  if (format.type == Type::kUint8) {
    return Failure(Cause::kValidation, "output_dtype",
                   "this model rounds its vectors to int8, expected that, \"binary\" or "
                   "\"ubinary\"");
  }
  ASSIGN_OR_RETURN(const auto normalize, body.Bool("normalize"));
  if (normalize.value_or(false)) {
    return Failure(Cause::kValidation, "normalize",
                   "this model's rounded vectors are not normalised, expected false or nothing");
  }
  job.normalize = false;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VectorFormat> ReadVectorFormat(const JsonBody& body, Job& job) {
  ASSIGN_OR_RETURN(const VectorFormat format, ReadNames(body));
  if (format.type == Type::kFloat) return format;
  const char* field = body.Find("output_dtype") ? "output_dtype" : "encoding_format";
  if (!job.outputs.Has(hub::Output::kDense)) {
    return Failure(Cause::kValidation, field, "no dense output was asked for");
  }
  if (IsPacked(format.type) && job.dimensions % 8 != 0) {
    return Failure(Cause::kValidation, "dimensions",
                   fmt::format("8 components go into a byte, expected a multiple of 8, got {}",
                               job.dimensions));
  }
  if (RoundsItsOwn(*job.model)) {
    RETURN_IF_ERROR(CheckOwnRounding(body, format, job));
  } else if (!IsPacked(format.type)) {
    RETURN_IF_ERROR(CheckRanges(job, field));
  }
  return format;
}

std::size_t VectorWriter::PackedBytes() const {
  const auto components = static_cast<std::size_t>(job_.dimensions);
  if (format_.type == Type::kFloat) return components * sizeof(float);
  return IsPacked(format_.type) ? components / 8 : components;
}

std::size_t VectorWriter::BytesMax() const {
  if (format_.base64) return Base64Bytes(PackedBytes());
  if (format_.type == Type::kFloat)
    return FloatsBytesMax(static_cast<std::size_t>(job_.dimensions));
  return IntegersBytesMax(PackedBytes());
}

void VectorWriter::Append(std::span<const float> vector, std::string& out) {
  if (static_cast<std::size_t>(job_.dimensions) < vector.size()) {
    cut_.resize(static_cast<std::size_t>(job_.dimensions));
    CutVector(vector, job_.normalize, cut_);
    vector = cut_;
  }
  if (format_.type != Type::kFloat) return AppendQuantized(vector, out);
  format_.base64 ? AppendBase64(BytesOf(vector), out) : AppendFloats(vector, out);
}

void VectorWriter::AppendQuantized(std::span<const float> vector, std::string& out) {
  const bool own = RoundsItsOwn(*job_.model);
  bytes_.resize(PackedBytes());
  const std::span<uint8_t> bytes = bytes_;
  const std::span<int8_t> integers(reinterpret_cast<int8_t*>(bytes.data()), bytes.size());
  if (IsPacked(format_.type)) {
    PackBits(vector, /*zero_is_set=*/own, format_.bit_order, bytes);
    if (format_.type == Type::kBinary) {
      for (uint8_t& byte : bytes) byte ^= 0x80;  // less 128, as a signed byte
    }
  } else if (own) {
    QuantizeTanh(vector, integers);
  } else if (format_.type == Type::kInt8) {
    QuantizeRanges(vector, *job_.model->served.int8_ranges, integers);
  } else {
    QuantizeRanges(vector, *job_.model->served.int8_ranges, bytes);
  }
  if (format_.base64) return AppendBase64(bytes, out);
  const bool is_signed = format_.type == Type::kInt8 || format_.type == Type::kBinary;
  is_signed ? AppendIntegers(std::span<const int8_t>(integers), out)
            : AppendIntegers(std::span<const uint8_t>(bytes), out);
}

}  // namespace ivy
