// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/graph_pane.h"

namespace hidet::ui {

GraphPane::GraphPane(Studio& studio, LiveModel& model, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_model(model) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph of %1").arg(model.title()));
}

} // namespace hidet::ui
