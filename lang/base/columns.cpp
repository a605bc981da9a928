// SPDX-License-Identifier: Apache-2.0
#include "lang/base/columns.h"

#include <algorithm>

namespace hidet {

namespace {

// A terminal gives a character one place, however many bytes it has.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

std::vector<std::size_t> widths_of(const std::vector<Cells>& rows) {
    std::vector<std::size_t> widths;
    for (const Cells& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i].text));
    }
    return widths;
}

} // namespace

std::string columns_text(const std::vector<Cells>& rows, const char* margin) {
    const std::vector<std::size_t> widths = widths_of(rows);
    std::string out;
    for (const Cells& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string rest(widths[i] - width_of(row[i].text), ' ');
            line += (i == 0 ? margin : "  ") + (row[i].align == Align::Right ? rest + row[i].text : row[i].text + rest);
        }
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

} // namespace hidet
