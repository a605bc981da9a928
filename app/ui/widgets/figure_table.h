// SPDX-License-Identifier: GPL-3.0-only
// A read-only table of figures: dense, right-aligned, units in the header, copied as TSV.
#pragma once

#include <QTableWidget>

#include "app/ui/core/theme.h"

namespace hidet::ui {

struct FigureColumn {
    FigureColumn(QString name, bool aligned_left = false) : title(std::move(name)), isText(aligned_left) {}

    QString title;
    bool isText; // left-aligned
};
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
};

class FigureTable : public QTableWidget {
    Q_OBJECT
public:
    FigureTable(ThemeSource& themes, const QString& name, const std::vector<FigureColumn>& columns,
                QWidget* parent = nullptr);
    // Keeps the selected row.
    void show(const std::vector<std::vector<FigureCell>>& rows);
    using QWidget::show;
    QString tsv() const; // what is selected, with the header; all of it where nothing is
    void copy() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool isShown(int row, int column, const FigureCell& cell) const;
    QTableWidgetItem* itemOf(const FigureCell& cell, const FigureColumn& column) const;

    ThemeSource& m_themes;
    std::vector<FigureColumn> m_columns;
    std::vector<std::vector<FigureCell>> m_shown;
    QFont m_shownFont;
};

} // namespace hidet::ui
