// SPDX-License-Identifier: GPL-3.0-only
// What the colours of the canvas mean, as a line below it, where it covers nothing: the classes that are there, or the scale of
// numbers.
#pragma once

#include <QWidget>

#include "app/ui/graph/canvas/graph_canvas.h"

namespace hidet::ui {

class GraphLegend : public QWidget {
    Q_OBJECT
public:
    GraphLegend(GraphCanvas& canvas, ThemeSource& themes, QWidget* parent);

    struct Entry {
        QColor color;
        QString text;
    };
    const QList<Entry>& entries() const { return m_entries; } // of classes; none: there is a scale

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();
    void noteUnmet(const session::Overlay& overlay);
    void listCompared(const LiveModel::Compared& nodes);
    int paintText(QPainter& painter, int left, const QString& text) const; // where it ends
    int paintScale(QPainter& painter, int left) const;

    GraphCanvas& m_canvas;
    ThemeSource& m_themes;
    QString m_title, m_note, m_least, m_greatest;
    QList<Entry> m_entries;
    bool m_hasScale = false, m_isPredicted = false;
};

} // namespace hidet::ui
