// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_pane.h"

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/ui/core/words.h"
#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/picture_hits.h"

namespace hidet::ui {

namespace {

constexpr double export_margin = 24;
constexpr double most_pixels = 120e6; // of a PNG: half a gigabyte while it is drawn

// A picture of a graph as a file: SVG and PDF with text as text, PNG at twice the size of the screen.
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

// `part` of the picture, at 100 %. The ending of the path says which kind. False: `error` is a sentence for the user.
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

// Of the selection: a group, a box with what is beside it, or all that is marked. Empty: there is nothing of it.
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
constexpr int patience_ms = 1000;
constexpr qsizetype most_told = 6; // diagnostics of a broken model
} // namespace

GraphPane::GraphPane(Studio& studio, LiveModel& model, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_model(model), m_strip(new GraphStrip(studio, model, this)),
      m_work(new WorkLine(studio.themes, this)), m_stack(new QStackedLayout), m_message(new EmptyState(this)),
      m_canvas(new GraphCanvas(studio, model, this)), m_legend(new GraphLegend(*m_canvas, studio.themes, this)),
      m_minimap(new Minimap(*m_canvas, studio.themes)) {
    setAccessibleName(tr("Graph of %1").arg(model.title()));
    setFocusProxy(m_canvas);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_strip);
    column->addWidget(m_work);
    column->addLayout(m_stack, 1);
    column->addWidget(m_legend);
    m_stack->addWidget(m_canvas);
    m_stack->addWidget(m_message);
    m_patience.setSingleShot(true);
    m_patience.setInterval(patience_ms);
    connect(&m_patience, &QTimer::timeout, this, &GraphPane::showState);
    connect(&model, &LiveModel::stateChanged, this, &GraphPane::showState);
    connect(&model, &LiveModel::snapshotChanged, this, &GraphPane::showState);
    connect(m_canvas, &GraphCanvas::pictureChanged, this, &GraphPane::showState);
    connect(&m_strip->search(), &GraphSearch::marking, m_canvas, &GraphCanvas::expectHits);
    connect(&m_strip->search(), &GraphSearch::left, m_canvas, [this] { m_canvas->setFocus(); });
    bindCommands();
    showState();
}

void GraphPane::showState() {
    const bool isBusy = m_model.isBusy() || m_canvas->isMaking();
    m_work->setWorking(isBusy);
    if (!isBusy)
        m_patience.stop();
    else if (!m_patience.isActive() && !m_model.snapshot())
        m_patience.start();
    m_strip->setEnabled(m_model.graph() != nullptr);
    m_legend->setVisible(m_model.graph() != nullptr);
    if (m_model.isBroken() && !m_model.isBusy()) {
        tellOfBroken();
    } else if (!m_model.graph()) {
        tellOfReading();
    } else {
        m_stack->setCurrentWidget(m_canvas);
        return;
    }
    m_stack->setCurrentWidget(m_message);
}

void GraphPane::tellOfReading() {
    if (m_isStopped && !m_model.isBusy()) {
        m_message->say(tr("%1 was not read").arg(m_model.title()), tr("Its graph appears here once it is."));
        m_message->setAction(tr("Read it"), [this] {
            m_isStopped = false;
            m_model.reload();
        });
        return;
    }
    m_message->say(tr("Reading %1").arg(m_model.title()),
                   tr("Its graph appears here, then its passes and its kernels."));
    if (m_patience.isActive())
        m_message->setAction({}, {});
    else
        m_message->setAction(tr("Stop"), [this] {
            m_isStopped = true;
            m_model.stopReading();
        });
}

void GraphPane::tellOfBroken() {
    QStringList lines;
    for (const session::DiagnosticView& diagnostic : m_model.snapshot()->diagnostics) {
        if (lines.size() == most_told) {
            lines << tr("and more: see the problems");
            break;
        }
        lines << QString::fromStdString(diagnostic.message);
    }
    if (m_model.isGone())
        lines << tr("The file is not there any more.");
    m_message->say(tr("%1 could not be read").arg(m_model.title()), lines.join(u'\n'));
    m_message->setAction(tr("Read it again"), [this] { m_model.reload(); });
}

void GraphPane::exportPicture(Part part) {
    const PicturePtr picture = m_canvas->picture();
    if (!picture)
        return;
    const GraphItem selected = m_model.selected();
    const QRectF rect = part == Part::All ? picture->bounds : partOfSelection(*picture, selected, m_model.marked());
    if (rect.isEmpty())
        return;
    const QString folder = m_model.folder(), name = QFileInfo(m_model.path()).completeBaseName();
    const QString path = m_studio.dialogs.save(window(), tr("Save picture"), QDir(folder).filePath(name + ".svg"),
                                               tr("Pictures (*.svg *.png *.pdf)"));
    if (path.isEmpty())
        return;
    struct Job {
        GraphPainter painter;
        PicturePtr picture;
        GraphStyle style;
        GraphScene scene;
    };
    auto job =
        std::make_shared<Job>(Job{GraphPainter(m_studio.themes), picture, m_canvas->graphStyle(), m_canvas->scene()});
    job->scene.picture = job->picture.get();
    job->scene.style = &job->style;
    job->scene.strongEdges = nullptr; // they change meanwhile
    const QString title = m_model.title();
    m_studio.showStatus(tr("Writing %1").arg(path));
    m_writing.run(
        [job, rect, title, path](const std::atomic<bool>&) {
            QString error;
            exportGraph(job->painter, job->scene, rect, title, path, error);
            return error;
        },
        [this, path](const QString& error) {
            if (error.isEmpty())
                m_studio.showStatus(tr("Wrote %1").arg(path));
            else
                m_studio.showError(error);
        });
}

} // namespace hidet::ui
