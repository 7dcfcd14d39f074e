#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// What the flag tables say, in plain words: what manual pages and completions are made from.

struct FlagDescription {
  std::vector<std::string> names;    ///< As they are typed: -p, --port; none for an argument.
  std::string argument;              ///< Its name where it may, or must, stand without a flag.
  std::string value;                 ///< What it takes, MS; nothing for one that stands alone.
  std::vector<std::string> choices;  ///< All that it takes, where that is a list.
  std::string bounds;                ///< 0 to 65535
  std::string help;
  std::string default_value;
  std::string environment;  ///< The variable that gives it, if one does.
  std::string group;
  bool required = false;
  bool value_optional = false;
  bool repeats = false;
};

struct CommandDescription {
  std::string name;  ///< In full: parterre bench open.
  std::string help;
  std::vector<FlagDescription> flags = {};
  std::vector<CommandDescription> commands = {};
};

/// `app` and its subcommands, in the order in which they were added.
CommandDescription Describe(const CLI::App& app);

/// `program`, then all that is below it. Points into it.
std::vector<const CommandDescription*> AllCommands(const CommandDescription& program);
