#pragma once

#include <span>
#include <string>

#include "common/status.h"

namespace rose::cuda {

/// A library that is found at run time, so that nothing which does without it needs it. Stays
/// loaded until the process ends, since graphs hold its kernels. Copies are of the same.
class SharedLibrary {
 public:
  SharedLibrary() = default;  ///< None.

  /// The first of these that the loader finds, by a bare name in its own places. NotFound has what
  /// it says of each, on a line of its own.
  static absl::StatusOr<SharedLibrary> Open(std::span<const std::string> names);

  /// The one of `names` that it was found by.
  const std::string& name() const { return name_; }
  void* handle() const { return handle_; }  ///< As dlopen gave it.

  /// Sets `function` to the function of that name. NotFound names the library and what it lacks.
  template <typename Function>
  absl::Status Bind(const char* symbol, Function& function) const {
    ASSIGN_OR_RETURN(void* const address, Find(symbol));
    function = reinterpret_cast<Function>(address);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<void*> Find(const char* symbol) const;

  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace rose::cuda
