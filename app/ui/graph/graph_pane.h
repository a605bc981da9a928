// SPDX-License-Identifier: GPL-3.0-only
// One model in the window: its graph, and above it what is shown of it.
#pragma once

#include <QWidget>

#include "app/ui/graph/live_model.h"
#include "app/ui/window/studio.h"

namespace hidet::ui {

class GraphPane : public QWidget {
    Q_OBJECT
public:
    GraphPane(Studio& studio, LiveModel& model, QWidget* parent = nullptr);

private:
    Studio& m_studio;
    LiveModel& m_model;
};

} // namespace hidet::ui
