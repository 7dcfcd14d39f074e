#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "completion.h"

namespace {

using Commands = std::vector<const CommandDescription*>;

/// Patterns of a case, of words that are quoted.
std::string Patterns(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  quoted.reserve(words.size());
  for (const std::string& word : words) quoted.push_back(ShellQuoted(word));
  return fmt::format("{}", fmt::join(quoted, " | "));
}

/// What finds the completions of a value.
std::string Generator(const FlagDescription& flag) {
  switch (WhatToOffer(flag)) {
    case Offer::kChoices:
      return fmt::format("_parterre_words \"$word\" {}", fmt::join(flag.choices, " "));
    case Offer::kFiles:
      return "_parterre_paths -f \"$word\"";
    case Offer::kFolders:
      return "_parterre_paths -d \"$word\"";
    case Offer::kNothing:
      break;
  }
  return ":";
}

std::string Walk(const Commands& commands) {
  std::vector<std::string> below;
  for (const CommandDescription* command : commands) {
    for (const CommandDescription& sub : command->commands) below.push_back(sub.name);
  }
  return fmt::format(R"(
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {})
        command+=" ${{COMP_WORDS[i]}}"
        ;;
    esac
  done
)",
                     Patterns(below));
}

/// One arm for all flags whose values are found in one way.
std::string Values(const Commands& commands) {
  std::map<std::string, std::vector<std::string>> flags_of;
  for (const CommandDescription* command : commands) {
    for (const FlagDescription& flag : command->flags) {
      if (flag.value.empty()) continue;
      for (const std::string& name : flag.names) {
        flags_of[Generator(flag)].push_back(fmt::format("{} {}", command->name, name));
      }
    }
  }
  std::string arms;
  for (const auto& [generator, flags] : flags_of) {
    arms += fmt::format("    {})\n      {}\n      return\n      ;;\n", Patterns(flags), generator);
  }
  return fmt::format("  case \"$command $before\" in\n{}  esac\n", arms);
}

/// Where no flag's value is asked for: flags, subcommands, or what stands without a flag.
std::string Words(const CommandDescription& command) {
  std::vector<std::string> flags;
  std::vector<std::string> commands;
  std::string argument = ":";
  for (const FlagDescription& flag : command.flags) {
    flags.insert(flags.end(), flag.names.begin(), flag.names.end());
    if (!flag.argument.empty()) argument = Generator(flag);
  }
  commands.reserve(command.commands.size());
  for (const CommandDescription& sub : command.commands) {
    commands.push_back(sub.name.substr(command.name.size() + 1));
  }
  if (!commands.empty()) {
    argument = fmt::format("_parterre_words \"$word\" {}", fmt::join(commands, " "));
  }
  return fmt::format("    '{} -') _parterre_words \"$word\" {} ;;\n    '{} ') {} ;;\n",
                     command.name, fmt::join(flags, " "), command.name, argument);
}

constexpr std::string_view kHead = R"(# Completes parterre in bash.

_parterre_words() {
  mapfile -t COMPREPLY < <(compgen -W "${*:2}" -- "$1")
}

_parterre_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_parterre() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=parterre i
  COMPREPLY=()
  # --flag=value comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

}  // namespace

std::string BashCompletion(const CommandDescription& program) {
  const Commands commands = AllCommands(program);
  std::string script(kHead);
  script += Walk(commands);
  script += Values(commands);
  script += "  [[ $word == -* ]] && command+=' -' || command+=' '\n  case $command in\n";
  for (const CommandDescription* command : commands) script += Words(*command);
  return script + "  esac\n}\n\ncomplete -F _parterre parterre\n";
}
