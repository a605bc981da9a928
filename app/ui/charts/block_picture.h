// SPDX-License-Identifier: GPL-3.0-only
// Which elements of its operands one block reads and writes, each operand a grid of cells. The mouse or the arrow keys stand on
// a cell and say which elements it has.
#pragma once

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/session/explain/explain.h"
#include "app/ui/charts/grid_keys.h"
#include "app/ui/charts/spot_chart.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

class BlockPicture : public SpotChart {
    Q_OBJECT
public:
    explicit BlockPicture(ThemeSource& themes, QWidget* parent = nullptr) : SpotChart(themes, "block", parent) {
        setAccessibleName(tr("Elements that the block touches"));
    }

    // null: there is none
    void show(std::shared_ptr<const session::BlockView> block) {
        m_block = std::move(block);
        renew(nowhere);
    }

    using QWidget::show;
    QRect rectOf(int operand, int row, int column) const {
        const Shape& shape = m_shapes[std::size_t(operand)];
        const int left = shape.area.left() + column * shape.area.width() / shape.columns;
        const int top = shape.area.top() + row * shape.area.height() / shape.rows;
        const int right = shape.area.left() + (column + 1) * shape.area.width() / shape.columns;
        const int bottom = shape.area.top() + (row + 1) * shape.area.height() / shape.rows;
        return {left, top, right - left, bottom - top};
    }

    QString tsv() const override {
        QStringList lines{QStringList{"tensor", "row", "column", "read", "written"}.join('\t')};
        for (const BlockOperand& operand : m_block ? m_block->operands : std::vector<BlockOperand>())
            for (int row = 0; row < rowsOf(operand); ++row)
                for (int column = 0; column < columnsOf(operand); ++column) {
                    const double read = shareAt(operand.read_share, row, column);
                    const double written = shareAt(operand.written_share, row, column);
                    if (read > 0 || written > 0)
                        lines << QString("%1\t%2\t%3\t%4\t%5")
                                     .arg(text(operand.tensor))
                                     .arg(row * operand.cell_rows)
                                     .arg(column * operand.cell_columns)
                                     .arg(read)
                                     .arg(written);
                }
        return lines.join('\n') + '\n';
    }

    QSize minimumSizeHint() const override { return {240, 96}; }
    QSize sizeHint() const override { return {640, 220}; }

protected:
    // Side by side, each as large as its share of the width allows.
    void layOut() override {
        m_shapes.clear();
        const int count = m_block ? int(m_block->operands.size()) : 0;
        const int title = 2 * QFontMetrics(themes().smallFont()).height() + 4;
        for (int i = 0; i < count; ++i) {
            const BlockOperand& operand = m_block->operands[std::size_t(i)];
            const int width = (this->width() - 2 * block_margin - (count - 1) * between_operands) / count;
            const int height = this->height() - 2 * block_margin - title;
            Shape shape{{}, rowsOf(operand), columnsOf(operand), 0};
            if (i > 0)
                shape.first = m_shapes.back().first + m_shapes.back().rows * m_shapes.back().columns;
            // A cell is as wide as it is high by elements, where there is room for that.
            const double across = std::min(double(width) / shape.columns, double(most_block_cell));
            const double down = std::min(double(height) / shape.rows, double(most_block_cell));
            const double unit = std::min(across / double(operand.cell_columns), down / double(operand.cell_rows));
            const auto sized = [](double size, int cells) { return std::max(cells, int(size * cells)); };
            const bool isFlat = shape.rows == 1 || shape.columns == 1;
            shape.area = {block_margin + i * (width + between_operands), block_margin + title,
                          sized(isFlat ? across : unit * double(operand.cell_columns), shape.columns),
                          sized(isFlat ? down : unit * double(operand.cell_rows), shape.rows)};
            m_shapes.push_back(shape);
        }
        update();
    }

    void paintPlaces(QPainter& painter) const override {
        for (int operand = 0; operand < int(m_shapes.size()); ++operand)
            paintOperand(painter, operand);
    }

    QString wordsOfAll() const override {
        if (!m_block || m_block->operands.empty())
            return {};
        return tr("Blue is read, orange written, green both; faint where only some of the elements are");
    }

    QString wordsOf(int spot) const override {
        const Cell at = cellOf(spot);
        const BlockOperand& operand = m_block->operands[std::size_t(at.operand)];
        const std::int64_t row = at.row * operand.cell_rows, column = at.column * operand.cell_columns;
        const std::int64_t rows = std::min(operand.cell_rows, operand.rows - row),
                           columns = std::min(operand.cell_columns, operand.columns - column);
        const auto elements = [&](const auto& shares) {
            return qRound64(shareAt(shares, at.row, at.column) * double(rows * columns));
        };
        return tr("%1 [%2, %3]: reads %4, writes %5 of %6 elements")
            .arg(text(operand.tensor), rangeText(row, rows), rangeText(column, columns))
            .arg(elements(operand.read_share))
            .arg(elements(operand.written_share))
            .arg(rows * columns);
    }

    std::vector<QRectF> framesOf(int spot) const override {
        const Cell at = cellOf(spot);
        return {QRectF(rectOf(at.operand, at.row, at.column)).adjusted(-0.5, -0.5, 0.5, 0.5)};
    }

    int spotAt(const QPointF& where) const override {
        for (int i = 0; i < int(m_shapes.size()); ++i) {
            const Shape& shape = m_shapes[std::size_t(i)];
            if (!shape.area.contains(where.toPoint()))
                continue;
            const QPoint place = where.toPoint() - shape.area.topLeft();
            return spotOf({i, std::min(place.y() * shape.rows / shape.area.height(), shape.rows - 1),
                           std::min(place.x() * shape.columns / shape.area.width(), shape.columns - 1)});
        }
        return nowhere;
    }

