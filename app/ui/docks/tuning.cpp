// SPDX-License-Identifier: GPL-3.0-only
// The schedules that an operator may have.

#include "app/ui/docks/docks.h"
#include "app/ui/graph/tune/tuning_page.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

class TuningDock : public DockWidget {
public:
    explicit TuningDock(Studio& studio) {
        auto* page = new TuningPage(studio, this);
        newColumn(this, {page});
        makePanel(*this);
        setFocusProxy(page);
    }
};

} // namespace

DockWidget* makeTuningDock(Studio& studio) {
    return new TuningDock(studio);
}

} // namespace hidet::ui
