// SPDX-License-Identifier: GPL-3.0-only
// Which elements of its operands one block reads and writes, each operand a grid of cells. The mouse or the arrow keys stand on
// a cell and say which elements it has.
#pragma once

#include <memory>

#include <QWidget>

#include "app/session/explain/explain.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class BlockPicture : public QWidget {
    Q_OBJECT
public:
    explicit BlockPicture(ThemeSource& themes, QWidget* parent = nullptr);

    void show(std::shared_ptr<const session::BlockView> block); // null: there is none
    using QWidget::show;
    void setStale(bool isStale);
    QRect rectOf(int operand, int row, int column) const;
    QString words() const; // of the cell that the mouse or the keyboard is on; else of all
    QString tsv() const;
    SavedPicture saved();
    QSize minimumSizeHint() const override { return {240, 96}; }
    QSize sizeHint() const override { return {640, 220}; }

signals:
    void wordsChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Spot {
        int operand = -1, row = 0, column = 0;
        friend bool operator==(const Spot&, const Spot&) = default;
    };
    struct Shape { // of the grid of an operand
        QRect area;
        int rows = 0, columns = 0;
    };
    void layOut();
    void setSpot(Spot spot);
    QColor colorOf(const session::BlockOperand& operand, int row, int column) const;
    void paintOperand(QPainter& painter, int operand) const;
    QString titleOf(const session::BlockOperand& operand) const;

    ThemeSource& m_themes;
    std::shared_ptr<const session::BlockView> m_block;
    std::vector<Shape> m_shapes;
    Spot m_spot;
    bool m_isStale = false;
};

} // namespace hidet::ui
