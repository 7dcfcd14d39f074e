#include "rose/weights/norm_names.h"

namespace rose {

bool BelongsToNorm(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return false;
  std::string_view module = name.substr(0, dot);
  module = module.substr(module.rfind('.') + 1);
  if (module.find("norm") != module.npos || module.find("Norm") != module.npos) return true;
  // "ln" as a word of its own: "ln_f", "emb_ln".
  for (std::size_t at = module.find("ln"); at != module.npos; at = module.find("ln", at + 1)) {
    const bool begins = at == 0 || module[at - 1] == '_';
    const std::size_t end = at + 2;
    if (begins && (end == module.size() || module[end] == '_')) return true;
  }
  return false;
}

}  // namespace rose
