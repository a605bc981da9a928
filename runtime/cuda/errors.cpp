// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/errors.h"

#include <cstdio>

#include "lang/base/text.h"

namespace hidet::cuda {

namespace {

constexpr bool Sticky = true, Passing = false;
constexpr ResultRow rows[] = {
#define HIDET_CUDA_RESULT(value, name, code, sticky, meaning) {value, #name, code, sticky, meaning},
#include "runtime/cuda/results.def"
#undef HIDET_CUDA_RESULT
};
constexpr ResultRow unknown_row{-1, "", "device-error", Passing,
                                "the driver reports an error that we have no words for"};

} // namespace

const ResultRow& result_row(Status status) {
    for (const ResultRow& row : rows)
        if (row.value == static_cast<int>(status))
            return row;
    return unknown_row;
}

Error error_of(Status status, std::string_view doing) {
    const ResultRow& row = result_row(status);
    std::string name = *row.name ? row.name : cat("result ", static_cast<int>(status));
    std::string code = row.code;
    if (code == "kernel-fault" || code == "launch-failed" || code == "kernel-timeout")
        return {code, cat(doing, " failed: a kernel ", row.meaning, " (", name, ")")};
    return {code, cat(doing, " failed: ", row.meaning, " (", name, ")")};
}

std::string bytes_text(std::size_t bytes) {
    if (bytes < 1024)
        return cat(bytes, bytes == 1 ? " byte" : " bytes");
    const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1023.95 && unit < 3; ++unit)
        value /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    std::string digits = text;
    if (digits.ends_with(".0"))
        digits.resize(digits.size() - 2);
    return cat(digits, " ", units[unit]);
}

std::string version_text(int version) {
    return cat(version / 1000, ".", version % 1000 / 10);
}

std::string architecture_text(int major_minor) {
    return cat("sm_", major_minor);
}

} // namespace hidet::cuda
