// Photons in a turbid slab with air on both sides, under a pencil beam at normal incidence.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include <skua/kernel.hpp>
#include <skua/random.hpp>
#include <skua/reduction.hpp>

#include "fault.hpp"

namespace monte_carlo {

/// The defaults are van de Hulst's slab.
struct Slab {
  double absorption_per_cm = 10;
  double scattering_per_cm = 90;
  double anisotropy = 0.75;  ///< mean cosine of the scattering angle
  double thickness_cm = 0.02;
  double refractive_index = 1;
};

/// What makes a slab impossible to trace; nothing when all is well.
inline std::optional<Fault> slab_fault(const Slab& slab) {
  if (!(slab.absorption_per_cm >= 0)) return Fault{"absorption", "must not be negative"};
  if (!(slab.scattering_per_cm >= 0)) return Fault{"scattering", "must not be negative"};
  if (!(std::abs(slab.anisotropy) <= 1)) return Fault{"anisotropy", "must be from -1 to 1"};
  if (!(slab.thickness_cm > 0)) return Fault{"thickness", "must be above 0"};
  if (!(slab.refractive_index >= 1)) return Fault{"refractive_index", "must be at least 1, which is the air's"};
  if (!std::isfinite((slab.absorption_per_cm + slab.scattering_per_cm) * slab.thickness_cm)) {
    return Fault{"thickness", "times the coefficients is too large a number"};
  }
  return std::nullopt;
}

/// The part of light at normal incidence that the upper face throws back.
inline double specular_reflectance(const Slab& slab) {
  const double ratio = (slab.refractive_index - 1) / (slab.refractive_index + 1);
  return ratio * ratio;
}

/// Where the weight of one photon went. The parts and the specular reflectance add up to one.
struct PhotonOutcome {
  double reflected = 0;  ///< without the specular part
  double transmitted = 0;
  double absorbed = 0;
};

/// The cosine of a scattering angle after Henyey and Greenstein, from a uniform number.
/// Written as what is missing to 1, a product of positive factors: isotropic scattering (anisotropy 0) is no special
/// case, nothing cancels, and straight on (1) and straight back (-1) come out exact.
SKUA_BODY inline double scattering_cosine(double anisotropy, double uniform) {
  const double root = 1 - anisotropy + 2 * anisotropy * uniform;
  const double ratio = (1 - anisotropy) / root;
  return 1 - 2 * ratio * ratio * (1 - uniform) * (1 + anisotropy * uniform);
}

/// Fresnel's reflectance for unpolarized light that meets the air from inside.
SKUA_BODY inline double fresnel_reflectance(double refractive_index, double cosine) {
  const double sine_outside_squared = refractive_index * refractive_index * (1 - cosine * cosine);
  if (sine_outside_squared >= 1) return 1;
  const double cosine_outside = std::sqrt(1 - sine_outside_squared);
  const double across = (refractive_index * cosine - cosine_outside) / (refractive_index * cosine + cosine_outside);
  const double along = (refractive_index * cosine_outside - cosine) / (refractive_index * cosine_outside + cosine);
  return 0.5 * (across * across + along * along);
}

/// One photon a path. Lengths are in mean free paths, and only the direction's cosine to the normal is followed: by
/// symmetry nothing else decides where a photon leaves. Each collision costs one draw of Philox.
class SlabBody {
 public:
  SlabBody(const Slab& slab, std::uint64_t seed)
      : seed_(seed),
        depth_limit_((slab.absorption_per_cm + slab.scattering_per_cm) * slab.thickness_cm),
        anisotropy_(slab.anisotropy),
        refractive_index_(slab.refractive_index),
        entering_(1 - specular_reflectance(slab)) {
    const double extinction = slab.absorption_per_cm + slab.scattering_per_cm;
    absorbed_part_ = extinction > 0 ? slab.absorption_per_cm / extinction : 0;
  }

  SKUA_BODY PhotonOutcome trace(std::uint64_t path) const {
    const skua::Philox random(seed_, path);
    Photon photon{0, 1, entering_};
    PhotonOutcome outcome;
    for (std::uint32_t collision = 0;; ++collision) {
      skua::Philox::Four<double> uniform = random.uniforms(collision);
      photon.depth -= photon.cosine * std::log(uniform.first);
      if (photon.depth < 0 || photon.depth > depth_limit_) {
        if (leaves(photon, uniform.fourth)) {
          (photon.depth < 0 ? outcome.reflected : outcome.transmitted) = photon.weight;
          return outcome;
        }
      }
      const double deposit = photon.weight * absorbed_part_;
      outcome.absorbed += deposit;
      photon.weight -= deposit;
      if (photon.weight < roulette_below) {
        // Roulette moves weight between photons; booked as absorption, of which it is nothing on the mean, it leaves
        // the parts of every single photon adding up to one.
        const bool survives = uniform.fourth < roulette_survival;
        const double weight = survives ? photon.weight / roulette_survival : 0;
        outcome.absorbed += photon.weight - weight;
        if (!survives) return outcome;
        photon.weight = weight;
      }
      scatter(photon, uniform);
    }
  }

  /// Sum and sum of squares of what was reflected, transmitted and absorbed.
  SKUA_BODY skua::Sums<6> operator()(std::uint64_t path) const {
    const PhotonOutcome outcome = trace(path);
    return {{outcome.reflected, outcome.reflected * outcome.reflected, outcome.transmitted,
             outcome.transmitted * outcome.transmitted, outcome.absorbed, outcome.absorbed * outcome.absorbed}};
  }

 private:
  static constexpr double roulette_below = 0.05;
  static constexpr double roulette_survival = 0.2;

  struct Photon {
    double depth;
    double cosine;
    double weight;
  };

  /// Settles a flight that ends outside: whether the photon leaves there, or else where its reflections bring it.
  /// A uniform number that was below the reflectance is uniform again when divided by it, so `chance` serves on.
  SKUA_BODY bool leaves(Photon& photon, double& chance) const {
    const double reflectance = fresnel_reflectance(refractive_index_, std::abs(photon.cosine));
    if (reflectance >= 1) {
      fold(photon);
      return false;
    }
    while (photon.depth < 0 || photon.depth > depth_limit_) {
      if (chance >= reflectance) return true;
      chance /= reflectance;
      photon.depth = photon.depth < 0 ? -photon.depth : 2 * depth_limit_ - photon.depth;
      photon.cosine = -photon.cosine;
    }
    return false;
  }

  /// Total reflection at both faces, as often as the flight needs, in one go: a thin slab may need it very often.
  SKUA_BODY void fold(Photon& photon) const {
    if (photon.depth < 0) photon.cosine = -photon.cosine;
    photon.depth = std::fmod(std::abs(photon.depth), 2 * depth_limit_);
    if (photon.depth > depth_limit_) {
      photon.depth = 2 * depth_limit_ - photon.depth;
      photon.cosine = -photon.cosine;
    }
  }

  SKUA_BODY void scatter(Photon& photon, const skua::Philox::Four<double>& uniform) const {
    constexpr double pi = 3.141592653589793;
    const double turn = scattering_cosine(anisotropy_, uniform.second);
    const double sines_squared = (1 - photon.cosine * photon.cosine) * (1 - turn * turn);
    const double sines = std::sqrt(sines_squared > 0 ? sines_squared : 0);
    photon.cosine = photon.cosine * turn + sines * std::cos(pi * uniform.third);
  }

  std::uint64_t seed_;
  double depth_limit_;
  double anisotropy_;
  double refractive_index_;
  double entering_;
  double absorbed_part_;
};

}  // namespace monte_carlo
