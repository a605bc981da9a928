// SPDX-License-Identifier: GPL-3.0-only
// Shows one after the other what is seen all at once: a slider, and a button that moves it.
#pragma once

#include <QSlider>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "app/ui/core/theme.h"

namespace hidet::ui {

struct StepWords {
    QString id;    // the beginning of object names: "mapping"
    QString play;  // what the button does
    QString name;  // of the slider
    QString steps; // what the slider does
};

class StepPlayer : public QWidget {
    Q_OBJECT
public:
    StepPlayer(ThemeSource& themes, const StepWords& words, QWidget* parent);
    void setCount(int steps); // hidden where there is one, or none
    void setStep(int step) { m_slider->setValue(step); }
    void rewind(); // all of them are shown
    int step() const { return m_slider->value(); }
    int count() const { return m_slider->maximum(); }

signals:
    void stepChanged(int step); // how many are shown; 0: all

private:
    void play(bool on);
    void applyTheme();

    ThemeSource& m_themes;
    QToolButton* m_play = new QToolButton(this);
    QSlider* m_slider = new QSlider(Qt::Horizontal, this);
    QTimer m_timer;
};

} // namespace hidet::ui
