// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/flow_layout.h"

#include <algorithm>

namespace hidet::ui {

FlowLayout::FlowLayout(int across, int down, QWidget* parent) : QLayout(parent), m_across(across), m_down(down) {}

FlowLayout::~FlowLayout() {
    qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::takeAt(int index) {
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QSize FlowLayout::minimumSize() const {
    QSize out;
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty())
            out = out.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return out + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    place(rect, true);
}

// Items of a line have the height of the tallest one before them and behind them.
int FlowLayout::place(const QRect& rect, bool moves) const {
    const QRect room = rect.marginsRemoved(contentsMargins());
    QList<QLayoutItem*> line;
    int x = room.left(), y = room.top(), height = 0;
    const auto end = [&] {
        int at = room.left();
        for (QLayoutItem* item : line) {
            const QSize size = item->sizeHint();
            if (moves)
                item->setGeometry(QRect(at, y + (height - size.height()) / 2, size.width(), size.height()));
            at += size.width() + m_across;
        }
        line.clear();
    };
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size = item->sizeHint();
        if (!line.isEmpty() && x + size.width() > room.right() + 1) {
            end();
            x = room.left();
            y += height + m_down;
            height = 0;
        }
        line.append(item);
        x += size.width() + m_across;
        height = std::max(height, size.height());
    }
    end();
    return y + height - rect.top() + contentsMargins().bottom();
}

} // namespace hidet::ui
