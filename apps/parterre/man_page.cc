#include "man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "build_info.h"

namespace {

/// Text that roff takes for nothing else: no requests, no escapes, hyphens that can be copied.
std::string Text(const std::string& text) {
  std::string escaped = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"`", "\\(ga"}});
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string Bold(const std::string& text) { return fmt::format("\\fB{}\\fR", Text(text)); }
std::string Italic(const std::string& text) { return fmt::format("\\fI{}\\fR", Text(text)); }

/// A help line as it stands after "NAME -": without its capital, unless that is of a name.
std::string Uncapitalised(std::string text) {
  const bool is_word = text.size() > 1 && absl::ascii_islower(text[1]);
  if (is_word) text[0] = absl::ascii_tolower(text[0]);
  return text;
}

bool HasEnvironment(const CommandDescription& command) {
  return std::any_of(command.flags.begin(), command.flags.end(),
                     [](const FlagDescription& flag) { return !flag.environment.empty(); });
}

std::string Value(const FlagDescription& flag) {
  if (flag.choices.empty()) return Italic(flag.value);
  std::vector<std::string> choices;
  choices.reserve(flag.choices.size());
  for (const std::string& choice : flag.choices) choices.push_back(Bold(choice));
  return fmt::format("{}", fmt::join(choices, "|"));
}

std::string Synopsis(const CommandDescription& command) {
  std::string line = Bold(command.name) + " [" + Italic("OPTION") + " ...]";
  if (!command.commands.empty()) line += " " + Italic("COMMAND");
  for (const FlagDescription& flag : command.flags) {
    if (flag.argument.empty()) continue;
    const std::string argument = Italic(absl::AsciiStrToUpper(flag.argument));
    // Where it has flags too, these may say the same.
    line += flag.required && flag.names.empty() ? " " + argument : " [" + argument + "]";
  }
  return line;
}

std::string Flag(const FlagDescription& flag) {
  std::vector<std::string> names;
  if (!flag.argument.empty()) names.push_back(Italic(absl::AsciiStrToUpper(flag.argument)));
  for (const std::string& name : flag.names) names.push_back(Bold(name));
  std::string heading = fmt::format("{}", fmt::join(names, ", "));
  if (!flag.names.empty() && !flag.value.empty()) {
    heading += flag.value_optional ? fmt::format(" [{}]", Value(flag)) : " " + Value(flag);
  }
  std::string text = Text(flag.help) + ".\n";
  if (!flag.bounds.empty()) text += fmt::format("Range: {}.\n", Text(flag.bounds));
  if (flag.required) text += "Required.\n";
  if (!flag.default_value.empty()) text += fmt::format("Default: {}.\n", Bold(flag.default_value));
  if (!flag.environment.empty()) text += fmt::format("Variable: {}.\n", Text(flag.environment));
  return fmt::format(".TP\n{}\n{}", heading, text);
}

/// The flags by group, in the order in which the groups begin.
std::string Flags(const CommandDescription& command) {
  std::vector<std::string> groups;
  for (const FlagDescription& flag : command.flags) {
    if (std::find(groups.begin(), groups.end(), flag.group) == groups.end()) {
      groups.push_back(flag.group);
    }
  }
  std::string page = ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    if (group != groups.front()) page += fmt::format(".SS {}\n", Text(group));
    for (const FlagDescription& flag : command.flags) {
      if (flag.group == group) page += Flag(flag);
    }
  }
  return page;
}

std::string Subcommands(const CommandDescription& command) {
  std::string page;
  for (const CommandDescription& sub : command.commands) {
    page += fmt::format(".TP\n.BR {} (1)\n{}.\n", Text(ManPageName(sub)), Text(sub.help));
  }
  return page.empty() ? page : ".SH COMMANDS\n" + page;
}

constexpr std::string_view kSettings = R"(.SH SETTINGS
An option may also be given by the variable that is named with it, or by a key of its name, without
the dashes, in a file of options: that which
.B \-\-config
names, else
.I parterre.toml
in the working folder.
The command line comes before the environment, the environment before the file.
)";

constexpr std::string_view kEnvironment = R"(.SH ENVIRONMENT
.TP
.B PARTERRE_*
Options of the commands that serve; their pages name them.
.TP
.BR HF_HUB_CACHE ", " HF_HOME ", " HF_TOKEN ", " HF_ENDPOINT ", " HF_HUB_OFFLINE
Where models that are named by hub id come from and are kept, as for the Hugging Face tools.
.TP
.BR https_proxy ", " no_proxy
How hosts are reached that these name.
.SH EXIT STATUS
.TP
.B 0
What was asked for is done; a server was told to end by SIGTERM or SIGINT.
.TP
.B 1
A benchmark did not get its answers.
.TP
.B 2
A wrong option, file of options or model folder: one line on the error stream says which.
)";

std::string SeeAlso(const CommandDescription& command, const CommandDescription& program) {
  std::vector<std::string> pages;
  const std::string parent = command.name.substr(0, command.name.rfind(' '));
  for (const CommandDescription* other : AllCommands(program)) {
    if (other->name == parent || other->name.substr(0, other->name.rfind(' ')) == parent) {
      if (other->name != command.name) pages.push_back(Text(ManPageName(*other)));
    }
  }
  std::string page = ".SH SEE ALSO\n";
  for (const std::string& name : pages) {
    page += fmt::format(".BR {} (1){}\n", name, name == pages.back() ? "" : ",");
  }
  return page;
}

}  // namespace

std::string ManPageName(const CommandDescription& command) {
  return absl::StrReplaceAll(command.name, {{" ", "-"}});
}

std::string ManPage(const CommandDescription& command, const CommandDescription& program) {
  const std::string name = ManPageName(command);
  const bool is_program = &command == &program;
  std::string page = fmt::format(".TH {} 1 \"{}\" \"parterre {}\" \"User Commands\"\n",
                                 Text(absl::AsciiStrToUpper(name)), kCommitDate, PARTERRE_VERSION);
  page += fmt::format(".SH NAME\n{} \\- {}\n", Text(name), Text(Uncapitalised(command.help)));
  page += fmt::format(".SH SYNOPSIS\n{}\n", Synopsis(command));
  page += Subcommands(command) + Flags(command);
  if (HasEnvironment(command)) page += kSettings;
  if (is_program) page += kEnvironment;
  return page + SeeAlso(command, program);
}
