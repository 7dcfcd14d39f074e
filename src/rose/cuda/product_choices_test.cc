#include "rose/cuda/product_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "hub/temp_folder.h"

namespace rose::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ProductShape Shape(int64_t rows) {
  return {.rows = rows, .out_features = 64, .in_features = 32, .dtype = DType::kBFloat16};
}

ProductChoices Choices() { return ProductChoices("NVIDIA H200", 130100); }

class ProductChoicesTest : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "tuning" / "h200.json"; }
  hub::TempFolder folder_;
};

TEST_F(ProductChoicesTest, ComeBackFromTheFile) {
  ProductChoices written = Choices();
  ProductShape biased = Shape(512);
  biased.terms.bias = true;
  written.Set(Shape(512), 3);
  written.Set(biased, 1);
  written.Set(Shape(512), 2);
  ASSERT_TRUE(written.Write(file()).ok());
  ProductChoices read = Choices();
  ASSERT_TRUE(read.Read(file()).ok());
  EXPECT_THAT(read.all(), SizeIs(2));
  EXPECT_EQ(read.Find(Shape(512))->candidate, 2);
  EXPECT_EQ(read.Find(biased)->candidate, 1);
}

TEST_F(ProductChoicesTest, OfAnotherDeviceOrVersionAreNotUsed) {
  ProductChoices written = Choices();
  written.Set(Shape(512), 3);
  ASSERT_TRUE(written.Write(file()).ok());
  for (ProductChoices other :
       {ProductChoices("NVIDIA H100", 130100), ProductChoices("NVIDIA H200", 130200)}) {
    EXPECT_TRUE(other.Read(file()).ok());
    EXPECT_THAT(other.all(), IsEmpty());
  }
}

TEST_F(ProductChoicesTest, AForeignFileIsRefused) {
  std::filesystem::create_directories(file().parent_path());
  std::ofstream(file()) << R"({"device": "NVIDIA H200", "cublaslt": 130100, "products": [{}]})";
  EXPECT_THAT(std::string(Choices().Read(file()).message()), HasSubstr("parterre tune"));
  EXPECT_EQ(Choices().Read(folder_.path() / "none.json").code(), absl::StatusCode::kNotFound);
}

TEST_F(ProductChoicesTest, TheNearestRowsServeOthers) {
  ProductChoices choices = Choices();
  choices.Set(Shape(256), 1);
  choices.Set(Shape(1024), 2);
  EXPECT_EQ(choices.Find(Shape(300))->candidate, 1);
  EXPECT_EQ(choices.Find(Shape(700))->candidate, 2);
  EXPECT_EQ(choices.Find(Shape(2048))->candidate, 2);
  EXPECT_FALSE(choices.Find(Shape(2304)).has_value()) << "more than twice as many";
  EXPECT_FALSE(choices.Find(Shape(100)).has_value());
  ProductShape wider = Shape(256);
  wider.out_features = 128;
  EXPECT_FALSE(choices.Find(wider).has_value());
}

}  // namespace
}  // namespace rose::cuda
