#pragma once

#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "common/status.h"
#include "wire/grpc/packed.h"

// For tests of what reads messages.

namespace wire {

/// Writes one number over the packed ones.
inline void Overwrite(std::string& bytes, std::size_t index, int32_t value) {
  bytes.replace(index * sizeof(value), sizeof(value), PackInts({&value, 1}));
}

/// Reading `message` must fail with InvalidArgument and a text that begins with `field`.
template <typename Message, typename Read>
void ExpectRefused(const Message& message, Read read, const std::string& field) {
  const absl::Status status = read(message).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
  EXPECT_THAT(std::string(status.message()), ::testing::StartsWith(field));
}

/// Bytes of a message turned over at random: what still parses is either read or refused by name.
template <typename Message, typename Read>
void ExpectTotal(const Message& sound, Read read) {
  const google::protobuf::LogSilencer silencer;  // It tells of each name that is not UTF-8.
  std::mt19937 random(7);
  const std::string bytes = sound.SerializeAsString();
  for (int round = 0; round < 20'000; ++round) {
    std::string mutated = bytes;
    for (int i = 0; i < 1 + round % 3; ++i) {
      mutated[random() % mutated.size()] = static_cast<char>(random());
    }
    if (round % 5 == 0) mutated.resize(random() % mutated.size());
    Message message;
    if (!message.ParseFromString(mutated)) continue;
    const auto result = read(message);
    if (result.ok()) continue;
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(result.status().message()), ::testing::HasSubstr(":"));
  }
}

}  // namespace wire
