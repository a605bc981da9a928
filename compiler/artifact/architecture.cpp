// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <iterator>

#include "compiler/artifact/target_spec.h"

namespace hidet::artifact {

namespace {

constexpr int first_specific = 90;
constexpr int numbers[] = {
#define HIDET_ARCHITECTURE(number, ...) number,
#include "compiler/artifact/architectures.def"
};

} // namespace

std::optional<Architecture> find_architecture(std::string_view name) {
    if (!name.starts_with("sm_"))
        return std::nullopt;
    Architecture arch{.number = 0, .is_specific = name.ends_with('a')};
    const char* begin = name.data() + 3;
    const char* end = name.data() + name.size() - (arch.is_specific ? 1 : 0);
    auto [rest, error] = std::from_chars(begin, end, arch.number);
    bool is_known = std::find(std::begin(numbers), std::end(numbers), arch.number) != std::end(numbers);
    if (error != std::errc() || rest != end || !is_known || (arch.is_specific && arch.number < first_specific))
        return std::nullopt;
    return architecture_name(arch) == name ? std::optional(arch) : std::nullopt; // no "sm_075"
}

std::string architecture_name(Architecture arch) {
    return "sm_" + std::to_string(arch.number) + (arch.is_specific ? "a" : "");
}

Architecture best_architecture(int capability) {
    return {capability, capability >= first_specific};
}

} // namespace hidet::artifact
