#include "common/trace/random_id.h"

#include <cstring>
#include <random>

namespace common {
namespace {

std::mt19937_64 MakeGenerator() {
  // 32 bits alone would soon be met again by another thread of another process.
  std::random_device device;
  std::seed_seq seed = {device(), device(), device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

uint64_t RandomNumber() {
  thread_local std::mt19937_64 generator = MakeGenerator();
  uint64_t number = 0;
  while (number == 0) number = generator();
  return number;
}

}  // namespace

TraceId RandomTraceId() {
  const uint64_t halves[] = {RandomNumber(), RandomNumber()};
  TraceId id;
  std::memcpy(id.data(), halves, id.size());
  return id;
}

SpanId RandomSpanId() {
  const uint64_t number = RandomNumber();
  SpanId id;
  std::memcpy(id.data(), &number, id.size());
  return id;
}

}  // namespace common
