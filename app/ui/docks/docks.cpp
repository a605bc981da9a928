// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/docks/docks.h"

namespace hidet::ui {

const std::vector<DockInfo>& allDocks() {
    static const std::vector<DockInfo> docks = {
#define HIDET_DOCK(maker, id, title, area, modes, keys, help) {maker, id, title, DockArea::area, modes, keys, help},
#define HIDET_TAB(maker, id, title, fronts, place, keys, help)
#define HIDET_SECTION(maker, id, title, of, help)
#include "app/ui/docks/docks.def"
    };
    return docks;
}

const std::vector<TabInfo>& allTabs() {
    static const std::vector<TabInfo> tabs = {
#define HIDET_DOCK(maker, id, title, area, modes, keys, help)
#define HIDET_TAB(maker, id, title, fronts, place, keys, help) {maker, id, title, fronts, TabPlace::place, keys, help},
#define HIDET_SECTION(maker, id, title, of, help)
#include "app/ui/docks/docks.def"
    };
    return tabs;
}

const std::vector<SectionInfo>& allSections() {
    static const std::vector<SectionInfo> sections = {
#define HIDET_DOCK(maker, id, title, area, modes, keys, help)
#define HIDET_TAB(maker, id, title, fronts, place, keys, help)
#define HIDET_SECTION(maker, id, title, of, help) {maker, id, title, SectionOf::of, help},
#include "app/ui/docks/docks.def"
    };
    return sections;
}

} // namespace hidet::ui
