// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_picture.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "app/ui/workbench/graph_parts.h"

namespace hidet::ui {

const session::GraphNode* GraphPicture::node(quint32 id) const {
    const auto at = m_nodes.find(id);
    return at == m_nodes.end() ? nullptr : graph->nodes[at->second].get();
}

const session::GraphValue* GraphPicture::value(quint32 id) const {
    const auto at = m_values.find(id);
    return at == m_values.end() ? nullptr : graph->values[at->second].get();
}

const PictureBox* GraphPicture::boxOf(quint32 node) const {
    const auto at = boxOfNode.find(node);
    return at == boxOfNode.end() ? nullptr : &nodes[at->second];
}

namespace {

std::vector<GraphKey> wayTo(const drawing::GroupView& view, quint32 group) {
    std::vector<GraphKey> out;
    for (; group != 0; group = view.groups[group].parent)
        out.push_back(view.groups[group].key);
    std::reverse(out.begin(), out.end());
    return out;
}

} // namespace

std::vector<GraphKey> GraphPicture::groupsAround(quint32 node) const {
    const auto at = boxes->box_of_node.find(node);
    return at == boxes->box_of_node.end() ? std::vector<GraphKey>()
                                          : wayTo(boxes->drawn, boxes->drawn.nodes[at->second].group);
}

std::vector<GraphKey> GraphPicture::groupsAround(GraphKey group) const {
    const quint32 place = groupOf(*boxes, group);
    return place == session::no_id ? std::vector<GraphKey>() : wayTo(boxes->drawn, boxes->drawn.groups[place].parent);
}

GraphMetrics GraphMetrics::ofFonts(const QFont& label, const QFont& detail) {
    GraphMetrics out;
    for (GraphFace which : {GraphFace::Label, GraphFace::Detail}) {
        const QFontMetricsF metrics(which == GraphFace::Label ? label : detail);
        Face& face = out.m_faces[std::size_t(which)];
        for (std::size_t i = 32; i < face.ascii.size(); ++i)
            face.ascii[i] = float(metrics.horizontalAdvance(QChar(ushort(i))));
        face.other = float(std::max(metrics.maxWidth() / 2, metrics.horizontalAdvance(QChar(0x4E00))));
        face.height = float(std::ceil(metrics.height()));
    }
    return out;
}

GraphMetrics GraphMetrics::fixed() {
    GraphMetrics out;
    for (GraphFace which : {GraphFace::Label, GraphFace::Detail}) {
        Face& face = out.m_faces[std::size_t(which)];
        face.ascii.fill(which == GraphFace::Label ? 8.0f : 7.0f);
        face.other = 16;
        face.height = which == GraphFace::Label ? 17.0f : 15.0f;
    }
    return out;
}

double GraphMetrics::width(QStringView text, GraphFace which) const {
    const Face& face = m_faces[std::size_t(which)];
    double sum = 0;
    for (QChar letter : text)
        sum += letter.unicode() < face.ascii.size() ? face.ascii[letter.unicode()] : face.other;
    return sum;
}

QString GraphMetrics::elided(const QString& text, GraphFace face, double width) const {
    if (this->width(text, face) <= width)
        return text;
    const QChar ellipsis(0x2026);
    double left = width - this->width(QStringView(&ellipsis, 1), face);
    qsizetype count = 0;
    for (; count < text.size(); ++count) {
        left -= this->width(QStringView(text).mid(count, 1), face);
        if (left < 0)
            break;
    }
    if (count > 0 && count < text.size() && text[count - 1].isHighSurrogate())
        --count;
    return count > 0 ? text.left(count) + ellipsis : QString();
}

void PictureGrid::start(const QRectF& bounds, std::size_t expected) {
    m_bounds = bounds.adjusted(-1, -1, 1, 1);
    const double area = m_bounds.width() * m_bounds.height();
    const double side = std::max(64.0, std::sqrt(area / double(std::max<std::size_t>(expected, 1))));
    m_columns = std::max(1, int(std::ceil(m_bounds.width() / side)));
    m_rows = std::max(1, int(std::ceil(m_bounds.height() / side)));
    m_cellWidth = m_bounds.width() / m_columns;
    m_cellHeight = m_bounds.height() / m_rows;
    m_entries.clear();
    m_entries.reserve(expected * 2);
}

PictureGrid::Span PictureGrid::cellsOf(const QRectF& rect) const {
    const auto column = [this](double x) {
        return int(std::clamp((x - m_bounds.left()) / m_cellWidth, 0.0, double(m_columns - 1)));
    };
    const auto row = [this](double y) {
        return int(std::clamp((y - m_bounds.top()) / m_cellHeight, 0.0, double(m_rows - 1)));
    };
    return {column(rect.left()), row(rect.top()), column(rect.right()), row(rect.bottom())};
}

void PictureGrid::add(const QRectF& rect, quint32 id) {
    const Span cells = cellsOf(rect);
    for (int row = cells.top; row <= cells.bottom; ++row)
        for (int column = cells.left; column <= cells.right; ++column)
            m_entries.push_back({quint32(row * m_columns + column), id});
}

void PictureGrid::finish() {
    m_first.assign(std::size_t(m_columns) * std::size_t(m_rows) + 1, 0);
    for (const Entry& entry : m_entries)
        ++m_first[entry.cell + 1];
    for (std::size_t i = 1; i < m_first.size(); ++i)
        m_first[i] += m_first[i - 1];
    std::vector<quint32> next(m_first.begin(), m_first.end() - 1);
    m_ids.resize(m_entries.size());
    for (const Entry& entry : m_entries)
        m_ids[next[entry.cell]++] = entry.id;
    m_entries = {};
}

std::vector<quint32> PictureGrid::touching(const QRectF& rect) const {
    std::vector<quint32> found;
    if (m_first.empty() || rect.right() < m_bounds.left() || rect.left() > m_bounds.right() ||
        rect.bottom() < m_bounds.top() || rect.top() > m_bounds.bottom())
        return found;
    const Span cells = cellsOf(rect);
    for (int row = cells.top; row <= cells.bottom; ++row) {
        const std::size_t first = std::size_t(row) * std::size_t(m_columns);
        found.insert(found.end(), m_ids.begin() + m_first[first + std::size_t(cells.left)],
                     m_ids.begin() + m_first[first + std::size_t(cells.right) + 1]);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace hidet::ui
