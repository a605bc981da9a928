// SPDX-License-Identifier: GPL-3.0-only
// A read-only table of figures: dense, right-aligned, units in the header, copied as TSV.
#pragma once

#include <QTableWidget>

#include "app/ui/core/theme.h"

namespace hidet::ui {

struct FigureColumn {
    FigureColumn(QString name, bool aligned_left = false) : title(std::move(name)), isText(aligned_left) {}

    QString title;
    bool isText;             // left-aligned
    bool isCompared = false; // what the baseline has otherwise stands behind
};
inline FigureColumn comparedColumn(const QString& title) {
    FigureColumn out(title);
    out.isCompared = true;
    return out;
}
inline FigureColumn textColumn(const QString& title) {
    return {title, true};
}

struct FigureCell {
    FigureCell(QString said = {}, QString tip = {}, QColor hue = {}, QIcon mark = {}, bool predicted = false)
        : text(std::move(said)), hint(std::move(tip)), color(hue), icon(std::move(mark)), isPredicted(predicted) {}

    QString text;
    QString hint;
    QColor color; // invalid: that of the text
    QIcon icon;
    bool isPredicted; // in italics
    double share = 0; // of the most of its column, 0 to 1: figure_share_role
    QString spoken;   // for screen readers, where the text does not say all
};
constexpr int figure_share_role = Qt::UserRole + 1;

using FigureRows = std::vector<std::vector<FigureCell>>;

class FigureTable : public QTableWidget {
    Q_OBJECT
public:
    FigureTable(ThemeSource& themes, const QString& name, const std::vector<FigureColumn>& columns,
                QWidget* parent = nullptr);
    // Keeps the selected row. `before`: of the baseline; rows are the same by the text of the first column that is text, the
    // n-th of several by its number.
    void show(const FigureRows& rows, const FigureRows& before = {});
    using QWidget::show;
    QString tsv() const; // what is selected, with the header; all of it where nothing is
    void copy() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    FigureRows compared(FigureRows rows, const FigureRows& before) const;
    bool isShown(int row, int column, const FigureCell& cell) const;
    QTableWidgetItem* itemOf(const FigureCell& cell, const FigureColumn& column) const;

    ThemeSource& m_themes;
    std::vector<FigureColumn> m_columns;
    FigureRows m_shown;
    QFont m_shownFont;
};

} // namespace hidet::ui
