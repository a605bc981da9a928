// SPDX-License-Identifier: Apache-2.0
#include "lang/base/quantity.h"

#include <algorithm>
#include <cmath>
#include <span>

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "lang/base/text.h"

namespace hidet {

namespace {

struct Unit {
    double size;
    const char* name;
};
// The greatest first; what is below the last one stays in the last one.
constexpr Unit times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}, {1e-9, "ns"}};
constexpr Unit sizes[] = {{1024.0 * 1024 * 1024 * 1024, "TiB"},
                          {1024.0 * 1024 * 1024, "GiB"},
                          {1024.0 * 1024, "MiB"},
                          {1024, "KiB"},
                          {1, "B"}};
constexpr Unit prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};

const Unit& unit_for(double value, std::span<const Unit> units) {
    for (const Unit& unit : units)
        if (std::abs(value) >= unit.size)
            return unit;
    return units.back();
}

} // namespace

std::string fixed_text(double value, int decimals) {
    return fmt::format("{:.{}f}", value, decimals);
}

std::string digits_text(double value, int precision) {
    return std::isnan(value) ? "nan" : fmt::format("{:.{}g}", value, precision); // whatever its sign
}

std::string percent_number(double ratio) {
    return fixed_text(ratio * 100, std::abs(ratio) < 0.0995 && ratio != 0 ? 1 : 0);
}

std::string percent_text(double ratio) {
    return percent_number(ratio) + " %";
}

std::string three_digits(double value) {
    if (!std::isfinite(value))
        return number_text(value);
    const double size = std::abs(value);
    return fixed_text(value, size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : 2);
}

std::string count_text(double count) {
    return count == std::floor(count) && std::isfinite(count) ? fixed_text(count, 0) : three_digits(count);
}

std::string time_text(double seconds) {
    if (seconds == 0)
        return "0 s";
    const Unit& unit = unit_for(seconds, times);
    return cat(three_digits(seconds / unit.size), " ", unit.name);
}

std::string bytes_text(double bytes) {
    const Unit& unit = unit_for(bytes, sizes);
    const double value = bytes / unit.size;
    return cat(unit.size == 1 && std::isfinite(value) ? fixed_text(value, 0) : count_text(value), " ", unit.name);
}

std::string si_text(double value, const char* unit) {
    const Unit& prefix = unit_for(value, prefixes);
    const double scaled = value / prefix.size;
    return cat(prefix.size == 1 ? count_text(scaled) : three_digits(scaled), " ", prefix.name, unit);
}

std::string number_text(double value) {
    if (value == 0)
        return "0";
    if (!std::isfinite(value))
        return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    const bool is_extreme = std::abs(value) < 1e-3 || std::abs(value) >= 1e5;
    std::string text = digits_text(value, is_extreme ? 2 : 4);
    const std::size_t e = text.find('e');
    if (e == std::string::npos)
        return text;
    // "2.1e-06" is "2.1e-6", "1e+08" is "1e8".
    std::string exponent = text.substr(e + 1);
    const bool is_negative = exponent[0] == '-';
    exponent.erase(0, std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
    return cat(text.substr(0, e + 1), is_negative ? "-" : "", exponent);
}

static bool takes_prefix(const std::string& unit) {
    return !unit.empty() && unit[0] >= 'A' && unit[0] <= 'Z';
}

std::string text_of_quantity(double value, const std::string& unit) {
    if (unit == "s")
        return time_text(value);
    if (unit == "B")
        return bytes_text(value);
    if (unit == "%")
        return percent_text(value / 100);
    if (takes_prefix(unit))
        return si_text(value, unit.c_str());
    return unit.empty() ? number_text(value) : cat(number_text(value), " ", unit);
}

UnitScale scale_of(double greatest, const std::string& unit) {
    if (unit == "s" || unit == "B") {
        const Unit& fitting = unit == "s" ? unit_for(greatest, times) : unit_for(greatest, sizes);
        return greatest == 0 ? UnitScale{1, unit} : UnitScale{fitting.size, fitting.name};
    }
    if (!takes_prefix(unit))
        return {1, unit};
    const Unit& prefix = unit_for(greatest, prefixes);
    return {prefix.size, prefix.name + unit};
}

} // namespace hidet
