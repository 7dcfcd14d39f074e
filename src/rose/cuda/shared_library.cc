#include "rose/cuda/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace rose::cuda {

absl::StatusOr<SharedLibrary> SharedLibrary::Open(std::span<const std::string> names) {
  std::string tried;
  for (const std::string& name : names) {
    SharedLibrary library;
    library.name_ = name;
    library.handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ != nullptr) return library;
    tried += fmt::format("{}{}", tried.empty() ? "" : "\n  ", dlerror());
  }
  return absl::NotFoundError(tried);
}

absl::StatusOr<void*> SharedLibrary::Find(const char* symbol) const {
  void* const address = dlsym(handle_, symbol);
  if (address != nullptr) return address;
  return absl::NotFoundError(fmt::format("{} has no {}", name_, symbol));
}

}  // namespace rose::cuda
