// The Report as a table.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include <skua/report.hpp>

namespace skua {
namespace {

/// "12.3 ms": a time as people read it.
std::string seconds_text(double seconds) {
  if (seconds == 0) return "0";
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

}  // namespace

std::string to_text(const Report& report) {
  std::size_t width = 6;
  for (const DeviceReport& device : report.devices) width = std::max(width, device.name.size());
  std::string text = fmt::format("{}: {} items in granules of {}, policy {}\n", report.job_name, report.items,
                                 report.granule_items, report.policy);
  text += fmt::format("{:<{}}  {:>20} {:>6} {:>7} {:>10} {:>10} {:>7} {:>20} {:>10}\n", "device", width, "items",
                      "share", "chunks", "busy", "idle", "steals", "stolen items", "host");
  for (const DeviceReport& device : report.devices) {
    const double share =
        report.items_done > 0 ? 100.0 * static_cast<double>(device.items) / static_cast<double>(report.items_done) : 0;
    text += fmt::format("{:<{}}  {:>20} {:>5.1f}% {:>7} {:>10} {:>10} {:>7} {:>20} {:>10}{}\n", device.name, width,
                        device.items, share, device.chunks, seconds_text(device.busy_s), seconds_text(device.idle_s),
                        device.steals, device.stolen_items, seconds_text(device.host_s),
                        device.failed ? "  FAILED: " + device.failure : "");
  }
  text += fmt::format("makespan {}, lower bound {}, efficiency {:.3f}, imbalance {:.1f} %\n",
                      seconds_text(report.makespan_s), seconds_text(report.lower_bound_s), report.efficiency(),
                      100 * report.imbalance());
  if (report.cancelled || !report.not_done.empty()) {
    text += fmt::format("{}: {} of {} items done; not done:", report.cancelled ? "cancelled" : "failed",
                        report.items_done, report.items);
    for (const ItemRange& range : report.not_done) text += fmt::format(" [{}, {})", range.begin, range.end);
    text += '\n';
  }
  for (const std::string& note : report.notes) text += "note: " + note + '\n';
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Report& report) {
  return stream << to_text(report);
}

}  // namespace skua
