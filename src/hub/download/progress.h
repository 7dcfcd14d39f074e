#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/clock.h"

namespace hub {

/// Tells how far downloads are: a bar on a terminal, else a log line every ten seconds. Files that
/// take no time go without. One thread.
class Progress {
 public:
  /// `bar`: the error stream is a terminal.
  explicit Progress(bool bar);

  void Begin(std::string name, int64_t bytes_there, std::optional<int64_t> bytes_all);
  /// `bytes`: of the file, those from earlier attempts among them.
  void Update(int64_t bytes);
  void End();

 private:
  std::string Line(common::TimePoint now) const;
  std::string Bar() const;

  bool bar_;
  bool drawn_ = false;
  std::string name_;
  std::optional<int64_t> bytes_all_;
  int64_t bytes_there_ = 0;
  int64_t bytes_ = 0;
  common::TimePoint began_;
  common::TimePoint due_;
};

}  // namespace hub
