// SPDX-License-Identifier: GPL-3.0-only
// "graph.overlay.<id>" for every overlay, in a menu of their own with a mark at the one that is shown; and the choice of an
// overlay as a box for bars.
#pragma once

#include <QComboBox>

#include "app/ui/workbench/studio.h"

namespace hidet::ui {

// Once for each window; they live as long as `owner`.
void addOverlayCommands(Studio& studio, QObject& owner);

class OverlayBox : public QComboBox {
    Q_OBJECT
public:
    explicit OverlayBox(LiveModel& model, QWidget* parent = nullptr);

private:
    void follow();
    LiveModel& m_model;
};

} // namespace hidet::ui
