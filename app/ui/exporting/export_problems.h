// SPDX-License-Identifier: GPL-3.0-only
// Why there is nothing to export. What has a place leads there, by Enter and by a click.
#pragma once

#include <functional>

#include <QTreeWidget>

#include "app/session/snapshot/snapshot.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class ExportProblems : public QTreeWidget {
    Q_OBJECT
public:
    explicit ExportProblems(ThemeSource& themes, QWidget* parent = nullptr);

    // `leads`: whether a place can be shown. A hint follows what is wrong, if there is one.
    void show(const std::vector<session::DiagnosticView>& diagnostics,
              const std::function<bool(const session::Place&)>& leads, const QString& hint);
    using QTreeWidget::show;

signals:
    void placeChosen(const hidet::session::Place& place);

private:
    void add(const QString& message, const session::Place& place, const QString& iconName, const QColor& color);
    void follow(QTreeWidgetItem* item);

    ThemeSource& m_themes;
    std::vector<session::Place> m_places; // by row; not known: it leads nowhere
};

} // namespace hidet::ui
