#include "manual.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "completion.h"
#include "man_page.h"

namespace {

absl::Status Write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (file) return absl::OkStatus();
  return absl::UnavailableError(path.string() + ": cannot be written");
}

}  // namespace

absl::Status RunManual(const ManualOptions& options) {
  std::map<std::string, std::string> files = {{"parterre.bash", BashCompletion(options.program)},
                                              {"_parterre", ZshCompletion(options.program)},
                                              {"parterre.fish", FishCompletion(options.program)}};
  for (const CommandDescription* command : AllCommands(options.program)) {
    files[absl::StrCat("man1/", ManPageName(*command), ".1")] = ManPage(*command, options.program);
  }
  const std::filesystem::path folder = options.folder;
  std::error_code error;
  std::filesystem::create_directories(folder / "man1", error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat(options.folder, ": cannot be made: ", error.message()));
  }
  for (const auto& [name, text] : files) RETURN_IF_ERROR(Write(folder / name, text));
  return absl::OkStatus();
}
