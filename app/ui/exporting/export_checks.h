// SPDX-License-Identifier: GPL-3.0-only
// What was checked of an export, what came of it, and what could not be: hidden until something was.
#pragma once

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <algorithm>

#include "app/session/exporting/verify_export.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class ExportChecks : public QWidget {
    Q_OBJECT
public:
    explicit ExportChecks(ThemeSource& themes, QWidget* parent = nullptr) : QWidget(parent), m_themes(themes) {
        setNames("export", m_verdict, "verdict", m_steps, "steps");
        m_verdict->setProperty("role", "heading");
        m_steps->setAccessibleName(tr("What was checked"));
        m_steps->setHeaderHidden(true);
        m_steps->setRootIsDecorated(false);
        m_steps->setColumnCount(2);
        m_steps->header()->setStretchLastSection(true);
        m_steps->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
        newColumn({0, 0, 0, 4}, 4, {m_verdict, m_steps}, this);
    }

    void show(const std::vector<session::CheckStep>& steps, bool isChecking) {
        using State = session::CheckStep::State;
        const Theme& theme = m_themes.theme();
        m_steps->clear();
        for (const session::CheckStep& step : steps) {
            const bool isPassed = step.state == State::Passed, isFailed = step.state == State::Failed;
            auto* item = new QTreeWidgetItem(m_steps, {text(step.what), text(step.said).section('\n', -1)});
            item->setIcon(0, icon(isPassed   ? "ok"
                                  : isFailed ? "error"
                                             : "warning",
                                  isPassed   ? theme.ok
                                  : isFailed ? theme.error
                                             : theme.warning));
            item->setToolTip(1, wrappedTip(text(step.said)));
            item->setForeground(1, isFailed ? theme.error : theme.muted);
        }
        m_verdict->setText(isChecking ? tr("Checking") : tr("Check: %1").arg(text(verdict_of(steps)).toLower()));
        m_steps->setVisible(!steps.empty());
        setVisible(!steps.empty() || isChecking);
        const int rows = std::clamp(m_steps->topLevelItemCount(), 1, most_steps);
        const int height = std::max(m_steps->sizeHintForRow(0), m_steps->fontMetrics().height() + 6);
        m_steps->setFixedHeight(rows * height + 2 * m_steps->frameWidth() + 2);
    }

    using QWidget::show;

private:
    static constexpr int most_steps = 6; // that are seen without scrolling

    ThemeSource& m_themes;
    QLabel* m_verdict = new QLabel;
    QTreeWidget* m_steps = new QTreeWidget;
};

} // namespace hidet::ui
