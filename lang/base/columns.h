// SPDX-License-Identifier: Apache-2.0
// Rows of cells as columns of text.
#pragma once

#include <string>
#include <vector>

namespace hidet {

enum class Align { Left, Right };

struct Cell {
    std::string text; // UTF-8, of one line
    Align align = Align::Left;
};
using Cells = std::vector<Cell>;

// Each row a line that begins with the margin, as wide a column as its widest cell; nothing follows the last one.
std::string columns_text(const std::vector<Cells>& rows, const char* margin = "  ");

} // namespace hidet
