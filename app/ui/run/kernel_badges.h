// SPDX-License-Identifier: GPL-3.0-only
// What is known of a kernel, as a few short marks beside its name: its time, what is wrong with it, whether it is as it is expected
// to be, its bytes.
#pragma once

#include <vector>

#include "app/ui/live/access_notes.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

struct KernelBadge {
    QString text; // "~6.9 us"
    QString hint; // the whole of it, in a sentence
    NoteTone tone = NoteTone::Plain;
    bool isPredicted = false;
};
using KernelBadges = QList<KernelBadge>;

// Of the kernel that has this name and is written in these lines of the current script; of several that it became, the worst.
KernelBadges kernelBadges(const Studio& studio, const std::string& name, const session::Place& lines);

} // namespace hidet::ui
