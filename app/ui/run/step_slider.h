// SPDX-License-Identifier: GPL-3.0-only
// The texts that a script was, as a slider: at the right end it is what it is now. Beside it stands what the text of the step
// costs, and what changed against the step before.
#pragma once

#include <vector>

#include <QSlider>
#include <QToolButton>
#include <QWidget>

#include "app/session/kernel_bench/steps.h"
#include "app/ui/core/theme.h"
#include "app/ui/widgets/elided_label.h"

namespace hidet::ui {

class StepSlider : public QWidget {
    Q_OBJECT
public:
    StepSlider(ThemeSource& themes, QWidget* parent);

    // Oldest first; the last one is the text as it is. The step that was chosen stays so while it is there.
    void setSteps(std::vector<session::TextStep> steps);
    void step(int by); // as far as it goes
    bool canStep(int by) const;
    const session::TextStep* chosen() const; // null: there is none
    bool isNow() const { return m_slider->value() == m_slider->maximum(); }
    static QString nameOf(const session::TextStep& step); // "edit of 14:03:12", "run of 14:03:12"

signals:
    void stepChosen(); // by the user
    void restoreRequested();

private:
    void showFigures();
    void applyTheme();

    ThemeSource& m_themes;
    QToolButton* m_older;
    QSlider* m_slider = new QSlider(Qt::Horizontal, this);
    QToolButton* m_newer;
    ElidedLabel* m_figures = new ElidedLabel(this);
    QToolButton* m_restore;
    std::vector<session::TextStep> m_steps;
};

} // namespace hidet::ui
