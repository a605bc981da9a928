// SPDX-License-Identifier: GPL-3.0-only
// All of a slice at once, folded into few cells: by size, or by how far they are off, where stripes show a wrong stride. The
// frame is what the grid shows; a click moves the grid there.
#pragma once

#include <QImage>
#include <QWidget>

#include "app/ui/tensors/tensor_grid.h"

namespace hidet::ui {

class TensorMapView : public QWidget {
    Q_OBJECT
public:
    TensorMapView(ThemeSource& themes, QWidget* parent);

    void show(const TensorDataPtr& data, TensorLook look);
    void setOwnerPart(OwnerPart part);
    using QWidget::show;
    void setVisibleCells(const QRect& cells);           // of the slice
    const QImage& picture() const { return m_picture; } // a pixel for each cell
    QString words() const;
    QSize sizeHint() const override { return {160, 120}; }
    QSize minimumSizeHint() const override { return {96, 64}; }

signals:
    void chosen(qint64 row, qint64 column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    const session::TensorMap* map() const;
    QColor colorOf(std::size_t cell, double greatest) const;
    void draw();
    QRect area() const;
    void choose(const QPoint& place);

    ThemeSource& m_themes;
    TensorDataPtr m_data;
    TensorLook m_look = TensorLook::Values; // of those that it can show
    OwnerPart m_part = OwnerPart::Lane;
    QImage m_picture;
    QRect m_visible;
};

// How many elements lie where between the least and the greatest.
class TensorHistogram : public QWidget {
    Q_OBJECT
public:
    TensorHistogram(ThemeSource& themes, QWidget* parent);
    void show(const TensorDataPtr& data);
    using QWidget::show;
    QSize sizeHint() const override { return {200, 64}; }
    QSize minimumSizeHint() const override { return {120, 40}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ThemeSource& m_themes;
    TensorDataPtr m_data;
};

} // namespace hidet::ui
