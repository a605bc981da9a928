// SPDX-License-Identifier: GPL-3.0-only
// The elements of a slice as numbers in their colours. However large the slice is, only what is seen of it is read.
#pragma once

#include <QAbstractScrollArea>

#include "app/session/kernel_bench/owners.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/theme.h"
#include "app/ui/tensors/tensor_data.h"

namespace hidet::ui {

enum class TensorLook { Values, Wanted, Differences, Owners };
enum class OwnerPart { Lane, Warp, Block }; // by which elements are coloured

int partOf(const session::TensorOwner& owner, OwnerPart part); // its number

// Colours of elements: by size on both sides of zero, by how far they are off, and of what is no number.
class TensorColors {
public:
    explicit TensorColors(const Theme& theme) : m_theme(&theme) {}
    QColor ofValue(double value, double greatest) const; // the greatest magnitude has the full colour
    QColor ofError(double error) const;                  // over what is tolerated
    QColor ofOwner(int number, double error) const;      // right elements are fainter
    QColor textOn(const QColor& ground) const { return m_theme->readable(m_theme->text, ground); }

private:
    const Theme* m_theme;
};

class TensorGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    TensorGrid(ThemeSource& themes, QWidget* parent);

    void show(const TensorDataPtr& data);
    using QWidget::show;
    void setLook(TensorLook look);
    TensorLook look() const { return m_look; }
    void setFormatting(const session::TensorFormatting& how);
    void setHeat(bool on);
    void setOwnerPart(OwnerPart part);
    void goTo(std::int64_t row, std::int64_t column);
    std::int64_t currentElement() const;                         // its number; -1: none
    QString sentence() const;                                    // of the current element
    QString textAt(std::int64_t row, std::int64_t column) const; // empty: not read yet
    QRect visibleCells() const;
    bool isFilled() const { return !m_reading.busy(); }

    QSize minimumSizeHint() const override { return {160, 80}; }

signals:
    void currentChanged();
    void scrolled();
    void seekRequested(hidet::session::TensorSeek what);
    void worstRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    struct Parts {
        session::TensorPart got, wanted, written, owners;
    };
    struct Cell {
        QString text;
        QColor ground;
    };
    void layOut();
    void fill();
    Cell cellAt(std::int64_t row, std::int64_t column) const;
    QString numberAt(double value) const;
    bool isUnwritten(std::int64_t row, std::int64_t column) const;
    std::optional<session::TensorOwner> ownerAt(std::int64_t row, std::int64_t column) const;
    Cell ownerCell(std::int64_t row, std::int64_t column, double error) const;
    QRect rectOf(std::int64_t row, std::int64_t column) const;
    double greatest() const;
    void paintHeadings(QPainter& painter, const QRect& cells) const;

    ThemeSource& m_themes;
    TensorColors m_colors;
    TensorDataPtr m_data;
    Parts m_parts;
    TensorLook m_look = TensorLook::Values;
    session::TensorFormatting m_how;
    bool m_heat = true;
    OwnerPart m_part = OwnerPart::Lane;
    std::int64_t m_row = 0, m_column = 0;
    int m_cellWidth = 64, m_cellHeight = 20, m_left = 32, m_top = 18;
    LatestTask m_reading;
};

} // namespace hidet::ui
