#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "absl/strings/str_replace.h"
#include "completion.h"

namespace {

/// The function that completes a command: _parterre_bench_open.
std::string Function(const std::string& command) {
  return "_" + absl::StrReplaceAll(command, {{" ", "_"}});
}

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}, {"`", "\\`"}, {"$", "\\$"}});
}

std::string Action(const FlagDescription& flag) {
  switch (WhatToOffer(flag)) {
    case Offer::kChoices:
      return fmt::format("({})", fmt::join(flag.choices, " "));
    case Offer::kFiles:
      return "_files";
    case Offer::kFolders:
      return "_directories";
    case Offer::kNothing:
      break;
  }
  return " ";
}

/// A word of _arguments for each name of a flag. Names of one flag exclude each other, unless it
/// may be repeated.
std::string Specs(const FlagDescription& flag) {
  const std::string others = flag.repeats ? "*" : fmt::format("({})", fmt::join(flag.names, " "));
  std::string value;
  if (!flag.value.empty()) {
    value =
        fmt::format("{}{}:{}", flag.value_optional ? "::" : ":", Escaped(flag.value), Action(flag));
  }
  std::string specs;
  for (const std::string& name : flag.names) {
    const std::string_view joint = name.starts_with("--") ? "=" : "+";
    const std::string spec = fmt::format("{}{}{}[{}]{}", others, name, value.empty() ? "" : joint,
                                         Escaped(flag.help), value);
    specs += fmt::format(" \\\n    {}", ShellQuoted(spec));
  }
  if (!flag.argument.empty()) {
    const std::string spec =
        fmt::format("{}:{}:{}", flag.repeats ? "*" : "", Escaped(flag.argument), Action(flag));
    specs += fmt::format(" \\\n    {}", ShellQuoted(spec));
  }
  return specs;
}

constexpr std::string_view kDeclarations =
    "  local curcontext=$curcontext context state state_descr line\n"
    "  typeset -A opt_args\n";

/// Completes a subcommand's name, then hands the rest to the subcommand's function.
std::string Subcommands(const CommandDescription& command) {
  std::string names;
  std::string arms;
  for (const CommandDescription& sub : command.commands) {
    const std::string name = sub.name.substr(command.name.size() + 1);
    names += fmt::format("        {}\n",
                         ShellQuoted(fmt::format("{}:{}", Escaped(name), Escaped(sub.help))));
    arms += fmt::format("        {}) {} ;;\n", name, Function(sub.name));
  }
  return fmt::format(R"( \
    '1: :->command' '*:: :->arguments'
  case $state in
    command)
      local -a commands=(
{})
      _describe command commands
      ;;
    arguments)
      case $line[1] in
{}      esac
      ;;
  esac
)",
                     names, arms);
}

}  // namespace

std::string ZshCompletion(const CommandDescription& program) {
  std::string script = "#compdef parterre\n# Completes parterre in zsh.\n";
  for (const CommandDescription* command : AllCommands(program)) {
    script += fmt::format("\n{}() {{\n{}  _arguments -C", Function(command->name), kDeclarations);
    for (const FlagDescription& flag : command->flags) script += Specs(flag);
    script += command->commands.empty() ? "\n" : Subcommands(*command);
    script += "}\n";
  }
  return script + R"(
if [[ $funcstack[1] == _parterre ]]; then
  _parterre "$@"
else
  compdef _parterre parterre
fi
)";
}
