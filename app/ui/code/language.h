// SPDX-License-Identifier: GPL-3.0-only
// What a text is written in, and a scanner for its colours: one line at a time, so that it can start at any line. Colours
// that need understanding (the scope of a tensor) come from the language service and lie on top.
#pragma once

#include <string_view>
#include <vector>

#include "app/ui/core/theme.h"

namespace hidet::ui {

enum class Language { Script, Ir, Cuda, Cpp, Ptx, Sass, Plain };

struct ColoredRun {
    int length = 0; // bytes
    SyntaxColor color = SyntaxColor::Text;
};

// The state at the end of a line: 0, or what is still open (a triple-quoted string, a comment).
using LineState = int;

// Colours one line, its end of line included; `state` goes in as the line before left it and comes out as this one does.
// The runs cover the line.
std::vector<ColoredRun> colorLine(Language language, std::string_view line, LineState& state);

} // namespace hidet::ui
