// SPDX-License-Identifier: GPL-3.0-only
// Which elements of its operands one block reads and writes, each operand a grid of cells. The mouse or the arrow keys stand on
// a cell and say which elements it has.
#pragma once

#include <memory>

#include "app/session/explain/explain.h"
#include "app/ui/charts/spot_chart.h"

namespace hidet::ui {

class BlockPicture : public SpotChart {
    Q_OBJECT
public:
    explicit BlockPicture(ThemeSource& themes, QWidget* parent = nullptr);

    void show(std::shared_ptr<const session::BlockView> block); // null: there is none
    using QWidget::show;
    QRect rectOf(int operand, int row, int column) const;
    QString tsv() const override;
    QSize minimumSizeHint() const override { return {240, 96}; }
    QSize sizeHint() const override { return {640, 220}; }

protected:
    void layOut() override;
    void paintPlaces(QPainter& painter) const override;
    QString wordsOfAll() const override;
    QString wordsOf(int spot) const override;
    std::vector<QRectF> framesOf(int spot) const override;
    int spotAt(const QPointF& place) const override;
    std::optional<int> spotByKey(int key) const override;

private:
    struct Cell {
        int operand = 0, row = 0, column = 0;
    };
    struct Shape { // of the grid of an operand
        QRect area;
        int rows = 0, columns = 0;
        int first = 0; // the number of its first cell
    };
    Cell cellOf(int spot) const;
    int spotOf(const Cell& cell) const;
    QColor colorOf(const session::BlockOperand& operand, int row, int column) const;
    void paintOperand(QPainter& painter, int operand) const;
    QString titleOf(const session::BlockOperand& operand) const;

    std::shared_ptr<const session::BlockView> m_block;
    std::vector<Shape> m_shapes;
};

} // namespace hidet::ui
