// SPDX-License-Identifier: GPL-3.0-only
// Shows the tasks of all workers one after the other: a slider, and a button that moves it.
#pragma once

#include <QSlider>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "app/ui/core/theme.h"

namespace hidet::ui {

class StepPlayer : public QWidget {
    Q_OBJECT
public:
    StepPlayer(ThemeSource& themes, QWidget* parent);
    void setCount(int tasks); // hidden where there is one, or none
    void rewind();            // all of them are shown
    int step() const { return m_slider->value(); }
    int count() const { return m_slider->maximum(); }

signals:
    void stepChanged(int tasks); // how many of each worker are shown; 0: all

private:
    void play(bool on);
    void applyTheme();

    ThemeSource& m_themes;
    QToolButton* m_play;
    QSlider* m_slider;
    QTimer m_timer;
};

} // namespace hidet::ui
