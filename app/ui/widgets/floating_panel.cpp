// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/floating_panel.h"

#include <algorithm>

#include <QKeyEvent>
#include <QPainter>

namespace hidet::ui {

constexpr int gap = 4;

FloatingPanel::FloatingPanel(CodeView& view) : QFrame(view.window()), m_view(view) {
    setFocusPolicy(Qt::NoFocus);
    setVisible(false);
}

QRect FloatingPanel::rectInWindow(ByteRange range) const {
    const QRect rect = m_view.rectOf(range);
    return {m_view.viewport()->mapTo(parentWidget(), rect.topLeft()), rect.size()};
}

void FloatingPanel::placeAt(ByteRange range, Prefer prefer) {
    m_range = range;
    m_prefer = prefer;
    const QRect anchor = rectInWindow(range);
    const QRect window = parentWidget()->rect().adjusted(gap, gap, -gap, -gap);
    const int above = anchor.top() - height() - gap;
    const int below = anchor.bottom() + gap;
    const bool fitsAbove = above >= window.top();
    const bool fitsBelow = below + height() <= window.bottom();
    const bool goesAbove = prefer == Prefer::Above ? fitsAbove || !fitsBelow : fitsAbove && !fitsBelow;
    const int x = std::clamp(anchor.left(), window.left(), std::max(window.left(), window.right() - width()));
    move(x, std::clamp(goesAbove ? above : below, window.top(), std::max(window.top(), window.bottom() - height())));
    raise();
}

void FloatingPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().line);
    painter.setBrush(theme().raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

void FloatingPanel::leave() {
    if (!isVisible())
        return;
    setVisible(false);
    m_view.setFocus(Qt::OtherFocusReason);
}

bool FloatingPanel::filterField(QEvent* event, const std::function<void()>& onReturn) {
    if (event->type() == QEvent::FocusOut) {
        setVisible(false);
        return false;
    }
    return filterKeys(event, onReturn, [this] { leave(); });
}

bool filterKeys(QEvent* event, const std::function<void()>& onReturn, const std::function<void()>& onEscape) {
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return false;
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (key != Qt::Key_Escape && !enter)
        return false;
    if (event->type() == QEvent::ShortcutOverride)
        event->accept();
    else if (enter)
        onReturn();
    else
        onEscape();
    return true;
}

} // namespace hidet::ui
