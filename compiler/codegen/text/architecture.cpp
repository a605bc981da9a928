// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <iterator>

#include "compiler/codegen/text/generate.h"

namespace hidet::compiler {

namespace {

constexpr int numbers[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
constexpr int first_specific = 90;

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

} // namespace hidet::compiler
