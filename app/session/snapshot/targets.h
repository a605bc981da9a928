// SPDX-License-Identifier: Apache-2.0
// Where a request runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hidet::session {

enum class Target : std::uint8_t {
#define HIDET_TARGET(name, ...) name,
#include "app/session/snapshot/targets.def"
};

enum class GpuUse : std::uint8_t { None, IfThere, Needed };

struct TargetInfo {
    Target target{};
    const char* name = "";  // "emulate": on the command line, in settings and in what is kept
    const char* label = ""; // "Emulator"
    const char* where = ""; // "the emulator"
    GpuUse gpu = GpuUse::None;
    bool emulates = false; // every kernel, with all checks
};
const std::vector<TargetInfo>& all_targets(); // in table order
const TargetInfo& info(Target target);
std::optional<Target> target_named(std::string_view name);
std::vector<std::string> target_names();

// The workers of a front end: a process each, so that what a kernel breaks on the GPU the emulator does not notice.
enum class WorkerPlace : std::uint8_t { Gpu, Host, Remote };
inline constexpr std::size_t worker_places = 3;

// What a user chooses: a target of this machine, or another machine.
enum class Placement : std::uint8_t {
#define HIDET_TARGET(name, ...) name,
#define HIDET_ELSEWHERE(name, ...) name,
#include "app/session/snapshot/targets.def"
};

struct PlacementInfo {
    Placement placement{};
    const char* name = ""; // as that of a target
    const char* label = "";
    const char* where = "";
    Target target{}; // that a worker is asked for
    WorkerPlace worker{};
};
const std::vector<PlacementInfo>& all_placements(); // in the order of the enumeration
const PlacementInfo& info(Placement placement);
Placement placement_named(std::string_view name); // of a name that there is not: the first one, which fits everywhere

} // namespace hidet::session
