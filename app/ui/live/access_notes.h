// SPDX-License-Identifier: GPL-3.0-only
// What stands behind a line of a script: a thread that leaves a tensor, how much more memory accesses move than the ideal, and
// whether what the script expects of its kernels holds.
#pragma once

#include <vector>

#include <QString>

#include "app/session/live/explained.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

enum class NoteTone { Plain, Ok, Warning, Error };
QColor colorOf(NoteTone tone, const Theme& theme);

struct LineNote {
    int line = 0; // 1-based
    QString text; // "4.0x", "8-way", "registers 40"
    QString words;
    NoteTone tone = NoteTone::Plain;
    bool isPredicted = false;
    bool isContract = false;
    friend bool operator==(const LineNote&, const LineNote&) = default;
};

// "4.0x" of global memory, "8-way" of shared; empty: as good as can be, or not known.
QString degreeText(const session::AccessView& view);
// That the script was tried with.
std::vector<const session::AccessView*> accessesWithFixes(const session::Explained& explained, const std::string& file);
// Of the lines of a file, in their order; of several accesses in a line the worst of each memory.
std::vector<LineNote> notesOf(const session::Explained& explained, const std::string& file);

} // namespace hidet::ui
