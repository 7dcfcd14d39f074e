# Writes what git says of the tree to a source, which changes only with it: run at each build, so that
# a commit compiles this source alone.
# usage: cmake -D SOURCE_DIR=… -D OUTPUT=… -P commit.cmake
# Where there is no git, $PARTERRE_COMMIT may say the commit; it is "unknown" otherwise.
set(commit "$ENV{PARTERRE_COMMIT}")
set(date "")
if(NOT commit AND EXISTS "${SOURCE_DIR}/.git")
  set(no_lock --no-optional-locks)  # Others may be at work in the tree.
  execute_process(COMMAND git ${no_lock} describe --always --dirty --abbrev=40 --exclude=*
    WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git ${no_lock} show --no-patch --format=%cs
    WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
  set(commit unknown)
endif()
if(NOT date MATCHES "^[0-9]+-[0-9]+-[0-9]+$")
  set(date "")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[
#include "build_info.h"

const char kCommit[] = "@commit@";
const char kCommitDate[] = "@date@";
]] @ONLY)
