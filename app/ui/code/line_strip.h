// SPDX-License-Identifier: GPL-3.0-only
// A strip beside a text: something is painted at each line that is seen, and moves with it.
#pragma once

#include <vector>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

class LineStrip : public QWidget {
    Q_OBJECT
public:
    LineStrip(CodeView& view, const QString& name, QWidget* parent);
    virtual QString hintOf(int line) const = 0; // 0-based; empty: nothing to say

signals:
    void lineClicked(int line);

protected:
    CodeView& view() const { return m_view; }
    std::vector<int> shownLines() const;
    QRect rowOf(int line) const; // as high as a line of text, also where it is not seen
    int lineAt(int y) const;     // -1: below the text
    virtual void paintRow(QPainter& painter, int line, const QRect& row) = 0;
    virtual void paintOver(QPainter&) {}

    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    CodeView& m_view;
};

} // namespace hidet::ui
