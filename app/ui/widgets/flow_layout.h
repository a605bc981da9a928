// SPDX-License-Identifier: GPL-3.0-only
// Widgets beside each other, and in the next line where a line is full.
#pragma once

#include <QLayout>

namespace hidet::ui {

class FlowLayout : public QLayout {
    Q_OBJECT
public:
    FlowLayout(int across, int down, QWidget* parent = nullptr); // pixels between neighbours
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { m_items.append(item); }
    int count() const override { return int(m_items.size()); }
    QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), false); }
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int place(const QRect& rect, bool moves) const; // the height that is taken

    const int m_across, m_down;
    QList<QLayoutItem*> m_items;
};

} // namespace hidet::ui
