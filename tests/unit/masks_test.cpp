// What each mask leaves, layer by layer.
#include <probe/masks.hpp>

#include <cstdlib>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skua {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Uuids = std::vector<std::optional<std::string>>;
using Places = std::vector<std::size_t>;

const Uuids four = {"GPU-aaaa000000000001", "GPU-aaaa000000000002", "GPU-bbbb000000000003", std::nullopt};
const Uuids eight(8);

MaskVariables rocr(const char* mask) {
  return {mask, {}, {}, {}};
}
MaskVariables hip(const char* mask) {
  return {{}, mask, {}, {}};
}

struct Row {
  const char* mask;
  Places as_rocr;
  Places as_hip;
};

TEST(Masks, EachLayerHasItsOwnGrammar) {
  const Row rows[] = {
      {"", {}, {0, 1, 2, 3}}, {"-1", {}, {}},        {"1,9,2", {1}, {1}},
      {"2,2,0", {2}, {2, 0}}, {"0, 1", {0, 1}, {0}}, {"0x2", {2}, {}},
      {"010", {}, {}},        {"0,,1", {0}, {0}},    {"GPU-aaaa", {}, {0}},
      {"GPU-bbbb", {2}, {2}}, {"GPU-", {}, {0}},     {"3,GPU-aaaa000000000002", {3, 1}, {3, 1}},
      {"+1", {}, {}},         {"1x", {}, {}},        {"99999999999999999999999", {}, {}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(predict_rocm_masks(four, rocr(row.mask)).visible, row.as_rocr) << "ROCR '" << row.mask << "'";
    EXPECT_EQ(predict_rocm_masks(four, hip(row.mask)).visible, row.as_hip) << "HIP '" << row.mask << "'";
  }
  EXPECT_EQ(predict_rocm_masks(four, {}).visible, (Places{0, 1, 2, 3}));
}

TEST(Masks, UncertainEntriesAreFlagged) {
  EXPECT_THAT(predict_rocm_masks(four, rocr("0,,1")).notes, Contains(HasSubstr("not certain")));
  EXPECT_THAT(predict_rocm_masks(four, hip("GPU-aaaa")).notes, Contains(HasSubstr("ambiguous")));
}

TEST(Masks, AnEmptyHipMaskIsWarnedToHideNothing) {
  const auto prediction = predict_rocm_masks(four, hip(""));
  EXPECT_THAT(prediction.notes, ElementsAre(HasSubstr("HIP_VISIBLE_DEVICES is set but empty: it hides nothing")));
}

TEST(Masks, HipCountsWhatRocrLeft) {
  const auto prediction = predict_rocm_masks(eight, {"5,2,7", "2,0", {}, {}});
  EXPECT_EQ(prediction.visible, (Places{7, 5}));
  EXPECT_EQ(prediction.hidden_by[2], "HIP_VISIBLE_DEVICES");
  EXPECT_EQ(prediction.hidden_by[0], "ROCR_VISIBLE_DEVICES");
  EXPECT_FALSE(prediction.hidden_by[7]);
}

TEST(Masks, AMaskThatIsAppliedTwiceIsNamedWithTheRemedy) {
  const auto prediction = predict_rocm_masks(eight, {"3", {}, "3", {}});
  EXPECT_THAT(prediction.visible, IsEmpty());
  EXPECT_EQ(prediction.hidden_by[3], "CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(prediction.notes,
              Contains(::testing::AllOf(HasSubstr("CUDA_VISIBLE_DEVICES='3' leaves no GPU"), HasSubstr("use 0"))));
}

TEST(Masks, CountOnlyGpusThatCanBeReached) {
  Uuids unreachable(8, "/dev/dri/renderD128: No such file or directory");
  unreachable[4].reset();
  unreachable[6].reset();
  EXPECT_EQ(predict_rocm_masks(eight, {}, unreachable).visible, (Places{4, 6}));
  const auto prediction = predict_rocm_masks(eight, rocr("1"), unreachable);
  EXPECT_EQ(prediction.visible, (Places{6}));
  EXPECT_EQ(prediction.hidden_by[4], "ROCR_VISIBLE_DEVICES");
  EXPECT_EQ(prediction.hidden_by[0], "/dev/dri/renderD128: No such file or directory");
}

TEST(Masks, NumbersOfTheWholeNodeAreTranslatedIntoThoseThatAreRightHere) {
  Uuids unreachable(8, "closed");
  unreachable[4].reset();
  unreachable[6].reset();
  EXPECT_THAT(predict_rocm_masks(eight, rocr("6,4"), unreachable).notes,
              ElementsAre(HasSubstr("'6' is not one of 0 to 1, the GPUs here; the list ends there; "
                                    "ROCR_VISIBLE_DEVICES=1,0 names the GPUs that have these numbers")));
  EXPECT_THAT(predict_rocm_masks(eight, {"4,6", "6", {}, {}}).notes,
              Contains(HasSubstr("HIP_VISIBLE_DEVICES=1 names")));
  EXPECT_THAT(predict_rocm_masks(eight, {"4,6", {}, "6,4", {}}).notes,
              Contains(HasSubstr("CUDA_VISIBLE_DEVICES=1,0 names")));
}

TEST(Masks, NumbersThatAreAllBeyondTheGpusHereBecomeTheFirstOnes) {
  EXPECT_THAT(predict_cuda_mask(four, {{}, {}, "6,7", {}}).notes,
              ElementsAre(HasSubstr("CUDA_VISIBLE_DEVICES=0,1 names 2 of them")));
  EXPECT_THAT(predict_rocm_masks(four, hip("4,5,6,7,8")).notes,
              ElementsAre(HasSubstr("HIP_VISIBLE_DEVICES=0,1,2,3 names 4 of them")));
  // Of a list that is right in part nobody can tell what was meant.
  EXPECT_THAT(predict_rocm_masks(four, rocr("1,9")).notes, ElementsAre(::testing::EndsWith("the list ends there")));
}

TEST(Masks, CudaIsReadByHipOnlyWhereHipsOwnIsUnsetOrEmpty) {
  EXPECT_EQ(predict_rocm_masks(four, {{}, "1", "2", {}}).visible, (Places{1}));
  EXPECT_EQ(predict_rocm_masks(four, {{}, "", "2", {}}).visible, (Places{2}));
  EXPECT_EQ(predict_rocm_masks(four, {{}, {}, "", {}}).visible, (Places{0, 1, 2, 3}));
}

TEST(Masks, TheDeviceOrdinalVariableIsExplainedAndNotApplied) {
  const auto prediction = predict_rocm_masks(four, {{}, {}, {}, "1"});
  EXPECT_THAT(prediction.visible, SizeIs(4));
  EXPECT_THAT(prediction.notes, Contains(HasSubstr("GPU_DEVICE_ORDINAL")));
}

TEST(Masks, CudasOwnMask) {
  EXPECT_EQ(predict_cuda_mask(four, {{}, {}, "2,0", {}}).visible, (Places{2, 0}));
  EXPECT_THAT(predict_cuda_mask(four, {{}, {}, "", {}}).visible, IsEmpty());
  EXPECT_EQ(predict_cuda_mask(four, {{}, {}, "1,-1,2", {}}).visible, (Places{1}));
  EXPECT_EQ(predict_cuda_mask(four, {{}, {}, "GPU-bbbb", {}}).visible, (Places{2}));
  EXPECT_EQ(predict_cuda_mask(four, {"0", "0", {}, {}}).visible, (Places{0, 1, 2, 3}));
}

TEST(Masks, RandomBytesNeitherCrashNorAddDevices) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 4097, ' ');
    const bool digits_only = round % 2 == 0;
    for (char& c : text) c = digits_only ? "0123456789,-xGPU "[random() % 17] : static_cast<char>(1 + random() % 255);
    const MaskVariables variables = {text, text, text, {}};
    const auto prediction = predict_rocm_masks(four, variables);
    EXPECT_LE(prediction.visible.size(), 4u);
    EXPECT_LE(predict_cuda_mask(four, variables).visible.size(), 4u);
    for (const std::string& note : prediction.notes) EXPECT_EQ(note.find('\n'), std::string::npos);
  }
}

TEST(Masks, ReadsTheEnvironmentAndTellsEmptyFromUnset) {
  setenv("ROCR_VISIBLE_DEVICES", "", 1);
  unsetenv("HIP_VISIBLE_DEVICES");
  const MaskVariables variables = MaskVariables::from_environment();
  EXPECT_EQ(variables.rocr, "");
  EXPECT_FALSE(variables.hip);
  unsetenv("ROCR_VISIBLE_DEVICES");
}

TEST(Slurm, HiddenPeersAreExplained) {
  setenv("SLURM_STEP_GPUS", "0-2,5", 1);
  EXPECT_THAT(explain_slurm(1),
              ElementsAre(HasSubstr("gives this job 4 GPUs of the node, of which this process sees 1")));
  EXPECT_THAT(explain_slurm(4), IsEmpty());
  setenv("SLURM_STEP_GPUS", "nonsense", 1);
  EXPECT_THAT(explain_slurm(1), IsEmpty());
  unsetenv("SLURM_STEP_GPUS");
  EXPECT_THAT(explain_slurm(0), IsEmpty());
}

}  // namespace
}  // namespace skua
