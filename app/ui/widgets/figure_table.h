// SPDX-License-Identifier: GPL-3.0-only
// A read-only table of figures: dense, right-aligned, units in the header, copied as TSV.
#pragma once

#include <QTableWidget>

#include "app/ui/core/theme.h"

namespace hidet::ui {

struct FigureColumn {
    QString title;
    bool isText = false; // left-aligned
};

struct FigureCell {
    QString text;
    QString hint;
    QColor color; // invalid: that of the text
    QIcon icon;
    bool isPredicted = false; // in italics
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
