// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/line_strip.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "app/ui/code/carets.h"

namespace hidet::ui {

LineStrip::LineStrip(CodeView& view, const QString& name, QWidget* parent) : QWidget(parent), m_view(view) {
    setObjectName(name);
    const auto repaint = qOverload<>(&QWidget::update);
    connect(&view, &CodeView::scrolled, this, repaint);
    connect(&view, &CodeView::textShown, this, repaint);
    connect(&view, &QsciScintilla::linesChanged, this, repaint);
    connect(&view.themes(), &ThemeSource::changed, this, repaint);
}

std::vector<int> LineStrip::shownLines() const {
    const long first = ask(m_view, QsciScintillaBase::SCI_GETFIRSTVISIBLELINE);
    const long count = ask(m_view, QsciScintillaBase::SCI_LINESONSCREEN) + 1;
    const int lines = lineCount(m_view);
    std::vector<int> out;
    for (long row = 0; row < count; ++row) {
        const int line = static_cast<int>(ask(m_view, QsciScintillaBase::SCI_DOCLINEFROMVISIBLE, first + row));
        if (line < lines && (out.empty() || out.back() != line))
            out.push_back(line);
    }
    return out;
}

QRect LineStrip::rowOf(int line) const {
    return {0, m_view.topOfLine(line), width(), static_cast<int>(ask(m_view, QsciScintillaBase::SCI_TEXTHEIGHT))};
}

int LineStrip::lineAt(int y) const {
    for (int line : shownLines())
        if (const QRect row = rowOf(line); row.top() <= y && y <= row.bottom())
            return line;
    return -1;
}

void LineStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_view.themes().theme().panel);
    for (int line : shownLines())
        paintRow(painter, line, rowOf(line));
    paintOver(painter);
}

bool LineStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int line = lineAt(help->pos().y());
    QToolTip::showText(help->globalPos(), line < 0 ? QString() : hintOf(line), this);
    return true;
}

void LineStrip::mousePressEvent(QMouseEvent* event) {
    const int line = lineAt(static_cast<int>(event->position().y()));
    if (event->button() == Qt::LeftButton && line >= 0)
        emit lineClicked(line);
}

} // namespace hidet::ui
