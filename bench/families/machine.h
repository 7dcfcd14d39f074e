#pragma once

#include <cstdint>
#include <string>

namespace bench {

/// The processor in words: its model name, family and model as /proc/cpuinfo gives them.
std::string ProcessorName();

/// Since it was made: how much of the machine other programs used.
class OthersShare {
 public:
  OthersShare() : start_(Now()) {}
  /// 0 … 1, of all cores.
  double share() const;

 private:
  /// Seconds of processor time.
  struct Used {
    double all = 0;  ///< Passed, on all cores.
    double busy = 0;
    double own = 0;  ///< This process's.
  };
  static Used Now();

  Used start_;
};

}  // namespace bench
