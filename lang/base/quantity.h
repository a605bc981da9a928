// SPDX-License-Identifier: Apache-2.0
// Figures as people read them, on the command line and in the window: three digits, and a unit of a fitting size.
#pragma once

#include <string>

namespace hidet {

std::string three_digits(double value);              // "41.2"
std::string count_text(double count);                // "41", or "41.2"
std::string time_text(double seconds);               // "41.2 us", with a Greek mu
std::string bytes_text(double bytes);                // "32 KiB"
std::string si_text(double value, const char* unit); // "1.2 TB/s", "20 GFLOP"
std::string number_text(double value);               // "2.1e-6"
std::string percent_text(double ratio);              // "4.2 %", "42 %"
std::string percent_number(double ratio);            // "4.2", "42": under a heading that has the unit
// Where a column or an axis says how exact its figures are.
std::string fixed_text(double value, int decimals);   // "41.20"
std::string digits_text(double value, int precision); // as many digits that count, or fewer: "0.25", "1.2e+09"
// By the unit: "s" and "B" as above, "%" and "" plain; others with the prefixes of SI if they begin with a capital, which no
// unit with a prefix of its own does ("mW").
std::string text_of_quantity(double value, const std::string& unit);

// One unit for a column of a table: what to divide by, and the name of it.
struct UnitScale {
    double size = 1;
    std::string unit; // "us"
};
UnitScale scale_of(double greatest, const std::string& unit);

} // namespace hidet
