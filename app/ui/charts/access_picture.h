// SPDX-License-Identifier: GPL-3.0-only
// What the 32 lanes of a warp touch. Of global memory the lines of 128 bytes with their sectors, each word in the colour of its
// lane, and beside them the ideal; of shared memory a punch card of banks by lanes. The mouse or the arrow keys say what
// a lane does; the picture can be copied and saved.
#pragma once

#include <optional>
#include <vector>

#include "app/session/explain/explain.h"
#include "app/ui/charts/spot_chart.h"

namespace hidet::ui {

class AccessPicture : public SpotChart {
    Q_OBJECT
public:
    AccessPicture(ThemeSource& themes, QWidget* parent = nullptr);

    void show(std::optional<session::AccessView> view); // nothing: there is none
    using QWidget::show;
    bool hasPicture() const { return m_view && !m_view->lanes.offsets.empty(); }
    // Lanes that have frames: those that a finding is about. Gone with the next access that is shown.
    void mark(std::vector<int> lanes);
    const std::vector<int>& marked() const { return m_marked; }

    QString tsv() const override;
    QSize minimumSizeHint() const override { return {320, 96}; }
    QSize sizeHint() const override { return {640, 180}; }

protected:
    void layOut() override;
    void paintPlaces(QPainter& painter) const override;
    QString wordsOfAll() const override;
    QString wordsOf(int lane) const override;
    std::vector<QRectF> framesOf(int lane) const override;
    int spotAt(const QPointF& place) const override;
    std::optional<int> spotByKey(int key) const override;

private:
    struct Cell {
        QRectF rect;
        QColor fill;
        int lane = -1; // -1: nobody asked for it
    };
    struct Label {
        QRectF rect;
        QString text;
    };
    void layOutSectors(const QRectF& area);
    void layOutLines(const std::vector<std::int64_t>& lines, QRectF area, double word, bool isNamed, bool isIdeal);
    void layOutBanks(const QRectF& area);
    QString caption() const;
    QColor colorOf(int lane) const;

    std::optional<session::AccessView> m_view;
    std::vector<Cell> m_cells;
    std::vector<QRectF> m_frames; // of sectors, or of the parts that a warp is served in
    std::vector<Label> m_labels;
    std::vector<int> m_marked; // sorted
};

} // namespace hidet::ui
