#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "completion.h"

namespace {

/// As a word of fish, whose single quotes know two escapes.
std::string Quoted(const std::string& text) {
  return fmt::format("'{}'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}));
}

/// `complete` for this command alone.
std::string Complete(const CommandDescription& command) {
  return fmt::format("complete -c parterre -n '__parterre_at {}'", command.name);
}

std::string Value(const FlagDescription& flag) {
  switch (WhatToOffer(flag)) {
    case Offer::kChoices:
      return fmt::format(" -x -a '{}'", fmt::join(flag.choices, " "));
    case Offer::kFiles:
      return " -r -F";
    case Offer::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::kNothing:
      break;
  }
  return " -x";
}

std::string Flag(const CommandDescription& command, const FlagDescription& flag) {
  std::string lines;
  if (!flag.names.empty()) {
    lines = Complete(command);
    for (const std::string& name : flag.names) {
      const bool is_long = name.starts_with("--");
      lines += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
    }
    if (!flag.value.empty()) lines += Value(flag);
    lines += fmt::format(" -d {}\n", Quoted(flag.help));
  }
  if (!flag.argument.empty()) {
    const Offer offer = WhatToOffer(flag);
    if (offer == Offer::kFolders) {
      lines += fmt::format("{} -a '(__fish_complete_directories)'\n", Complete(command));
    } else if (offer == Offer::kFiles) {
      lines += fmt::format("{} -F\n", Complete(command));
    }
  }
  return lines;
}

}  // namespace

std::string FishCompletion(const CommandDescription& program) {
  std::string lines;
  std::vector<std::string> below;
  for (const CommandDescription* command : AllCommands(program)) {
    for (const CommandDescription& sub : command->commands) {
      below.push_back(Quoted(sub.name));
      lines += fmt::format("{} -a {} -d {}\n", Complete(*command),
                           sub.name.substr(command->name.size() + 1), Quoted(sub.help));
    }
    for (const FlagDescription& flag : command->flags) lines += Flag(*command, flag);
  }
  return fmt::format(R"(# Completes parterre in fish.

function __parterre_at --description 'Whether the command line is at this command'
    set -l command parterre
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        switch "$command $word"
            case {}
                set command "$command $word"
        end
    end
    test "$command" = "$argv"
end

complete -c parterre -f
{})",
                     fmt::join(below, " "), lines);
}
