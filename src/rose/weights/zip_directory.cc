#include "rose/weights/zip_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "rose/weights/little_endian.h"
#include "rose/weights/printable.h"

namespace rose {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint64_t kLocalHeader = 0x04034b50;
constexpr uint64_t kCentralHeader = 0x02014b50;
constexpr uint64_t kEndRecord = 0x06054b50;
constexpr uint64_t kZip64EndRecord = 0x06064b50;
constexpr uint64_t kZip64Locator = 0x07064b50;
constexpr uint64_t kLocalHeaderBytes = 30;
constexpr uint64_t kCentralHeaderBytes = 46;
constexpr uint64_t kEndRecordBytes = 22;
constexpr uint64_t kZip64EndRecordBytes = 56;
constexpr uint64_t kZip64LocatorBytes = 20;
constexpr uint64_t kCommentBytesMax = 0xffff;
constexpr uint64_t kZip64Extra = 0x0001;
constexpr uint64_t kInZip64 = 0xffffffff;  ///< The field's value stands in the zip64 record.

uint64_t U16(Bytes bytes, uint64_t at) { return ReadLittleEndian(bytes.subspan(at), 2); }
uint64_t U32(Bytes bytes, uint64_t at) { return ReadLittleEndian(bytes.subspan(at), 4); }
uint64_t U64(Bytes bytes, uint64_t at) { return ReadLittleEndian(bytes.subspan(at), 8); }

bool HasSignature(Bytes bytes, uint64_t at, uint64_t signature, uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at && U32(bytes, at) == signature;
}

/// An entry as the central directory describes it.
struct Entry {
  std::string_view name;
  uint64_t size = 0;
  uint64_t stored_size = 0;
  uint64_t local_header = 0;
};

class DirectoryReader {
 public:
  DirectoryReader(Bytes file, std::string_view file_name) : file_(file), file_name_(file_name) {}

  absl::StatusOr<ZipDirectory> Read() const {
    ASSIGN_OR_RETURN(Bytes directory, FindDirectory());
    ZipDirectory entries;
    while (!directory.empty()) {
      ASSIGN_OR_RETURN(const Entry entry, ReadEntry(directory));
      ASSIGN_OR_RETURN(const Bytes bytes, FindBytes(entry));
      if (!entries.emplace(entry.name, bytes).second) {
        return Refuse(fmt::format("{} stands in the archive twice", Printable(entry.name)));
      }
    }
    return entries;
  }

 private:
  absl::Status Refuse(std::string_view problem) const {
    return absl::InvalidArgumentError(fmt::format("{}: zip: {}", file_name_, problem));
  }

  /// The central directory, by the end record: the last one that ends with the file.
  absl::StatusOr<Bytes> FindDirectory() const {
    const uint64_t size = file_.size();
    const uint64_t tail = std::min(size, kEndRecordBytes + kCommentBytesMax);
    for (uint64_t back = kEndRecordBytes; back <= tail; ++back) {
      const uint64_t at = size - back;
      if (!HasSignature(file_, at, kEndRecord, kEndRecordBytes)) continue;
      if (U16(file_, at + 20) != back - kEndRecordBytes) continue;
      const uint64_t directory_size = U32(file_, at + 12);
      const uint64_t directory_begin = U32(file_, at + 16);
      if (directory_begin == kInZip64 || directory_size == kInZip64) return FindZip64Directory(at);
      return Part(directory_begin, directory_size);
    }
    return Refuse("no end record: the file is cut off");
  }

  absl::StatusOr<Bytes> FindZip64Directory(uint64_t end_record) const {
    if (end_record < kZip64LocatorBytes ||
        !HasSignature(file_, end_record - kZip64LocatorBytes, kZip64Locator, kZip64LocatorBytes)) {
      return Refuse("no zip64 locator before the end record");
    }
    const uint64_t at = U64(file_, end_record - kZip64LocatorBytes + 8);
    if (!HasSignature(file_, at, kZip64EndRecord, kZip64EndRecordBytes)) {
      return Refuse("no zip64 end record where its locator says");
    }
    return Part(U64(file_, at + 48), U64(file_, at + 40));
  }

