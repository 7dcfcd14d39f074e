#pragma once

#include <string>

#include "command_description.h"

/// Scripts that complete commands, flags and, where it is known what they take, their values.
std::string BashCompletion(const CommandDescription& program);
std::string ZshCompletion(const CommandDescription& program);
std::string FishCompletion(const CommandDescription& program);

/// What a shell can offer for a value.
enum class Offer : uint8_t { kNothing, kChoices, kFiles, kFolders };
Offer WhatToOffer(const FlagDescription& flag);

/// `text` as one word of a shell, in single quotes.
std::string ShellQuoted(const std::string& text);
