// SPDX-License-Identifier: GPL-3.0-only
// Draws the part of a picture that a view shows, by how large things are there: from afar blocks and the names of groups,
// nearer the operators' names, from near everything. The same code draws the canvas and exported pictures.
//
// All coordinates are those of the screen, so that lines are sharp and texts have a size that can be read at every zoom.
#pragma once

#include <QFont>
#include <QHash>
#include <QPainter>
#include <QStaticText>

#include "app/ui/graph/canvas/graph_style.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

// Which part of the picture is seen, and how large.
struct GraphView {
    QPointF origin; // of the picture, at the upper left corner
    double zoom = 1;
    QSizeF size; // of the screen
    QPointF toScreen(QPointF at) const { return (at - origin) * zoom; }
    QPointF toPicture(QPointF at) const { return at / zoom + origin; }
    QRectF toScreen(const QRectF& rect) const { return {toScreen(rect.topLeft()), rect.size() * zoom}; }
    QRectF seen() const { return {origin, size / zoom}; }
    void center(QPointF at) { origin = at - QPointF(size.width() / zoom / 2, size.height() / zoom / 2); }
};

enum class Detail : quint8 { Overview, Names, Full };
Detail detailAt(double zoom);

// From the picture before to this one.
struct GraphMotion {
    PicturePtr before;
    QPointF shift;       // what is at p before is at p + shift now
    double progress = 1; // 0 to 1
};

struct DrawnMark { // of a node
    quint32 node = session::no_id;
    bool isBookmark = false;
    QString note;
};

struct GraphScene {
    const GraphPicture* picture = nullptr;
    const GraphStyle* style = nullptr;
    GraphItem selected, hovered;
    const QSet<quint32>* strongEdges = nullptr; // of a path: places in the picture's edges
    QList<DrawnMark> marks;
    bool showsBlockers = false;
    const GraphMotion* motion = nullptr;
};

// Texts laid out and cut to a width, kept from frame to frame: operators of a model have few names and few widths.
class TextCache {
public:
    // Within the rectangle, at its left or in its middle, in the middle of its height; cut with an ellipsis where it is too
    // narrow, and not drawn at all where less than two letters are left.
    void draw(QPainter& painter, const QRectF& rect, Qt::Alignment align, const QString& text, const QFont& font);
    double width(const QString& text, const QFont& font);

private:
    struct Key {
        QString text, font;
        int width;
        friend bool operator==(const Key&, const Key&) = default;
        friend std::size_t qHash(const Key& key, std::size_t seed) {
            return qHashMulti(seed, key.text, key.font, key.width);
        }
    };
    struct Entry {
        QStaticText text;
        QSizeF size;
    };
    const Entry& find(const QString& text, const QFont& font, int width);

    QHash<Key, Entry> m_entries;
};

// What stays from frame to frame.
struct PainterTools {
    GraphColors colors;
    QFont label, detail; // at 100 %
    TextCache texts;
};

class GraphPainter {
public:
    explicit GraphPainter(ThemeSource& themes);

    void paint(QPainter& painter, const GraphScene& scene, const GraphView& view);
    const GraphColors& colors() const { return m_tools.colors; }
    const GraphMetrics& metrics() const { return m_metrics; }
    void refresh(); // the theme or the fonts have changed

    // Where the sign of a refused edge is, in the picture.
    static QPointF signOf(const GraphPicture& picture, const PictureEdge& edge);
    static constexpr double sign_radius = 7;

private:
    ThemeSource& m_themes;
    PainterTools m_tools;
    GraphMetrics m_metrics;
};

} // namespace hidet::ui
