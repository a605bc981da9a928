// SPDX-License-Identifier: GPL-3.0-only
// The modes at the left: each has panes and docks of its own, and keeps them.
#pragma once

#include <QToolButton>
#include <QWidget>

#include "app/ui/workbench/studio.h"

namespace hidet::ui {

enum class Mode { Edit, Lower, Run, Graph };
inline constexpr Mode all_modes[] = {Mode::Edit, Mode::Lower, Mode::Run, Mode::Graph};
QString modeName(Mode mode); // "edit"

class ModeBar : public QWidget {
    Q_OBJECT
public:
    ModeBar(Studio& studio, QWidget* parent = nullptr);
    void setMode(Mode mode);

private:
    void applyTheme();

    Studio& m_studio;
    QList<QToolButton*> m_buttons;
};

} // namespace hidet::ui
