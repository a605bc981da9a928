// SPDX-License-Identifier: GPL-3.0-only
// The factors of a composition in a row, as they stand in the script: their numbers, and buttons that move them, take them
// out and add some.
#pragma once

#include <QToolButton>
#include <QWidget>

#include "app/session/view/canvas_grid.h"
#include "app/ui/mapping/number_field.h"
#include "app/ui/widgets/flow_layout.h"

namespace hidet::ui {

class FactorBar : public QWidget {
    Q_OBJECT
public:
    FactorBar(ThemeSource& themes, QWidget* parent);
    // Where the factors are the same ones, the widgets stay, and the keyboard with them.
    void show(const session::Canvas& canvas);
    using QWidget::show;

signals:
    void numberChanged(int factor, int number, qint64 value);
    void pointedAt(int factor); // by the mouse, or by the keyboard in one of its numbers; -1: none any more
    void dragged(bool begins);
    void swapped(int left); // with the one behind it
    void removed(int factor);
    void added(QString name);
    void refused(QString reason);

private:
    void build(const session::Canvas& canvas);
    void addFactor(const session::Canvas& canvas, int factor);
    NumberField* newNumber(int factor, int number, const QString& name, QWidget* chip);
    QToolButton* newButton(const QString& name, const QString& icon, const QString& tip, QWidget* parent);
    void addPart(QWidget* part);
    static QString shapeOf(const session::Canvas& canvas); // equal: the same widgets

    ThemeSource& m_themes;
    FlowLayout* m_row;
    QString m_shape;
    QList<QWidget*> m_parts;
    QList<QList<NumberField*>> m_numbers;
};

} // namespace hidet::ui
