#include "wire/grpc/request_message.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/message_faults.h"

namespace wire {
namespace {

InferenceRequest MakeRequest() {
  InferenceRequest request;
  request.model = "m";
  request.ids = {1, 2, 3, 4, 5, 2'000'000'000};
  request.lengths = {1, 3, 2};
  request.type_ids = {0, 0, 1, 1, 0, 1};
  request.prompt_lengths = {0, 3, 1};
  request.outputs = hub::Outputs(hub::Output::kDense) | hub::Output::kColbert;
  request.normalize = false;
  request.job = std::numeric_limits<uint64_t>::max();
  return request;
}

tulip::v1::InferRequest MakeRequestMessage() {
  tulip::v1::InferRequest message;
  FillRequest(MakeRequest(), ValueType::kFloat32, message);
  return message;
}

void Refused(const tulip::v1::InferRequest& message, const std::string& field) {
  ExpectRefused(message, ReadRequest, field);
}

TEST(RequestMessageTest, HoldsTheWholeRequest) {
  for (const ValueType type : {ValueType::kFloat32, ValueType::kBFloat16}) {
    const InferenceRequest request = MakeRequest();
    tulip::v1::InferRequest message;
    FillRequest(request, type, message);
    const auto read = ReadRequest(message);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->request.model, request.model);
    EXPECT_EQ(read->request.ids, request.ids);
    EXPECT_EQ(read->request.lengths, request.lengths);
    EXPECT_EQ(read->request.type_ids, request.type_ids);
    EXPECT_EQ(read->request.prompt_lengths, request.prompt_lengths);
    EXPECT_EQ(read->request.outputs, request.outputs);
    EXPECT_EQ(read->request.normalize, request.normalize);
    EXPECT_EQ(read->request.job, request.job);
    EXPECT_EQ(read->value_type, type);
  }
}

TEST(RequestMessageTest, WhatIsAbsentHasItsDefault) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.clear_normalize();
  message.clear_type_ids();
  message.clear_prompt_lengths();
  message.clear_job();
  const auto read = ReadRequest(message);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->request.normalize);
  EXPECT_TRUE(read->request.type_ids.empty());
  EXPECT_TRUE(read->request.prompt_lengths.empty());
  EXPECT_EQ(read->request.job, 0U);
}

TEST(RequestMessageTest, IdsAreLittleEndian) {
  InferenceRequest request = MakeRequest();
  request.ids = {0x01020304};
  tulip::v1::InferRequest message;
  FillRequest(request, ValueType::kFloat32, message);
  EXPECT_EQ(message.ids(), "\x04\x03\x02\x01");
}

TEST(RequestMessageTest, RefusesBytesThatAreNoWholeNumbers) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.mutable_ids()->pop_back();
  Refused(message, "ids: 23 bytes, expected a multiple of 4");
  message = MakeRequestMessage();
  message.mutable_lengths()->push_back('\0');
  Refused(message, "lengths: 13 bytes");
  message = MakeRequestMessage();
  message.set_type_ids("abc");
  Refused(message, "type_ids: 3 bytes");
  message = MakeRequestMessage();
  message.set_prompt_lengths("abcde");
  Refused(message, "prompt_lengths: 5 bytes");
}

TEST(RequestMessageTest, RefusesLengthsThatDoNotPartTheIds) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.clear_lengths();
  Refused(message, "lengths: empty");
  for (const int32_t length : {0, -1, std::numeric_limits<int32_t>::min()}) {
    message = MakeRequestMessage();
    Overwrite(*message.mutable_lengths(), 1, length);
    Refused(message, "lengths: sequence 1:");
  }
  for (const int32_t length : {2, 4, std::numeric_limits<int32_t>::max()}) {
    message = MakeRequestMessage();
    Overwrite(*message.mutable_lengths(), 1, length);
    Refused(message, "lengths: their sum is");
  }
  message = MakeRequestMessage();
  message.clear_ids();
  Refused(message, "lengths: their sum is 6, but there are 0 ids");
}

TEST(RequestMessageTest, RefusesAWrongNumberOfEntries) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.mutable_type_ids()->resize(20);
  Refused(message, "type_ids: 5 entries, expected 6");
  message = MakeRequestMessage();
  message.mutable_prompt_lengths()->resize(8);
  Refused(message, "prompt_lengths: 2 entries, expected 3");
  message = MakeRequestMessage();
  Overwrite(*message.mutable_prompt_lengths(), 1, 4);
  Refused(message, "prompt_lengths: sequence 1: 4, expected 0 to 3");
  message = MakeRequestMessage();
  Overwrite(*message.mutable_prompt_lengths(), 2, -1);
  Refused(message, "prompt_lengths: sequence 2:");
}

TEST(RequestMessageTest, RefusesUnknownNumbersOfEnumerations) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.clear_outputs();
  Refused(message, "outputs: empty");
  for (const int number : {0, 6, -1, std::numeric_limits<int>::max()}) {
    message = MakeRequestMessage();
    message.mutable_outputs()->Add(number);
    Refused(message, "outputs: " + std::to_string(number));
  }
  message = MakeRequestMessage();
  message.set_value_type(static_cast<tulip::v1::ValueType>(7));
  Refused(message, "value_type: 7");
}

TEST(RequestMessageTest, MutatedMessagesAreReadOrRefused) {
  ExpectTotal(MakeRequestMessage(), ReadRequest);
}

}  // namespace
}  // namespace wire
