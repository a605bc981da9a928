// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/shared_text.h"

#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

constexpr int bar_columns = 48;

std::string line_text(const Place& place, const std::string& script) {
    return !place.known() ? "" : place.file == script ? cat(place.line) : cat(place.file, ":", place.line);
}

std::string tensor_type(const SharedTensor& tensor) {
    std::vector<std::string> parts;
    for (const std::int64_t extent : tensor.shape)
        parts.push_back(cat(extent));
    return cat(tensor.dtype, "[", join(parts, ", "), "]");
}

// Program order from left to right.
std::string bar_text(const SharedTensor& tensor, int statements) {
    std::string out(bar_columns, '.');
    if (!tensor.first.known() || statements <= 0)
        return out;
    const int begin = tensor.begin * bar_columns / statements, end = tensor.end * bar_columns / statements;
    for (int i = begin; i <= end && i < bar_columns; ++i)
        out[static_cast<std::size_t>(i)] = '#';
    return out;
}

} // namespace

std::string shared_text(const SharedView& shared, const std::string& script) {
    if (shared.tensors.empty())
        return shared.bytes > 0 ? cat("shared memory: ", bytes_text(static_cast<double>(shared.bytes)),
                                      ", of which the script names no tensor\n")
                                : std::string("shared memory: none\n");
    std::string out = cat("shared memory: ", shared.bytes, " bytes, at most ", shared.peak, " in use at a time");
    if (shared.peak_at.known())
        out += cat(" (first in line ", line_text(shared.peak_at, script), ")");
    out += shared.unused > 0 ? cat(", ", shared.unused, " that no tensor lies in\n") : std::string("\n");
    std::vector<Cells> rows = {{{"offset", Align::Right},
                                {"bytes", Align::Right},
                                {"tensor"},
                                {"type"},
                                {"stages", Align::Right},
                                {"declared", Align::Right},
                                {"first", Align::Right},
                                {"last", Align::Right},
                                {"in use, in program order"}}};
    for (const SharedTensor& tensor : shared.tensors)
        rows.push_back({{cat(tensor.offset), Align::Right},
                        {cat(tensor.bytes), Align::Right},
                        {tensor.name},
                        {tensor_type(tensor)},
                        {tensor.stages > 1 ? cat(tensor.stages) : "", Align::Right},
                        {line_text(tensor.place, script), Align::Right},
                        {line_text(tensor.first, script), Align::Right},
                        {line_text(tensor.last, script), Align::Right},
                        {bar_text(tensor, shared.statements)}});
    out += columns_text(rows);
    return shared.advice.empty() ? out : cat(out, "  ", shared.advice, "\n");
}

} // namespace hidet::cli
