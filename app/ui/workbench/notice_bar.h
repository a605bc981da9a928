// SPDX-License-Identifier: GPL-3.0-only
// The notices above the scripts, newest last, each a line with its buttons. What is only said and offers nothing goes away
// with the next of its kind.
#pragma once

#include <vector>

#include <QLabel>
#include <QWidget>

#include "app/ui/workbench/studio.h"

class QVBoxLayout;

namespace hidet::ui {

class NoticeBar : public QWidget {
    Q_OBJECT
public:
    NoticeBar(Studio& studio, QWidget* parent = nullptr);

    QStringList sentences() const; // what is shown
    // Takes an offer by its text, as its button does; false: nothing shown offers it.
    bool take(const QString& offer);
    void dismissAll();

private:
    struct Row {
        Notice notice;
        QWidget* widget;
        QLabel* icon;
    };
    void add(const Notice& notice);
    void dismiss(QWidget* widget);
    void remove(std::size_t index);
    void removeIf(const std::function<bool(const Notice&)>& condition);
    QWidget* widgetOf(const Notice& notice, QLabel*& icon);
    void applyTheme();

    Studio& m_studio;
    QVBoxLayout* m_column;
    std::vector<Row> m_rows;
};

} // namespace hidet::ui
