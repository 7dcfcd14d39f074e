#include "rose/weights/torch_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "rose/weights/pickle.h"
#include "rose/weights/printable.h"
#include "rose/weights/strided_view.h"
#include "rose/weights/zip_directory.h"

namespace rose {
namespace {

using Bytes = std::span<const std::byte>;
using Kind = PickleObject::Kind;

constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";
constexpr std::size_t kExtentsMax = 64;  // torch's own bound.

struct ElementType {
  std::string_view dtype;  ///< As safetensors calls it.
  int64_t bytes = 0;
};

/// What a tensor is of: elements of a storage.
struct Storage {
  std::string path;
  Bytes bytes;
  ElementType type;
};

const std::map<std::string_view, ElementType> kStorages = {
    {"torch.FloatStorage", {"F32", 4}},     {"torch.HalfStorage", {"F16", 2}},
    {"torch.BFloat16Storage", {"BF16", 2}}, {"torch.DoubleStorage", {"F64", 8}},
    {"torch.LongStorage", {"I64", 8}},      {"torch.IntStorage", {"I32", 4}},
    {"torch.ShortStorage", {"I16", 2}},     {"torch.CharStorage", {"I8", 1}},
    {"torch.ByteStorage", {"U8", 1}},       {"torch.BoolStorage", {"BOOL", 1}}};

std::vector<std::string_view> KnownGlobals() {
  std::vector<std::string_view> globals = {"collections.OrderedDict", kRebuildTensor,
                                           kRebuildParameter};
  for (const auto& [name, type] : kStorages) globals.push_back(name);
  return globals;
}

// What torch.save wrote before version 1.6 began with a pickle of this number, or was a tar.
constexpr std::array kLegacyMagic = {std::byte{0x80}, std::byte{0x02}, std::byte{0x8a},
                                     std::byte{0x0a}, std::byte{0x6c}, std::byte{0xfc},
                                     std::byte{0x9c}, std::byte{0x46}};
constexpr std::size_t kTarMagicAt = 257;
constexpr std::string_view kTarMagic = "ustar";

bool IsLegacy(Bytes file) {
  if (file.size() >= kLegacyMagic.size() &&
      std::equal(kLegacyMagic.begin(), kLegacyMagic.end(), file.begin())) {
    return true;
  }
  return file.size() >= kTarMagicAt + kTarMagic.size() &&
         std::memcmp(file.data() + kTarMagicAt, kTarMagic.data(), kTarMagic.size()) == 0;
}

class TorchReader {
 public:
  TorchReader(ZipDirectory entries, std::string root, std::string_view file_name,
              std::size_t file_bytes)
      : entries_(std::move(entries)),
        root_(std::move(root)),
        file_name_(file_name),
        copied_bytes_left_(file_bytes) {}

