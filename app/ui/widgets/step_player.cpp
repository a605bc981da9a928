// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/step_player.h"

#include "app/ui/core/icons.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {
constexpr int pause = 500; // milliseconds from one step to the next
}

StepPlayer::StepPlayer(ThemeSource& themes, const StepWords& words, QWidget* parent)
    : QWidget(parent), m_themes(themes) {
    m_play->setObjectName(words.id + ".play");
    m_play->setAccessibleName(tr("Play"));
    m_play->setToolTip(words.play);
    m_play->setCheckable(true);
    m_play->setAutoRaise(true);
    m_play->setFocusPolicy(Qt::TabFocus);
    m_slider->setObjectName(words.id + ".step");
    m_slider->setAccessibleName(words.name);
    m_slider->setToolTip(words.steps);
    m_slider->setFixedWidth(96);
    newRow({}, 2, {m_play, m_slider}, this);
    m_timer.setInterval(pause);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (m_slider->value() == m_slider->maximum())
            m_play->setChecked(false);
        else
            m_slider->setValue(m_slider->value() + 1);
    });
    connect(m_play, &QToolButton::toggled, this, &StepPlayer::play);
    connect(m_slider, &QSlider::valueChanged, this, &StepPlayer::stepChanged);
    themes.follow(this, &StepPlayer::applyTheme);
}

void StepPlayer::applyTheme() {
    m_play->setIcon(icon(m_play->isChecked() ? "stop" : "run", m_themes.theme().muted));
}

void StepPlayer::setCount(int steps) {
    setVisible(steps > 1);
    m_slider->setRange(0, steps > 1 ? steps : 0);
}

void StepPlayer::rewind() {
    m_play->setChecked(false);
    m_slider->setValue(0);
}

void StepPlayer::play(bool on) {
    applyTheme();
    if (!on)
        return m_timer.stop();
    // The first step is there at once.
    m_slider->setValue(m_slider->value() == m_slider->maximum() ? 1 : m_slider->value() + 1);
    m_timer.start();
}

} // namespace hidet::ui
