// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_export.h"

#include <algorithm>
#include <cmath>

#include <QBuffer>
#include <QCoreApplication>
#include <QImage>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "app/ui/core/words.h"
#include "app/ui/graph/canvas/picture_hits.h"

namespace hidet::ui {

namespace {

constexpr double export_margin = 24;
constexpr double most_pixels = 120e6; // of a PNG: half a gigabyte while it is drawn

class Exporter {
public:
    Exporter(GraphPainter& painter, const GraphScene& scene, const QRectF& part, const QString& title)
        : m_painter(painter), m_scene(scene),
          m_part(part.adjusted(-export_margin, -export_margin, export_margin, export_margin)), m_title(title) {
        m_scene.hovered = {};
        m_scene.motion = nullptr;
    }

    QByteArray svg() {
        QByteArray out;
        QBuffer buffer(&out);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(m_part.size().toSize());
        generator.setViewBox(QRectF(QPointF(), m_part.size()));
        generator.setTitle(m_title);
        QPainter device(&generator);
        paint(device, 1);
        device.end();
        return out;
    }
    QByteArray pdf() {
        QByteArray out;
        QBuffer buffer(&out);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setTitle(m_title);
        writer.setCreator("Hidet Studio");
        writer.setResolution(96);
        writer.setPageMargins(QMarginsF());
        // Readers take pages up to 200 inches: of what is larger the scale is smaller.
        const double scale = std::min(1.0, 200.0 * 72 / std::max(m_part.width(), m_part.height()) / 0.75);
        writer.setPageSize(QPageSize(m_part.size() * scale * 0.75, QPageSize::Point, {}, QPageSize::ExactMatch));
        QPainter device(&writer);
        device.scale(scale, scale);
        paint(device, 1);
        device.end();
        return out;
    }
    QByteArray png() {
        const double area = m_part.width() * m_part.height();
        const double scale = std::min(2.0, std::sqrt(most_pixels / std::max(area, 1.0)));
        QImage image((m_part.size() * scale).toSize(), QImage::Format_RGB32);
        if (image.isNull())
            return {};
        QPainter device(&image);
        paint(device, scale);
        device.end();
        QByteArray out;
        QBuffer buffer(&out);
        image.save(&buffer, "PNG");
        return out;
    }

private:
    void paint(QPainter& device, double zoom) {
        m_painter.paint(device, m_scene, {m_part.topLeft(), zoom, m_part.size() * zoom});
    }

    GraphPainter& m_painter;
    GraphScene m_scene;
    const QRectF m_part;
    const QString m_title;
};

} // namespace

bool exportGraph(GraphPainter& painter, const GraphScene& scene, const QRectF& part, const QString& title,
                 const QString& path, QString& error) {
    Exporter exporter(painter, scene, part, title);
    const QByteArray picture = path.endsWith(".svg", Qt::CaseInsensitive)   ? exporter.svg()
                               : path.endsWith(".pdf", Qt::CaseInsensitive) ? exporter.pdf()
                                                                            : exporter.png();
    if (picture.isEmpty()) {
        error = tr("The picture is too large for %1").arg(path);
        return false;
    }
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(picture) == picture.size() && file.commit())
        return true;
    error = tr("%1 cannot be written: %2").arg(path, file.errorString());
    return false;
}

QRectF partOfSelection(const GraphPicture& picture, const GraphItem& selected,
                       const std::optional<QSet<quint32>>& marked) {
    QRectF part;
    if (marked)
        for (quint32 node : *marked)
            if (const PictureBox* box = picture.boxOf(node))
                part |= box->rect;
    if (!part.isEmpty())
        return part;
    part = rectOfItem(picture, selected);
    const quint32 box = boxOfItem(picture, selected);
    if (box == no_box || picture.nodes[box].role == BoxRole::Closed)
        return part;
    for (quint32 edge : picture.edgesIn[box])
        part |= picture.nodes[picture.edges[edge].from].rect;
    for (quint32 edge : picture.edgesOut[box])
        part |= picture.nodes[picture.edges[edge].to].rect;
    return part;
}

} // namespace hidet::ui
