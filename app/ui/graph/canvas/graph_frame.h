// SPDX-License-Identifier: GPL-3.0-only
// One picture of one view, while it is drawn: hulls, edges over them, headers over these, then boxes and what is said at
// edges. For the painter's files alone.
#pragma once

#include <QFontInfo>
#include <QLineF>
#include <QList>
#include <QPainter>

#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/graph_picture.h"
#include "app/ui/graph/canvas/picture_hits.h"

namespace hidet::ui {

constexpr double least_text = 9;      // pixels of the screen
constexpr double least_header = 10.5; // with a name
constexpr double corner = 4;

inline double pixelsOf(const QFont& font) {
    return QFontInfo(font).pixelSize();
}

QFont scaled(QFont font, double pixels);
double eased(double share); // of a motion

// Edges as straight lines of the screen, gathered by colour and drawn at once.
class EdgeLines {
public:
    enum class Bends { Round, Straight }; // from afar nobody sees the difference
    EdgeLines(const GraphView& view, Bends bends);

    // All lines of a way, or only those that no other edge of the value draws.
    enum class Which { Own, All };
    void add(const GraphPicture& picture, quint32 first, quint32 points, Which which);
    void draw(QPainter& painter, const QPen& pen);
    bool isEmpty() const { return m_lines.isEmpty(); }

private:
    void addBend(QPointF from, QPointF to);

    const GraphView& m_view;
    const QRectF m_screen;
    const Bends m_bends;
    QList<QLineF> m_lines;
};

// What all that is drawn of a frame needs: the picture, the view, what of it is seen, and how things look on the screen.
struct GraphFrame {
    GraphFrame(PainterTools& tools, QPainter& painter, const GraphScene& scene, const GraphView& view);

    const BoxStyle* styleOf(quint32 box) const;
    QColor fillOf(quint32 box) const;
    QColor textOn(const QColor& fill, bool isFaint, bool isFirst) const;
    QColor hullOf(const PictureGroup& group) const;
    QRectF rectOf(quint32 box) const;
    double opacityOf(quint32 box) const;
    QRectF onScreen(const QRectF& rect) const;
    QRectF clipped(const QRectF& rect) const;
    QFont atLeast(const QFont& font) const;
    void drawMarker(QPointF at, bool isOpen, const QColor& color) const;
    void fillPolygon(const QPolygonF& shape, const QColor& color) const;
    void drawText(const QRectF& room, Qt::Alignment align, const QString& text, const QFont& font,
                  const QColor& color) const;

    PainterTools& tools;
    QPainter& painter;
    const GraphScene& scene;
    const GraphPicture& picture;
    const GraphView& view;
    const GraphColors& colors;
    const Theme& theme;
    const Detail detail;
    const EdgeLines::Bends bends = detail == Detail::Overview ? EdgeLines::Bends::Straight : EdgeLines::Bends::Round;
    const QRectF seen;
    const QFont labelFont, detailFont;
    std::vector<quint32> boxes, groups; // that are seen
    // A pen without width is drawn fastest; where a point has several pixels it would be too thin.
    const double hair = painter.device()->devicePixelRatio() > 1 ? 1 : 0;
};

// Open groups: what is behind their boxes, and their headers.
class FrameHulls {
public:
    explicit FrameHulls(const GraphFrame& frame) : m_frame(frame) {}
    void draw();
    void drawHeaders();
    void drawNames(); // from afar, where headers have no room

private:
    void drawHeaderText(const PictureGroup& group, const QRectF& header, const QColor& fill);
    QString timeOf(quint32 kernel) const;
    QString signsOf(quint32 place) const;
    QRectF drawTime(const QRectF& room, const QString& time, const QColor& fill, QFont font);
    QRectF drawAside(const QRectF& room, const QString& text, const QColor& color, const QFont& font);

    const GraphFrame& m_frame;
};

class FrameEdges {
public:
    explicit FrameEdges(const GraphFrame& frame) : m_frame(frame) {}
    void draw();
    void drawStrong(); // of a path, and of what is selected
    void drawStubs();
    void drawLabels();
    void drawSigns();

private:
    bool isFaint(const PictureEdge& edge) const;
    bool isOfSelection(quint32 id) const;

    const GraphFrame& m_frame;
    quint32 m_strongBox = no_box, m_strongConsumer = no_box;
};

class FrameBoxes {
public:
    explicit FrameBoxes(const GraphFrame& frame) : m_frame(frame) {}
    void drawGone(); // that the picture before had
    void draw();
    void drawOutlines();

private:
    void drawBlocks();
    void drawBlockName(quint32 i);
    void drawBox(quint32 i);
    void drawShape(const PictureBox& box, const QRectF& rect);
    void drawName(const QString& name, const QRectF& rect, const QColor& fill, bool isFaint);
    void drawTexts(const PictureBox& box, const QRectF& rect, const QColor& fill, const BoxStyle* style);
    void drawChip(const PictureChip& chip, QPointF moved, const QColor& fill, const QColor& text);
    void drawMarks();
    void drawBookmark(const QRectF& box);
    void drawNote(const QRectF& box, const QString& note, bool isOfBox);
    void outlineChips(quint32 value, const QPen& pen);
    void outline(const GraphItem& item, const QPen& pen);

    const GraphFrame& m_frame;
};

void paintFrame(PainterTools& tools, QPainter& painter, const GraphScene& scene, const GraphView& view);

} // namespace hidet::ui
