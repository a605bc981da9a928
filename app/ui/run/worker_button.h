// SPDX-License-Identifier: GPL-3.0-only
// What the worker does, in the status line: idle, busy with what and since when, lost because of what. Its menu restarts it.
#pragma once

#include <QTimer>
#include <QToolButton>

#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class WorkerButton : public QToolButton {
    Q_OBJECT
public:
    WorkerButton(Studio& studio, QWidget* parent = nullptr);

private:
    void refresh();

    Studio& m_studio;
    QTimer m_clock;
};

} // namespace hidet::ui
