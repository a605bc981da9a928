// SPDX-License-Identifier: GPL-3.0-only
// Pages in the place of editor and panes: welcome, settings, shortcuts, about, what changed. Esc goes back to the scripts.
#pragma once

#include <QHash>
#include <QStackedWidget>

#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class PageHost : public QStackedWidget {
    Q_OBJECT
public:
    PageHost(Studio& studio, QWidget* work, QWidget* parent = nullptr);

    QString page() const { return m_page; } // empty: the scripts
    QWidget* pageWidget() const { return m_page.isEmpty() ? nullptr : currentWidget(); }
    void open(const QString& id);
    void close(); // with nothing open: welcome

signals:
    void pageChanged();

private:
    void bring(const QString& id);

    Studio& m_studio;
    QWidget* m_work;
    QString m_page;
    QHash<QString, QWidget*> m_pages;
};

} // namespace hidet::ui
