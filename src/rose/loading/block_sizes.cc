#include "rose/loading/block_sizes.h"

#include "rose/loading/config_keys.h"

namespace rose {

absl::StatusOr<BlockSizes> ReadBlockSizes(const hub::Config& config, std::string_view epsilon_key,
                                          float epsilon) {
  BlockSizes sizes;
  ASSIGN_OR_RETURN(sizes.hidden, config.Int("hidden_size"));
  ASSIGN_OR_RETURN(sizes.inner, config.Int("intermediate_size"));
  ASSIGN_OR_RETURN(sizes.epsilon, ReadEpsilon(config, epsilon_key, epsilon));
  ASSIGN_OR_RETURN(sizes.activation, ReadActivation(config, "hidden_act"));
  return sizes;
}

}  // namespace rose
