// Tests of the light in a turbid slab.
#include <monte_carlo/slab.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <monte_carlo/estimate.hpp>
#include <monte_carlo/slab_cases.hpp>

namespace {

using monte_carlo::Estimate;
using monte_carlo::PhotonOutcome;
using monte_carlo::Slab;
using monte_carlo::SlabBody;

struct Totals {
  Estimate reflectance;  ///< the specular part included
  Estimate transmittance;
  Estimate absorption;
};

Totals traced(const Slab& slab, std::uint64_t paths) {
  const SlabBody body(slab, 1);
  skua::Sums<6> sums;
  for (std::uint64_t path = 0; path < paths; ++path) sums = sums + body(path);
  const auto& value = sums.values;
  Totals totals{monte_carlo::estimate(value[0], value[1], paths), monte_carlo::estimate(value[2], value[3], paths),
                monte_carlo::estimate(value[4], value[5], paths)};
  *totals.reflectance.mean += monte_carlo::specular_reflectance(slab);
  return totals;
}

void expect_near(const Estimate& estimate, double expected, double tolerance = 0) {
  EXPECT_NEAR(*estimate.mean, expected, 4 * *estimate.standard_error + tolerance);
}

TEST(Slab, ReproducesVanDeHulst) {
  const auto known = monte_carlo::van_de_hulst();
  const Totals totals = traced(known.slab, 400'000);
  expect_near(totals.reflectance, *known.published.reflectance);
  expect_near(totals.transmittance, *known.published.transmittance);
  EXPECT_LT(*totals.transmittance.standard_error, 0.001);
}

TEST(Slab, ReproducesGiovanelli) {
  const Totals totals = traced({10, 90, 0, 100, 1.5}, 100'000);
  expect_near(totals.reflectance, 0.2600, 0.0005);
  EXPECT_LT(*totals.reflectance.standard_error, 0.002);
  EXPECT_EQ(*totals.transmittance.mean, 0);
}

TEST(Slab, LosesNothingWhenNothingIsAbsorbed) {
  const Totals totals = traced({0, 50, 0.9, 0.1, 1.37}, 50'000);
  EXPECT_NEAR(*totals.reflectance.mean + *totals.transmittance.mean, 1, 1e-9);
  EXPECT_EQ(*totals.absorption.mean, 0);
}

TEST(Slab, AccountsForTheWholeWeightOfEveryPhoton) {
  const Slab slab = {10, 90, 0.5, 0.3, 1.4};
  const SlabBody body(slab, 9);
  for (std::uint64_t path = 0; path < 20'000; ++path) {
    const PhotonOutcome outcome = body.trace(path);
    ASSERT_NEAR(outcome.reflected + outcome.transmitted + outcome.absorbed + monte_carlo::specular_reflectance(slab), 1,
                1e-12)
        << "path " << path;
  }
}

TEST(Slab, FollowsBeerAndLambertWithoutScattering) {
  expect_near(traced({5, 0, 0, 0.3, 1}, 100'000).transmittance, std::exp(-1.5));
}

TEST(Slab, BouncesTheBeamBetweenBothFacesWithoutScattering) {
  const Slab slab = {5, 0, 0, 0.1, 1.5};
  const double face = 0.04;
  const double pass = std::exp(-0.5);
  const double series = 1 - face * face * pass * pass;
  const Totals totals = traced(slab, 400'000);
  expect_near(totals.transmittance, (1 - face) * (1 - face) * pass / series);
  expect_near(totals.reflectance, face + (1 - face) * (1 - face) * face * pass * pass / series);
}

TEST(Slab, IsAWindowWhenItIsEmpty) {
  const Totals totals = traced({0, 0, 0, 1, 1.5}, 100'000);
  expect_near(totals.reflectance, 2 * 0.04 / 1.04);
  EXPECT_EQ(*traced({0, 0, 0, 1, 1}, 1000).transmittance.mean, 1);
}

TEST(Slab, EndsAlsoWhenLightIsTrappedInAVeryThinSheet) {
  const Totals totals = traced({1e-9, 1e-6, 0, 1e-6, 1.5}, 100'000);
  EXPECT_NEAR(*totals.reflectance.mean + *totals.transmittance.mean + *totals.absorption.mean, 1, 1e-9);
  expect_near(totals.reflectance, 2 * 0.04 / 1.04);
}

TEST(Slab, GivesTheSameOutcomeForTheSameSeedAndPath) {
  const SlabBody body(Slab{}, 4);
  const PhotonOutcome first = body.trace(77);
  body.trace(78);
  const PhotonOutcome again = body.trace(77);
  EXPECT_EQ(first.reflected, again.reflected);
  EXPECT_EQ(first.transmitted, again.transmitted);
  EXPECT_EQ(first.absorbed, again.absorbed);
}

TEST(ScatteringCosine, HasTheAnisotropyAsItsMean) {
  constexpr int steps = 200'000;
  for (const double anisotropy : {-1.0, -0.5, 0.0, 1e-14, 0.3, 0.75, 0.95, 1.0}) {
    double sum = 0;
    for (int i = 0; i < steps; ++i) {
      const double cosine = monte_carlo::scattering_cosine(anisotropy, (i + 0.5) / steps);
      ASSERT_LE(std::abs(cosine), 1 + 1e-15);
      sum += cosine;
    }
    EXPECT_NEAR(sum / steps, anisotropy, 1e-6);
  }
}

TEST(ScatteringCosine, AgreesWithTheUsualFormula) {
  for (const double g : {-0.9, -0.2, 0.1, 0.8}) {
    for (const double uniform : {0.01, 0.3, 0.5, 0.99}) {
      const double ratio = (1 - g * g) / (1 - g + 2 * g * uniform);
      EXPECT_NEAR(monte_carlo::scattering_cosine(g, uniform), (1 + g * g - ratio * ratio) / (2 * g), 1e-12);
    }
  }
}

TEST(FresnelReflectance, IsTotalBeyondTheCriticalAngle) {
  const double critical = std::sqrt(1 - 1 / (1.5 * 1.5));
  EXPECT_EQ(monte_carlo::fresnel_reflectance(1.5, critical * 0.999), 1);
  EXPECT_LT(monte_carlo::fresnel_reflectance(1.5, critical * 1.001), 1);
}

TEST(FresnelReflectance, KnowsNormalIncidenceAndBrewstersAngle) {
  EXPECT_NEAR(monte_carlo::fresnel_reflectance(1.5, 1), 0.04, 1e-15);
  EXPECT_NEAR(monte_carlo::fresnel_reflectance(1, 0.4), 0, 1e-15);
  // At Brewster's angle only half of the light is reflected at all: ((n^2 - 1) / (n^2 + 1))^2 of that half.
  const double brewster_cosine = 1.5 / std::sqrt(1 + 1.5 * 1.5);
  EXPECT_NEAR(monte_carlo::fresnel_reflectance(1.5, brewster_cosine), 0.5 * std::pow(1.25 / 3.25, 2), 1e-12);
}

TEST(SlabFault, NamesTheFieldThatIsImpossible) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto field = [](const Slab& slab) { return monte_carlo::slab_fault(slab).value().field; };
  EXPECT_EQ(field({nan, 90, 0, 1, 1}), "absorption");
  EXPECT_EQ(field({10, -1, 0, 1, 1}), "scattering");
  EXPECT_EQ(field({10, 90, 1.1, 1, 1}), "anisotropy");
  EXPECT_EQ(field({10, 90, 0, 0, 1}), "thickness");
  EXPECT_EQ(field({1e200, 90, 0, 1e200, 1}), "thickness");
  EXPECT_EQ(field({10, 90, 0, 1, 0.9}), "refractive_index");
  EXPECT_FALSE(monte_carlo::slab_fault(Slab{}).has_value());
}

}  // namespace
