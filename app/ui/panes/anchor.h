// SPDX-License-Identifier: GPL-3.0-only
// Where a reader is in a stage, said by the script: the place that a line came from, and which of the lines that came from
// there it is. So a reader stays at a statement while its text changes, and from one stage to the next.
#pragma once

#include <optional>

#include "app/session/view/links.h"

namespace hidet::ui {

struct Anchor {
    session::Place place;
    int ordinal = 0; // among the links of this place
    int below = 0;   // lines from the wanted line to the anchored one
};

// Of the first linked line at `line` (0-based) or soon below it. Nothing: nothing there is linked.
std::optional<Anchor> anchorAt(const session::LinkIndex& links, const session::LineTable& lines, int line);

// The line (0-based) that the anchor means in another text; nothing: nothing near it is linked.
std::optional<int> lineOf(const Anchor& anchor, const session::LinkIndex& links, const session::LineTable& lines);

} // namespace hidet::ui
