// SPDX-License-Identifier: Apache-2.0
// A number for each of some operators or kernels, from a file that another program has written:
//
//   name,latency (ms)      CSV; the first line may say what the numbers are, and in which unit
//   conv1,0.25             names with commas in quotes
//   # title: Latency       lines that begin so may say it as well: title, unit
//
//   {"conv1": 0.25}                                                    JSON
//   {"title": "Latency", "unit": "ms", "values": {"conv1": 0.25}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"

namespace hidet::session {

struct NamedNumber {
    std::string name;
    double value = 0; // in the file's unit; of times and sizes in seconds and bytes
};

struct NumberFile {
    std::string path;
    std::string title; // after the file, where that does not say
    std::string unit;
    std::vector<NamedNumber> numbers; // in the file's order
};

// Error codes: those of read_file(), and "numbers-malformed" with the line in the message: "times.csv:3: 'abc' is no number".
Result<NumberFile> read_number_file(const std::string& path);
Result<NumberFile> numbers_in(std::string_view text,
                              const std::string& path); // by the path's ending, or its first letter

} // namespace hidet::session
