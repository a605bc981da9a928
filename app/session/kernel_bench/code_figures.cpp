// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/code_figures.h"

#include <algorithm>
#include <cmath>

#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::string shared_text(std::int64_t bytes) {
    return bytes == 0 ? "no shared memory" : bytes_text(static_cast<double>(bytes)) + " of shared memory";
}

std::string bytes_or_none(std::int64_t bytes) {
    return bytes == 0 ? "none" : bytes_text(static_cast<double>(bytes));
}

std::string less_or_more(double ratio) {
    return percent_text(std::fabs(ratio - 1)) + (ratio < 1 ? " less" : " more");
}

} // namespace

void CodeFigures::add_kernel(std::optional<int> of_thread, std::int64_t of_block) {
    if (of_thread)
        registers = std::max(registers.value_or(0), *of_thread);
    shared_bytes = std::max(shared_bytes.value_or(0), of_block);
}

std::vector<std::string> words_of(const CodeFigures& figures) {
    std::vector<std::string> out;
    if (figures.registers)
        out.push_back(cat(*figures.registers, *figures.registers == 1 ? " register" : " registers"));
    if (figures.shared_bytes)
        out.push_back(shared_text(*figures.shared_bytes));
    if (figures.predicted)
        out.push_back(cat("~", time_text(*figures.predicted), " predicted"));
    if (figures.measured)
        out.push_back(cat(time_text(*figures.measured), " measured"));
    return out;
}

std::vector<std::string> changes_of(const CodeFigures& now, const CodeFigures& before) {
    std::vector<std::string> out;
    if (now.registers && before.registers && *now.registers != *before.registers)
        out.push_back(cat("registers ", *before.registers, " to ", *now.registers));
    if (now.shared_bytes && before.shared_bytes && *now.shared_bytes != *before.shared_bytes)
        out.push_back(
            cat("shared memory ", bytes_or_none(*before.shared_bytes), " to ", bytes_or_none(*now.shared_bytes)));
    // A difference that the figures do not show is none.
    if (now.predicted && before.predicted && *before.predicted > 0 &&
        time_text(*now.predicted) != time_text(*before.predicted))
        out.push_back(cat("predicted ", time_text(*before.predicted), " to ", time_text(*now.predicted), ", ",
                          less_or_more(*now.predicted / *before.predicted)));
    return out;
}

} // namespace hidet::session
