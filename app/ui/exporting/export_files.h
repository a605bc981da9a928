// SPDX-License-Identifier: GPL-3.0-only
// The files of an export before they are written: their names and sizes, and what is in the one that is chosen.
#pragma once

#include <QLabel>
#include <QTreeWidget>

#include "app/session/exporting/file_view.h"
#include "app/ui/code/code_view.h"
#include "app/ui/core/latest_task.h"

namespace hidet::ui {

class ExportFiles : public QWidget {
    Q_OBJECT
public:
    explicit ExportFiles(ThemeSource& themes, QWidget* parent = nullptr);

    void show(std::shared_ptr<const session::ExportResult> result); // keeps the file that is chosen, by its name
    using QWidget::show;
    void setStale();                             // until others are shown
    void markExisting(const QStringList& names); // that would be overwritten
    CodeView& view() { return *m_view; }
    bool isSettled() const { return !m_looking.busy(); }

private:
    void showFile();

    ThemeSource& m_themes;
    QTreeWidget* m_list = new QTreeWidget;
    QLabel* m_about = new QLabel;
    CodeView* m_view = new CodeView(m_themes, Language::Plain);
    std::shared_ptr<const session::ExportResult> m_result;
    QString m_wanted; // the file that was chosen
    LatestTask m_looking;
};

Language languageOfFile(const QString& path);

} // namespace hidet::ui
