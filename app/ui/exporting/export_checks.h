// SPDX-License-Identifier: GPL-3.0-only
// What was checked of an export, what came of it, and what could not be: hidden until something was.
#pragma once

#include <QLabel>
#include <QTreeWidget>

#include "app/session/exporting/verify_export.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class ExportChecks : public QWidget {
    Q_OBJECT
public:
    explicit ExportChecks(ThemeSource& themes, QWidget* parent = nullptr);

    void show(const std::vector<session::CheckStep>& steps, bool isChecking);
    using QWidget::show;

private:
    ThemeSource& m_themes;
    QLabel* m_verdict = new QLabel;
    QTreeWidget* m_steps = new QTreeWidget;
};

} // namespace hidet::ui
