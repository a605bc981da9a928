// SPDX-License-Identifier: GPL-3.0-only
// The line above a stage's text: what is shown, of which module, with which filters; figures of the kernel; pin and copy.
#pragma once

#include <QComboBox>
#include <QToolButton>
#include <QWidget>

#include "app/ui/panes/filter_button.h"
#include "app/ui/panes/stage_chooser.h"
#include "app/ui/widgets/elided_label.h"

namespace hidet::ui {

class PaneHeader : public QWidget {
    Q_OBJECT
public:
    PaneHeader(Studio& studio, QWidget* parent = nullptr);

    StageChooser& stages() { return *m_stages; }
    // What belongs to a stage: its filters.
    void setStage(const StageName& stage);
    void setModules(); // of the current script, from the board
    void setFigures(const QString& text);
    void setState(const QString& text);
    void setPinned(bool pinned);

signals:
    void pinToggled(bool pinned);
    void copyRequested();

private:
    QToolButton* button(const QString& icon, const QString& name, const QString& tip);
    void applyTheme();

    Studio& m_studio;
    QList<std::pair<QToolButton*, QString>> m_icons; // of the buttons below
    StageChooser* m_stages;
    QComboBox* m_modules;
    FilterButton* m_filter;
    ElidedLabel* m_figures;
    ElidedLabel* m_state;
    QToolButton* m_pin;
    QToolButton* m_copy;
};

// Registers, shared memory and spills, as ptxas gives them.
QString figuresOf(const session::FormSnapshot& form);

} // namespace hidet::ui
