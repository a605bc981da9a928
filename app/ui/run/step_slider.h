// SPDX-License-Identifier: GPL-3.0-only
// The texts that a script was, as a slider: at the right end it is what it is now. Beside it stands what the text of the step
// costs, and what changed against the step before.
#pragma once

#include <QDateTime>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QWidget>
#include <algorithm>
#include <vector>

#include "app/session/kernel_bench/steps.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class StepSlider : public QWidget {
    Q_OBJECT
public:
    StepSlider(ThemeSource& themes, QWidget* parent)
        : QWidget(parent), m_themes(themes), m_older(stepButton("steps.older", tr("The text before"), this)),
          m_newer(stepButton("steps.newer", tr("The text after"), this)),
          m_restore(stepButton("steps.restore", tr("Restore this text"), this)) {
        setNames("steps", m_slider, "slider", m_figures, "figures");
        m_slider->setAccessibleName(tr("The texts that the script was"));
        m_slider->setToolTip(
            tr("Shows what has changed since the text of a run or of an edit; at the right end the script as it is"));
        m_slider->setPageStep(1);
        m_slider->setMinimumWidth(160);
        m_slider->setMaximumWidth(320);
        m_restore->setText(m_restore->accessibleName());
        m_restore->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        newRow({8, 2, 8, 2}, 4, {m_older, {m_slider, 1}, m_newer, {m_figures, 3}, m_restore}, this);
        connect(m_older, &QToolButton::clicked, this, [this] { step(-1); });
        connect(m_newer, &QToolButton::clicked, this, [this] { step(1); });
        connect(m_restore, &QToolButton::clicked, this, &StepSlider::restoreRequested);
        connect(m_slider, &QSlider::valueChanged, this, [this] {
            showFigures();
            emit stepChosen();
        });
        themes.follow(this, &StepSlider::applyTheme);
        setSteps({});
    }

    // Oldest first; the last one is the text as it is. The step that was chosen stays so while it is there.
    void setSteps(std::vector<session::TextStep> steps) {
        const bool wasNow = m_steps.empty() || isNow();
        const session::TextStep before = wasNow ? session::TextStep() : *chosen();
        m_steps = std::move(steps);
        const int last = std::max(0, static_cast<int>(m_steps.size()) - 1);
        const auto same = std::find_if(m_steps.begin(), m_steps.end(), [&](const session::TextStep& step) {
            return step.when == before.when && step.hash == before.hash;
        });
        {
            const QSignalBlocker blocker(m_slider);
            m_slider->setRange(0, last);
            m_slider->setValue(wasNow || same == m_steps.end() ? last : static_cast<int>(same - m_steps.begin()));
        }
        setVisible(m_steps.size() > 1);
        showFigures();
    }

    // as far as it goes
    void step(int by) { m_slider->setValue(m_slider->value() + by); }
    bool canStep(int by) const {
        const int wanted = m_slider->value() + by;
        return m_steps.size() > 1 && wanted >= 0 && wanted <= m_slider->maximum();
    }

    // null: there is none
    const session::TextStep* chosen() const {
        const auto at = static_cast<std::size_t>(m_slider->value());
        return at < m_steps.size() ? &m_steps[at] : nullptr;
    }

    bool isNow() const { return m_slider->value() == m_slider->maximum(); }
    // "edit of 14:03:12", "run of 14:03:12"
    static QString nameOf(const session::TextStep& step) {
        if (step.run && !step.run->name.empty())
            return text(step.run->name);
        const QDateTime when = QDateTime::fromString(text(step.when), Qt::ISODateWithMs).toLocalTime();
        const QString time = when.toString(when.date() == QDate::currentDate() ? "HH:mm:ss" : "yyyy-MM-dd HH:mm");
        return (step.runs > 0 ? tr("run of %1") : tr("edit of %1")).arg(time);
    }

signals:
    void stepChosen(); // by the user
    void restoreRequested();

private:
    static QToolButton* stepButton(const char* name, const QString& text, QWidget* parent) {
        auto* out = new QToolButton(parent);
        out->setObjectName(name);
        out->setAccessibleName(text);
        out->setToolTip(text);
        out->setFocusPolicy(Qt::TabFocus);
        return out;
    }

    void showFigures() {
        const session::TextStep* step = chosen();
        m_restore->setEnabled(step && !isNow());
        m_older->setEnabled(canStep(-1));
        m_newer->setEnabled(canStep(1));
        if (!step)
            return m_figures->setText({});
        const QString name = isNow() ? tr("now") : nameOf(*step);
        QStringList parts{tr("%1 of %2, %3").arg(m_slider->value() + 1).arg(m_steps.size()).arg(name)};
        parts << textsOf(session::words_of(step->figures));
        QString said = parts.join(QString(" ") + QChar(0x00b7) + ' ');
        if (!step->changes.empty())
            said += tr("; against the step before: %1").arg(textsOf(step->changes).join("; "));
        m_figures->setText(said);
        m_figures->setAccessibleName(said);
        m_slider->setAccessibleDescription(said);
    }

    void applyTheme() {
        const QColor color = m_themes.theme().text;
        m_older->setIcon(icon("left", color));
        m_newer->setIcon(icon("right", color));
        m_restore->setIcon(icon("history", color));
    }

    ThemeSource& m_themes;
    QToolButton* m_older;
    QSlider* m_slider = new QSlider(Qt::Horizontal, this);
    QToolButton* m_newer;
    ElidedLabel* m_figures = new ElidedLabel(this);
    QToolButton* m_restore;
    std::vector<session::TextStep> m_steps;
};

} // namespace hidet::ui
