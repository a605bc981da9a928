// SPDX-License-Identifier: Apache-2.0
// Where a request runs.
#pragma once

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

} // namespace hidet::session
