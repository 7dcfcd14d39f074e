#pragma once

#include <string>

/// The commit that was built, with "-dirty" where the tree had changes, or "unknown"; its date,
/// YYYY-MM-DD, or nothing. A source made at each build has them (cmake/commit.cmake).
extern const char kCommit[];
extern const char kCommitDate[];

/// What --version prints: version, commit, compiler, what can compute. Its first line is the
/// program's name and version alone.
std::string VersionText();
