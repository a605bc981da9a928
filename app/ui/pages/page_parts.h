// SPDX-License-Identifier: GPL-3.0-only
// What pages are made of: a column of at most 880 pixels that scrolls, a title, headings.
#pragma once

#include <QLabel>
#include <QScrollArea>

#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class Page : public QScrollArea {
    Q_OBJECT
public:
    explicit Page(const QString& title, int width = 880);
    QVBoxLayout* column() const { return m_column; } // below the title
    QHBoxLayout* head() const { return m_head; }     // to the right of the title
    void fillHeight();                               // the column takes all of it

private:
    QVBoxLayout* m_column;
    QHBoxLayout* m_head;
    QVBoxLayout* m_all;
};

QWidget* barOfPage(BoxParts parts); // above a page that fills the room: a row
QLabel* headingOf(const QString& text);
QLabel* mutedLabel(const QString& text);

} // namespace hidet::ui
