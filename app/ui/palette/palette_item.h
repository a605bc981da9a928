// SPDX-License-Identifier: GPL-3.0-only
// What the palette lists: commands, scripts, names, lines, passes. A source makes the items; ranking is the same for all.
#pragma once

#include <functional>
#include <vector>

#include <QString>

#include "app/session/live/assist.h"

namespace hidet::ui {

struct Studio;

struct PaletteItem {
    QString id = {}; // remembered when it was taken; empty: it is not
    QString text = {};
    QString detail = {}; // beside it: a menu, a folder
    QString keys = {};   // at the right
    QString help = {};   // below the list while it is selected
    QString icon = {};   // empty: none
    bool possible = true;
    std::function<void()> act = {};

    int recent = -1; // 0 was taken last; -1: not lately
    int score = 0;
    std::vector<std::pair<int, int>> matches = {}; // of the text: first character and count
};

using PaletteItems = std::vector<PaletteItem>;

PaletteItems commandItems(Studio& studio);
PaletteItems scriptItems(Studio& studio);
PaletteItems symbolItems(Studio& studio, const session::assist::Document& document);
PaletteItems lineItems(Studio& studio, const QString& number); // "12" or "12:5"
PaletteItems passItems(Studio& studio);

// What fits the pattern, best first: exact before scattered, lately taken before others, what cannot be done last.
PaletteItems ranked(PaletteItems items, const QString& pattern);

} // namespace hidet::ui
