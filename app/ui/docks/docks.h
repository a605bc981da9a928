// SPDX-License-Identifier: GPL-3.0-only
// A dock, a tab or a section of the analysis is a widget behind a row of docks.def. It gets the studio, listens to what it shows, and owns
// nothing of it.
#pragma once

#include <vector>

#include "app/ui/workbench/dock.h"

namespace hidet::ui {

struct Studio;

enum class DockArea { bottom, side };

struct DockInfo {
    DockWidget* (*make)(Studio& studio);
    QString id;
    QString title;
    DockArea area;
    QString modes;
    QString keys;
    QString help;
};
const std::vector<DockInfo>& allDocks();

enum class TabPlace { front, below };

struct TabInfo {
    DockWidget* (*make)(Studio& studio);
    QString id;
    QString title;
    QString fronts; // of which it can be a tab: s(cript), g(raph)
    TabPlace place;
    QString keys;
    QString help;
};
const std::vector<TabInfo>& allTabs();

enum class SectionOf { script, model };

struct SectionInfo {
    DockWidget* (*make)(Studio& studio);
    QString id;
    QString title;
    SectionOf of;
    QString help;
};
const std::vector<SectionInfo>& allSections();

#define HIDET_DOCK(maker, id, title, area, modes, keys, help) DockWidget* maker(Studio& studio);
#define HIDET_TAB(maker, id, title, fronts, place, keys, help) DockWidget* maker(Studio& studio);
#define HIDET_SECTION(maker, id, title, of, help) DockWidget* maker(Studio& studio);
#include "app/ui/docks/docks.def"

} // namespace hidet::ui