    // Beyond the last column of an operand the next one begins.
    std::optional<int> spotByKey(int key) const override {
        if (m_shapes.empty())
            return std::nullopt;
        Cell to = spot() == nowhere ? Cell{0, 0, -1} : cellOf(spot());
        GridStep step{to.row, to.column};
        if (!moveByKey(key, m_shapes[std::size_t(to.operand)].columns, step))
            return std::nullopt;
        if (step.column >= m_shapes[std::size_t(to.operand)].columns && to.operand + 1 < int(m_shapes.size()))
            ++to.operand, step.column = 0;
        else if (step.column < 0 && to.operand > 0)
            --to.operand, step.column = m_shapes[std::size_t(to.operand)].columns - 1;
        const Shape& shape = m_shapes[std::size_t(to.operand)];
        return spotOf(
            {to.operand, std::clamp(step.row, 0, shape.rows - 1), std::clamp(step.column, 0, shape.columns - 1)});
    }

private:
    using BlockOperand = session::BlockOperand;
    static constexpr int block_margin = 8, between_operands = 16, most_block_cell = 24;
    static constexpr double read_hue = 250, written_hue = 40, both_hue = 145;
    static double shareAt(const std::vector<std::vector<double>>& shares, int row, int column) {
        return shares.empty() ? 0 : shares[std::size_t(row)][std::size_t(column)];
    }

    static int rowsOf(const BlockOperand& operand) {
        return int((operand.rows + operand.cell_rows - 1) / operand.cell_rows);
    }

    static int columnsOf(const BlockOperand& operand) {
        return int((operand.columns + operand.cell_columns - 1) / operand.cell_columns);
    }

    static QString rangeText(std::int64_t first, std::int64_t count) {
        return count == 1 ? QString::number(first) : QString("%1:%2").arg(first).arg(first + count);
    }

    static QString shapeOf(const BlockOperand& operand) {
        const QStringList extents = numbersOf(operand.shape);
        return text(operand.dtype) + '[' + extents.join(", ") + ']';
    }

    struct Cell {
        int operand = 0, row = 0, column = 0;
    };
    struct Shape { // of the grid of an operand
        QRect area;
        int rows = 0, columns = 0;
        int first = 0; // the number of its first cell
    };
    Cell cellOf(int spot) const {
        std::size_t operand = m_shapes.size() - 1;
        while (operand > 0 && spot < m_shapes[operand].first)
            --operand;
        const Shape& shape = m_shapes[operand];
        return {int(operand), (spot - shape.first) / shape.columns, (spot - shape.first) % shape.columns};
    }

    int spotOf(const Cell& cell) const {
        const Shape& shape = m_shapes[std::size_t(cell.operand)];
        return shape.first + cell.row * shape.columns + cell.column;
    }

    QColor colorOf(const BlockOperand& operand, int row, int column) const {
        const Theme& theme = this->theme();
        const double read = shareAt(operand.read_share, row, column),
                     written = shareAt(operand.written_share, row, column);
        const double share = std::max(read, written);
        if (share <= 0)
            return theme.panel;
        const double hue = read > 0 && written > 0 ? both_hue : written > 0 ? written_hue : read_hue;
        const QColor full = oklch(theme.dark ? 0.55 : 0.72, 0.13, hue);
        const double strength = 0.35 + 0.65 * std::min(share, 1.0);
        const auto mixed = [&](int from, int to) { return int(std::lround(from + (to - from) * strength)); };
        const QColor out(mixed(theme.panel.red(), full.red()), mixed(theme.panel.green(), full.green()),
                         mixed(theme.panel.blue(), full.blue()));
        return shown(out);
    }

    void paintOperand(QPainter& painter, int operand) const {
        const Theme& theme = this->theme();
        const BlockOperand& of = m_block->operands[std::size_t(operand)];
        const Shape& shape = m_shapes[std::size_t(operand)];
        const QFontMetrics metrics(painter.font());
        const int width = (this->width() - 2 * block_margin) / int(m_shapes.size()) - between_operands / 2;
        painter.setPen(isStale() ? theme.muted : theme.text);
        const QStringList title = titleOf(of).split('\n');
        for (int line = 0; line < title.size(); ++line)
            painter.drawText(QRect(shape.area.left(), block_margin + line * metrics.height(), width, metrics.height()),
                             Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(title[line], Qt::ElideRight, width));
        for (int row = 0; row < shape.rows; ++row)
            for (int column = 0; column < shape.columns; ++column)
                painter.fillRect(rectOf(operand, row, column), colorOf(of, row, column));
        painter.setPen(theme.line);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(shape.area.adjusted(-1, -1, 0, 0));
    }

    QString titleOf(const BlockOperand& operand) const {
        QStringList does;
        if (operand.read > 0)
            does << tr("reads %1").arg(operand.read);
        if (operand.written > 0)
            does << tr("writes %1").arg(operand.written);
        QString out = text(operand.tensor) + ' ' + shapeOf(operand) + '\n' + does.join(tr(" and "));
        QStringList hull;
        for (std::size_t d = 0; d < operand.low.size(); ++d)
            hull << rangeText(operand.low[d], operand.high[d] - operand.low[d] + 1);
        if (!hull.isEmpty())
            out += tr(" in [%1]").arg(hull.join(", "));
        if (operand.is_at_most)
            out += tr(", at most");
        if (operand.outside > 0)
            out += tr("; %1 bytes outside").arg(operand.outside);
        return out;
    }

    std::shared_ptr<const session::BlockView> m_block;
    std::vector<Shape> m_shapes;
};

} // namespace hidet::ui
