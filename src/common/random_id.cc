#include "common/random_id.h"

#include <random>

namespace common {
namespace {

std::mt19937_64 MakeGenerator() {
  // 32 bits alone would soon be met again by another thread of another process.
  std::random_device device;
  std::seed_seq seed = {device(), device(), device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

}  // namespace

uint64_t RandomId() {
  thread_local std::mt19937_64 generator = MakeGenerator();
  uint64_t id = 0;
  while (id == 0) id = generator();
  return id;
}

}  // namespace common
