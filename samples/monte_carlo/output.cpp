// Text and JSON of results.
#include "output.hpp"

#include <numbers>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace monte_carlo {
namespace {

using Json = nlohmann::ordered_json;

std::string number_text(std::optional<double> number) {
  return number ? fmt::format("{:.6f}", *number) : "unknown";
}

std::string estimate_text(const Estimate& estimate) {
  return fmt::format("{:>12} +- {}", number_text(estimate.mean), number_text(estimate.standard_error));
}

/// The known value, and how many standard errors the estimate is away from it.
std::string beside(std::string_view whose, std::optional<double> known, const Estimate& estimate) {
  if (!known) return {};
  std::string text = fmt::format("   {} {:.6f}", whose, *known);
  if (estimate.mean && estimate.standard_error && *estimate.standard_error > 0) {
    text += fmt::format(" ({:+.1f} standard errors)", (*estimate.mean - *known) / *estimate.standard_error);
  }
  return text;
}

std::string paths_text(const Paths& paths) {
  std::string text = paths.done == paths.wanted ? fmt::format("{} paths", paths.done)
                                                : fmt::format("{} of {} paths", paths.done, paths.wanted);
  if (paths.asked != paths.wanted) text += fmt::format(" ({} rounded up to a multiple of 4)", paths.asked);
  return text;
}

std::string text_of(const PiResult& result) {
  return fmt::format("pi from {}\n  {:<14}{}{}\n", paths_text(result.paths), "pi", estimate_text(result.pi),
                     beside("exact", std::numbers::pi, result.pi));
}

const char* precision_name(Precision precision) {
  return precision == Precision::single_float ? "float" : "double";
}

std::string text_of(const OptionResult& result) {
  std::string text =
      fmt::format("option prices, each with its standard error, paths in {}\n", precision_name(result.precision));
  for (const PricedOption& option : result.options) {
    text += fmt::format("  {:<14}{}{}   {}\n", option.name, estimate_text(option.price),
                        beside("Black-Scholes", option.black_scholes, option.price), paths_text(option.paths));
  }
  return text;
}

std::string text_of(const SlabResult& result) {
  std::string text = fmt::format("slab{}{} from {}\n", result.case_name.empty() ? "" : " ", result.case_name,
                                 paths_text(result.paths));
  const auto add = [&](std::string_view name, const Estimate& estimate, std::optional<double> published) {
    text += fmt::format("  {:<14}{}{}\n", name, estimate_text(estimate), beside("published", published, estimate));
  };
  add("reflectance", result.reflectance, result.published.reflectance);
  add("transmittance", result.transmittance, result.published.transmittance);
  add("absorption", result.absorption, std::nullopt);
  return text;
}

Json number_json(std::optional<double> number) {
  return number ? Json(*number) : Json(nullptr);
}

void put_paths(Json& json, const Paths& paths) {
  json["paths"] = paths.done;
  if (paths.done != paths.wanted) json["paths_wanted"] = paths.wanted;
  if (paths.asked != paths.wanted) json["paths_asked"] = paths.asked;
}

void put_estimate(Json& json, const std::string& name, const Estimate& estimate) {
  json[name] = number_json(estimate.mean);
  json[name + "_standard_error"] = number_json(estimate.standard_error);
}

Json json_of(const PiResult& result) {
  Json json = {{"problem", "pi"}};
  put_paths(json, result.paths);
  json["pi"] = number_json(result.pi.mean);
  json["standard_error"] = number_json(result.pi.standard_error);
  return json;
}

Json json_of(const PricedOption& option) {
  Json json = {{"name", option.name}};
  put_paths(json, option.paths);
  json["price"] = number_json(option.price.mean);
  json["standard_error"] = number_json(option.price.standard_error);
  json["black_scholes"] = option.black_scholes;
  return json;
}

Json json_of(const OptionResult& result) {
  Json json = {{"problem", "option"}, {"precision", precision_name(result.precision)}};
  json["options"] = Json::array();
  for (const PricedOption& option : result.options) json["options"].push_back(json_of(option));
  return json;
}

Json json_of(const SlabResult& result) {
  Json json = {{"problem", "slab"}};
  json["case"] = result.case_name.empty() ? Json(nullptr) : Json(result.case_name);
  put_paths(json, result.paths);
  json["specular_reflectance"] = result.specular_reflectance;
  put_estimate(json, "reflectance", result.reflectance);
  put_estimate(json, "transmittance", result.transmittance);
  put_estimate(json, "absorption", result.absorption);
  json["published_reflectance"] = number_json(result.published.reflectance);
  json["published_transmittance"] = number_json(result.published.transmittance);
  json["published_tolerance"] = number_json(result.published.tolerance);
  return json;
}

}  // namespace

std::string to_text(const Result& result) {
  return std::visit([](const auto& one) { return text_of(one); }, result);
}

std::string to_json(const Result& result) {
  const Json json = std::visit([](const auto& one) { return json_of(one); }, result);
  // A name from a file may hold any bytes; what is no UTF-8 is replaced.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace monte_carlo
