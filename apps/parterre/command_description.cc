#include "command_description.h"

#include <regex>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace {

/// A bound that only keeps numbers from overflowing is none to tell of.
std::string Bounds(const std::string& low, const std::string& high) {
  if (std::stod(high) >= 1 << 30) return absl::StrCat("at least ", low);
  return absl::StrCat(low, " to ", high);
}

/// Takes apart what CLI11 joins: the name of the value, and what its checks say of themselves.
void DescribeValue(const std::string& type, FlagDescription& flag) {
  static const std::regex kChoices(R"((.*):\{(.*)\})");
  static const std::regex kBounds(R"((.*):(?:INT|UINT|FLOAT) in \[(\S+) - (\S+)\])");
  std::smatch match;
  if (std::regex_match(type, match, kChoices)) {
    flag.choices = absl::StrSplit(match[2].str(), ',');
  } else if (std::regex_match(type, match, kBounds)) {
    flag.bounds = Bounds(match[2].str(), match[3].str());
  }
  flag.value = match.empty() ? type : match[1].str();
}

FlagDescription DescribeFlag(const CLI::Option& option) {
  FlagDescription flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  if (option.get_positional()) flag.argument = option.get_name(/*positional=*/true);
  if (option.get_type_size_max() > 0) DescribeValue(option.get_type_name(), flag);
  if (flag.value == "BOOL") flag.choices = {"true", "false"};
  flag.help = option.get_description();
  flag.default_value = option.get_default_str();
  if (flag.default_value.starts_with('[')) {  // Of a list, which is typed without brackets.
    flag.default_value = flag.default_value.substr(1, flag.default_value.size() - 2);
  }
  flag.environment = option.get_envname();
  flag.group = option.get_group();
  flag.required = option.get_required();
  flag.value_optional = option.get_items_expected_min() == 0;
  flag.repeats = option.get_items_expected_max() > 1;
  return flag;
}

CommandDescription DescribeCommand(const CLI::App& app, const std::string& name) {
  CommandDescription command{.name = name, .help = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    command.flags.push_back(DescribeFlag(*option));
  }
  for (const CLI::App* subcommand : app.get_subcommands(nullptr)) {
    command.commands.push_back(
        DescribeCommand(*subcommand, absl::StrCat(name, " ", subcommand->get_name())));
  }
  return command;
}

}  // namespace

CommandDescription Describe(const CLI::App& app) { return DescribeCommand(app, app.get_name()); }

std::vector<const CommandDescription*> AllCommands(const CommandDescription& program) {
  std::vector<const CommandDescription*> all = {&program};
  for (const CommandDescription& command : program.commands) {
    const std::vector<const CommandDescription*> below = AllCommands(command);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}
