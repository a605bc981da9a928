// SPDX-License-Identifier: GPL-3.0-only
// The levels of memory as boxes, and what a launch moves between them: predicted in italics, beside it what a GPU counted. What is
// more than the ideal has the colour of a warning.
#pragma once

#include <QWidget>

#include "app/session/explain/memory_chart.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class MemoryPicture : public QWidget {
    Q_OBJECT
public:
    MemoryPicture(ThemeSource& themes, QWidget* parent = nullptr);

    void show(const session::MemoryChart& chart);
    using QWidget::show;
    void setStale(bool isStale);
    bool hasPicture() const { return !m_chart.flows.empty(); }
    const session::MemoryChart& chart() const { return m_chart; }
    SavedPicture saved();
    QString words() const; // for screen readers: a line for each flow
    QSize minimumSizeHint() const override { return {480, 120}; }
    QSize sizeHint() const override { return {960, 220}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool has(session::MemoryLevel level) const;
    QRectF boxOf(session::MemoryLevel level) const;
    void paintFlow(QPainter& painter, const session::MemoryFlow& flow) const;
    void paintWords(QPainter& painter, const session::MemoryFlow& flow, const QPointF& middle, double width) const;
    QString tsv() const;

    ThemeSource& m_themes;
    session::MemoryChart m_chart;
    bool m_isStale = false;
};

} // namespace hidet::ui
