// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/docks/docks.h"

namespace hidet::ui {

const std::vector<DockInfo>& allDocks() {
    static const std::vector<DockInfo> docks = {
#define HIDET_DOCK(maker, id, title, area, modes, keys, help) {maker, id, title, DockArea::area, modes, keys, help},
#include "app/ui/docks/docks.def"
    };
    return docks;
}

} // namespace hidet::ui
