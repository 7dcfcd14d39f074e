#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string_view>

#include "common/status.h"

namespace rose {

/// A zip archive's entries: their bytes within the file, by name.
using ZipDirectory = std::map<std::string_view, std::span<const std::byte>>;

/// Whether a file begins as a zip archive does.
bool IsZip(std::span<const std::byte> file);

/// Reads the directory of an archive whose entries are stored as they are (APPNOTE.TXT 6.3.10,
/// sections 4.3 and 4.5.3: zip64 too). A compressed or encrypted entry, one that stands there
/// twice and one that lies outside the file are InvalidArgument, behind `file_name`.
absl::StatusOr<ZipDirectory> ReadZipDirectory(std::span<const std::byte> file,
                                              std::string_view file_name);

}  // namespace rose
