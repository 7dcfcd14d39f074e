#pragma once

#include <string>

#include "command_description.h"

/// The name of a command's manual page, without its section: parterre-bench-open.
std::string ManPageName(const CommandDescription& command);

/// The page of `command`, which is one of `program`'s or that itself, in man(7)'s macros.
std::string ManPage(const CommandDescription& command, const CommandDescription& program);
