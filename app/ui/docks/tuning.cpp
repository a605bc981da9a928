// SPDX-License-Identifier: GPL-3.0-only
// The schedules that an operator may have.
#include <QVBoxLayout>

#include "app/ui/docks/docks.h"
#include "app/ui/graph/tune/tuning_page.h"

namespace hidet::ui {

namespace {

class TuningDock : public DockWidget {
public:
    explicit TuningDock(Studio& studio) {
        auto* page = new TuningPage(studio, this);
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->addWidget(page);
        setProperty("panel", true);
        setAttribute(Qt::WA_StyledBackground);
        setFocusProxy(page);
    }
};

} // namespace

DockWidget* makeTuningDock(Studio& studio) {
    return new TuningDock(studio);
}

} // namespace hidet::ui