  absl::StatusOr<Bytes> Part(uint64_t begin, uint64_t size) const {
    if (begin <= file_.size() && size <= file_.size() - begin) return file_.subspan(begin, size);
    return Refuse(fmt::format("the directory, {} bytes from {}, lies outside the file's {} bytes",
                              size, begin, file_.size()));
  }

  /// Takes the first entry from the front of `directory`.
  absl::StatusOr<Entry> ReadEntry(Bytes& directory) const {
    if (!HasSignature(directory, 0, kCentralHeader, kCentralHeaderBytes)) {
      return Refuse("the directory is malformed");
    }
    const uint64_t name_bytes = U16(directory, 28);
    const uint64_t extra_bytes = U16(directory, 30);
    const uint64_t total = kCentralHeaderBytes + name_bytes + extra_bytes + U16(directory, 32);
    if (total > directory.size()) return Refuse("the directory is malformed");
    Entry entry{
        .name = {reinterpret_cast<const char*>(directory.data()) + kCentralHeaderBytes, name_bytes},
        .size = U32(directory, 24),
        .stored_size = U32(directory, 20),
        .local_header = U32(directory, 42)};
    const uint64_t flags = U16(directory, 8), method = U16(directory, 10);
    if (!ReadZip64(directory.subspan(kCentralHeaderBytes + name_bytes, extra_bytes), entry)) {
      return Refuse(fmt::format("{}: its zip64 field is malformed", Printable(entry.name)));
    }
    if (method != 0 || (flags & 1) != 0 || entry.size != entry.stored_size) {
      return Refuse(fmt::format("{} is compressed or encrypted, expected it stored as it is",
                                Printable(entry.name)));
    }
    directory = directory.subspan(total);
    return entry;
  }

  /// Fields that do not fit 32 bits stand one after the other in an extra field, in this order.
  static bool ReadZip64(Bytes extra, Entry& entry) {
    Bytes wide;
    while (extra.size() >= 4) {
      const uint64_t id = U16(extra, 0), size = U16(extra, 2);
      if (size > extra.size() - 4) return false;
      if (id == kZip64Extra) wide = extra.subspan(4, size);
      extra = extra.subspan(4 + size);
    }
    for (uint64_t* field : {&entry.size, &entry.stored_size, &entry.local_header}) {
      if (*field != kInZip64) continue;
      if (wide.size() < 8) return false;
      *field = U64(wide, 0);
      wide = wide.subspan(8);
    }
    return true;
  }

  /// The name and the extra field of the local header are of other lengths than the directory's:
  /// writers align the data with them.
  absl::StatusOr<Bytes> FindBytes(const Entry& entry) const {
    if (!HasSignature(file_, entry.local_header, kLocalHeader, kLocalHeaderBytes)) {
      return Refuse(fmt::format("{} is not where the directory says", Printable(entry.name)));
    }
    const uint64_t begin = entry.local_header + kLocalHeaderBytes +
                           U16(file_, entry.local_header + 26) +
                           U16(file_, entry.local_header + 28);
    if (begin > file_.size() || entry.size > file_.size() - begin) {
      return Refuse(fmt::format("{}, {} bytes from {}, lies outside the file's {} bytes",
                                Printable(entry.name), entry.size, begin, file_.size()));
    }
    return file_.subspan(begin, entry.size);
  }

  Bytes file_;
  std::string_view file_name_;
};

}  // namespace

bool IsZip(std::span<const std::byte> file) {
  return HasSignature(file, 0, kLocalHeader, kLocalHeaderBytes);
}

absl::StatusOr<ZipDirectory> ReadZipDirectory(std::span<const std::byte> file,
                                              std::string_view file_name) {
  return DirectoryReader(file, file_name).Read();
}

}  // namespace rose
