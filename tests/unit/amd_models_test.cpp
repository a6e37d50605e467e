// Models of AMD's GPUs by their ids.
#include <graph/amd_models.hpp>

#include <gtest/gtest.h>

namespace skua {
namespace {

TEST(AmdModels, KnowsTheFamiliesAndTheirVirtualFunctions) {
  EXPECT_EQ(amd_model_from(0x740f), "AMD Instinct MI210");
  EXPECT_EQ(amd_model_from(0x74a8), "AMD Instinct MI308X HF");
  EXPECT_EQ(amd_model_from(0x74b5), "AMD Instinct MI300X VF");
  EXPECT_EQ(amd_model_from(0x75a3), "AMD Instinct MI355X");
  EXPECT_FALSE(amd_model_from(0));
  EXPECT_FALSE(amd_model_from(0x15dd));
}

TEST(AmdModels, OnlyThoseFromMi300OnCanBePartitioned) {
  for (const std::uint64_t id : {0x74a0, 0x74a1, 0x74b6, 0x75b0}) EXPECT_TRUE(is_partitionable_amd_model(id)) << id;
  for (const std::uint64_t id : {0x738c, 0x7408, 0x740f, 0x15dd, 0}) EXPECT_FALSE(is_partitionable_amd_model(id)) << id;
}

}  // namespace
}  // namespace skua