  absl::StatusOr<std::vector<StoredTensor>> Read() {
    const auto order = entries_.find(root_ + "byteorder");
    if (order != entries_.end() && TextOf(order->second) != "little") {
      return Refuse("byteorder", fmt::format("expected \"little\", got \"{}\"",
                                             Printable(TextOf(order->second))));
    }
    const std::vector<std::string_view> globals = KnownGlobals();
    ASSIGN_OR_RETURN(const Pickle pickle,
                     Pickle::Parse(entries_.at(root_ + "data.pkl"), file_name_, globals));
    ASSIGN_OR_RETURN(const PickleObject* const dict, StateDict(pickle.root()));
    std::vector<StoredTensor> tensors;
    std::set<std::string_view> names;
    for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
      ASSIGN_OR_RETURN(StoredTensor tensor, ReadTensor(*dict->items[i], *dict->items[i + 1]));
      if (!names.insert(dict->items[i]->text).second) {
        return Refuse(tensor.name, "stands in the dict twice");
      }
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

 private:
  static std::string_view TextOf(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  absl::Status Refuse(std::string_view what, std::string_view problem) const {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}: {}", file_name_, Printable(what), problem));
  }

  absl::StatusOr<const PickleObject*> StateDict(const PickleObject& root) const {
    const PickleObject* dict = &root;
    for (std::size_t i = 0; root.kind == Kind::kDict && i + 1 < root.items.size(); i += 2) {
      if (root.items[i]->text == "state_dict") dict = root.items[i + 1];
    }
    if (dict->kind == Kind::kDict) return dict;
    return Refuse("pickle", "expected a dict of tensors by name");
  }

  absl::StatusOr<StoredTensor> ReadTensor(const PickleObject& key, const PickleObject& value) {
    if (key.kind != Kind::kString || !IsPrintable(key.text)) {
      return Refuse("pickle", "expected tensors by name, got a key that is no printable text");
    }
    const PickleObject* call = &value;
    if (IsCall(*call, kRebuildParameter) && !call->items[1]->items.empty()) {
      call = call->items[1]->items[0];
    }
    if (!IsCall(*call, kRebuildTensor)) return Refuse(key.text, "expected a tensor");
    return ReadArguments(key.text, call->items[1]->items);
  }

  static bool IsCall(const PickleObject& object, std::string_view global) {
    return object.kind == Kind::kCall && object.items[0]->text == global;
  }

  /// Storage, offset, shape, strides and what does not concern us.
  absl::StatusOr<StoredTensor> ReadArguments(std::string_view name,
                                             const std::vector<const PickleObject*>& arguments) {
    if (arguments.size() < 4 || arguments[0]->kind != Kind::kPersistent ||
        arguments[1]->kind != Kind::kInt) {
      return Refuse(name, "expected a storage, an offset, a shape and strides");
    }
    ASSIGN_OR_RETURN(const Storage storage, ReadStorage(name, *arguments[0]->items[0]));
    std::optional<std::vector<int64_t>> shape = Extents(*arguments[2]);
    std::optional<std::vector<int64_t>> strides = Extents(*arguments[3]);
    if (arguments[1]->integer < 0 || !shape || !strides || shape->size() != strides->size()) {
      return Refuse(name, "offset, shape, strides: expected numbers of 0 or more");
    }
    const StridedView view{.bytes = storage.bytes,
                           .element_bytes = storage.type.bytes,
                           .offset = arguments[1]->integer,
                           .shape = *std::move(shape),
                           .strides = *std::move(strides)};
    if (!view.IsWithinBytes()) {
      return Refuse(
          name, fmt::format("shape {} with strides {} from {} exceeds {}, {} elements", view.shape,
                            view.strides, view.offset, Printable(storage.path), view.capacity()));
    }
    return MakeTensor(name, storage, view);
  }

  /// The bytes as they lie in the file, if they can stay so.
  absl::StatusOr<StoredTensor> MakeTensor(std::string_view name, const Storage& storage,
                                          const StridedView& view) {
    StoredTensor tensor{
        .name = std::string(name), .dtype = std::string(storage.type.dtype), .shape = view.shape};
    if (const std::optional<Bytes> bytes = view.Contiguous()) {
      tensor.bytes = *bytes;
      return tensor;
    }
    const auto size = static_cast<std::size_t>(view.elements() * view.element_bytes);
    if (size > copied_bytes_left_) {
      return Refuse(name, "too many tensors that are no row-major part of their storage");
    }
    copied_bytes_left_ -= size;
    const auto copy = std::make_shared_for_overwrite<std::byte[]>(size);
    view.CopyTo(copy.get());
    tensor.bytes = {copy.get(), size};
    tensor.copy = copy;
    return tensor;
  }

  /// From the tuple that stands for it: "storage", its type, key, device, number of elements.
  absl::StatusOr<Storage> ReadStorage(std::string_view name, const PickleObject& id) const {
    if (id.kind != Kind::kTuple || id.items.size() != 5 || id.items[0]->text != "storage" ||
        !kStorages.contains(id.items[1]->text) || id.items[2]->kind != Kind::kString ||
        id.items[4]->kind != Kind::kInt) {
      return Refuse(name, "expected a storage of a known type");
    }
    Storage storage{.path = fmt::format("{}data/{}", root_, id.items[2]->text),
                    .bytes = {},
                    .type = kStorages.at(id.items[1]->text)};
    const auto entry = entries_.find(storage.path);
    if (entry == entries_.end()) {
      return Refuse(name, fmt::format("{} is not in the archive", Printable(storage.path)));
    }
    storage.bytes = entry->second;
    int64_t expected = 0;
    if (__builtin_mul_overflow(id.items[4]->integer, storage.type.bytes, &expected) ||
        expected != std::ssize(storage.bytes)) {
      return Refuse(name,
                    fmt::format("{}: {} bytes are not {} elements of {}", Printable(storage.path),
                                storage.bytes.size(), id.items[4]->integer, storage.type.dtype));
    }
    return storage;
  }

  static std::optional<std::vector<int64_t>> Extents(const PickleObject& tuple) {
    if (tuple.kind != Kind::kTuple || tuple.items.size() > kExtentsMax) return std::nullopt;
    std::vector<int64_t> extents;
    for (const PickleObject* item : tuple.items) {
      if (item->kind != Kind::kInt || item->integer < 0) return std::nullopt;
      extents.push_back(item->integer);
    }
    return extents;
  }

  ZipDirectory entries_;
  std::string root_;  ///< The archive's one folder, with its slash.
  std::string_view file_name_;
  std::size_t copied_bytes_left_;  ///< No more than the file is large.
};

}  // namespace

bool IsTorchFile(std::span<const std::byte> file) { return IsZip(file) || IsLegacy(file); }

absl::StatusOr<std::vector<StoredTensor>> ParseTorchFile(std::span<const std::byte> file,
                                                         std::string_view file_name) {
  if (IsLegacy(file)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: written in the format of torch before 1.6, expected that of torch 1.6 or "
                    "later, or safetensors",
                    file_name));
  }
  ASSIGN_OR_RETURN(ZipDirectory entries, ReadZipDirectory(file, file_name));
  constexpr std::string_view kPickle = "/data.pkl";
  for (const auto& [name, bytes] : entries) {
    if (name.find('/') == name.size() - kPickle.size() && name.ends_with(kPickle)) {
      std::string root(name.substr(0, name.find('/') + 1));
      return TorchReader(std::move(entries), std::move(root), file_name, file.size()).Read();
    }
  }
  return absl::InvalidArgumentError(
      fmt::format("{}: no data.pkl in the archive, expected what torch.save writes", file_name));
}

}  // namespace rose
