// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_pane.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>

#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/picture_hits.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

constexpr double export_margin = 24;
constexpr double most_pixels = 120e6; // of a PNG: half a gigabyte while it is drawn

QByteArray pdfOf(const QSizeF& size, const QString& title, const std::function<void(QPainter&)>& paint) {
    QByteArray out;
    QBuffer buffer(&out);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setCreator("Hidet Studio");
    writer.setResolution(96);
    writer.setPageMargins(QMarginsF());
    // Readers take pages up to 200 inches: of what is larger the scale is smaller.
    const double scale = std::min(1.0, 200.0 * 72 / std::max(size.width(), size.height()) / 0.75);
    writer.setPageSize(QPageSize(size * scale * 0.75, QPageSize::Point, {}, QPageSize::ExactMatch));
    QPainter device(&writer);
    device.scale(scale, scale);
    paint(device);
    device.end();
    return out;
}

// Empty: it is too large.
QByteArray pngOf(const QSizeF& size, const std::function<void(QPainter&, double zoom)>& paint) {
    const double zoom = std::min(2.0, std::sqrt(most_pixels / std::max(size.width() * size.height(), 1.0)));
    QImage image((size * zoom).toSize(), QImage::Format_RGB32);
    if (image.isNull())
        return {};
    QPainter device(&image);
    paint(device, zoom);
    device.end();
    return ui::pngOf(image);
}

// `of` the picture, at 100 %. The ending of the path says which kind: SVG and PDF with text as text, PNG at twice the size of
// the screen. A sentence for the user where it cannot be.
QString exportGraph(GraphPainter& painter, GraphScene scene, const QRectF& of, const QString& title,
                    const QString& path) {
    scene.hovered = {};
    scene.motion = nullptr;
    const QRectF part = of.adjusted(-export_margin, -export_margin, export_margin, export_margin);
    const auto zoomed = [&](QPainter& device, double zoom) {
        painter.paint(device, scene, {part.topLeft(), zoom, part.size() * zoom});
    };
    const auto plain = [&](QPainter& device) { zoomed(device, 1); };
    const QByteArray picture = path.endsWith(".svg", Qt::CaseInsensitive)   ? svgOf(part.size(), title, plain)
                               : path.endsWith(".pdf", Qt::CaseInsensitive) ? pdfOf(part.size(), title, plain)
                                                                            : pngOf(part.size(), zoomed);
    return picture.isEmpty() ? tr("The picture is too large for %1").arg(path) : writeBytes(picture, path, path);
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

constexpr qsizetype most_told = 6; // diagnostics of a broken model
} // namespace

GraphPane::GraphPane(Studio& studio, LiveModel& model, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_model(model), m_strip(new GraphStrip(studio, model, this)),
      m_work(new WorkLine(studio.themes, this)), m_stack(new QStackedLayout), m_message(new EmptyState(this)),
      m_canvas(new GraphCanvas(studio, model, this)), m_legend(new GraphLegend(*m_canvas, studio.themes, this)),
      m_minimap(new Minimap(*m_canvas, studio.themes)) {
    setAccessibleName(tr("Graph of %1").arg(model.title()));
    setFocusProxy(m_canvas);
    newColumn(this, {m_strip, m_work, {m_stack, 1}, m_legend});
    m_stack->addWidget(m_canvas);
    m_stack->addWidget(m_message);
    connect(&model, &LiveModel::stateChanged, this, &GraphPane::showState);
    connect(&model.graphs(), &ModelGraphs::snapshotChanged, this, &GraphPane::showState);
    connect(m_canvas, &GraphCanvas::pictureChanged, this, &GraphPane::showState);
    connect(&m_strip->search(), &GraphSearch::marking, &m_canvas->looks(), &CanvasLooks::expectHits);
    connect(&m_strip->search(), &GraphSearch::left, m_canvas, [this] { m_canvas->setFocus(); });
    bindCommands();
    showState();
}

void GraphPane::showState() {
    const bool isBusy = m_model.graphs().isBusy() || m_canvas->isMaking();
    m_work->setWorking(isBusy);
    if (!isBusy)
        m_patience.stop();
    else if (!m_patience.isActive() && !m_model.graphs().snapshot())
        m_patience.start();
    m_strip->setEnabled(m_model.graphs().shown() != nullptr);
    m_legend->setVisible(m_model.graphs().shown() != nullptr);
    if (m_model.graphs().isBroken() && !m_model.graphs().isBusy()) {
        tellOfBroken();
    } else if (!m_model.graphs().shown()) {
        tellOfReading();
    } else {
        m_stack->setCurrentWidget(m_canvas);
        return;
    }
    m_stack->setCurrentWidget(m_message);
}

void GraphPane::tellOfReading() {
    if (m_isStopped && !m_model.graphs().isBusy()) {
        m_message->say(tr("%1 was not read").arg(m_model.title()), tr("Its graph appears here once it is."));
        m_message->setAction(tr("Read it"), [this] {
            m_isStopped = false;
            m_model.setup().outdate();
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
            m_model.graphs().stop();
        });
}

void GraphPane::tellOfBroken() {
    QStringList lines;
    for (const session::DiagnosticView& diagnostic : m_model.graphs().snapshot()->diagnostics) {
        if (lines.size() == most_told) {
            lines << tr("and more: see the problems");
            break;
        }
        lines << QString::fromStdString(diagnostic.message);
    }
    if (m_model.isGone())
        lines << tr("The file is not there any more.");
    m_message->say(tr("%1 could not be read").arg(m_model.title()), lines.join(u'\n'));
    m_message->setAction(tr("Read it again"), [this] { m_model.setup().outdate(); });
}

void GraphPane::exportPicture(Part part) {
    const PicturePtr picture = m_canvas->picture();
    if (!picture)
        return;
    const GraphItem selected = m_model.selection().selected();
    const QRectF rect =
        part == Part::All ? picture->bounds : partOfSelection(*picture, selected, m_model.selection().marked());
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
    auto job = std::make_shared<Job>(
        Job{GraphPainter(m_studio.themes), picture, m_canvas->looks().style(), m_canvas->scene()});
    job->scene.picture = job->picture.get();
    job->scene.style = &job->style;
    job->scene.strongEdges = nullptr; // they change meanwhile
    const QString title = m_model.title();
    m_studio.notices.showStatus(tr("Writing %1").arg(path));
    m_writing.run([job, rect, title,
                   path](const std::atomic<bool>&) { return exportGraph(job->painter, job->scene, rect, title, path); },
                  [this, path](const QString& error) {
                      if (error.isEmpty())
                          m_studio.notices.showStatus(tr("Wrote %1").arg(path));
                      else
                          m_studio.notices.showError(error);
                  });
}

namespace {

constexpr int legend_margin = 12, gap = 16, swatch = 10, bar_height = 10, bar_width = 168, least_entry = 40;

} // namespace

GraphLegend::GraphLegend(GraphCanvas& canvas, ThemeSource& themes, QWidget* parent)
    : QWidget(parent), m_canvas(canvas), m_themes(themes) {
    setObjectName("graphLegend");
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&canvas.looks(), &CanvasLooks::changed, this, &GraphLegend::refresh);
    connect(&themes, &ThemeSource::changed, this, &GraphLegend::updateGeometry);
}

QSize GraphLegend::sizeHint() const {
    return {0, QFontMetrics(m_themes.smallFont()).height() + 10};
}

void GraphLegend::refresh() {
    const session::Overlay& overlay = m_canvas.looks().overlay();
    const session::OverlayInfo& info = session::info_of(m_canvas.model().display().overlay());
    const OverlayColors& colors = m_canvas.looks().style().colors;
    // Of another kind while the new one is still being read.
    m_title = overlay.kind == info.kind && !overlay.title.empty() ? QString::fromStdString(overlay.title)
                                                                  : QString::fromUtf8(info.title);
    m_note = QString::fromStdString(overlay.unavailable);
    m_isPredicted = info.source == session::OverlaySource::Predicted;
    m_entries.clear();
    m_hasScale = false;
    if (const auto& compared = m_canvas.model().display().compared()) {
        listCompared(*compared);
    } else if (m_note.isEmpty() && !overlay.classes.empty()) {
        std::vector<char> isUsed(overlay.classes.size(), 0);
        for (const session::NodeReading& reading : overlay.nodes)
            if (reading.cls < isUsed.size())
                isUsed[reading.cls] = 1;
        for (quint32 i = 0; i < isUsed.size(); ++i)
            if (isUsed[i])
                m_entries << Entry{colors.ofClass(i), QString::fromStdString(overlay.classes[i])};
    } else if (m_note.isEmpty() && overlay.greatest >= overlay.least && !overlay.nodes.empty()) {
        m_hasScale = true;
        const auto text = [&](double value) {
            const QString number = QString::fromStdString(text_of_quantity(value, overlay.unit));
            return m_isPredicted ? u'~' + number : number;
        };
        m_least = text(overlay.least);
        m_greatest = text(overlay.greatest);
        if (overlay.is_logarithmic)
            m_note = tr("log scale");
        if (!overlay.machine.empty())
            m_note = (m_note.isEmpty() ? QString() : m_note + ", ") +
                     tr("on %1").arg(QString::fromStdString(overlay.machine));
        noteUnmet(overlay);
    }
    if (m_note.isEmpty() && info.source == session::OverlaySource::Measured && m_canvas.model().results().isStale())
        m_note = tr("measured before the last change");
    QStringList said{tr("Colours: %1").arg(m_title)};
    for (const Entry& entry : m_entries)
        said << entry.text;
    if (m_hasScale)
        said << tr("from %1 to %2").arg(m_least, m_greatest);
    if (!m_note.isEmpty())
        said << m_note;
    setAccessibleName(said.join(QStringLiteral(", ")));
    setToolTip(m_entries.isEmpty() ? m_note : said.join(QStringLiteral(", "))); // the line may be too short for all
    update();
}

// Of a file: whom it says nothing of, and of whom it speaks that is not there.
void GraphLegend::noteUnmet(const session::Overlay& overlay) {
    QStringList parts;
    if (!m_note.isEmpty())
        parts << m_note;
    if (overlay.without > 0)
        parts << (overlay.without == 1 ? tr("1 operator without a number")
                                       : tr("%1 operators without a number").arg(overlay.without));
    if (const std::size_t count = overlay.unmatched.size(); count > 0)
        parts << (count == 1 ? tr("1 name in the file meets no operator")
                             : tr("%1 names in the file meet no operator").arg(count));
    m_note = parts.join(QStringLiteral(", "));
}

void GraphLegend::listCompared(const GraphDisplay::Compared& nodes) {
    using session::PairState;
    m_title = tr("Compared with the other model");
    m_note.clear();
    QSet<PairState> are;
    for (PairState state : nodes)
        are.insert(state);
    const auto add = [&](PairState state, const QString& text) {
        if (are.contains(state))
            m_entries << Entry{colorOfPair(m_themes.theme(), state),
                               state == PairState::Same ? text : signOfPair(state) + u' ' + text};
    };
    add(PairState::Changed, tr("changed"));
    add(PairState::New, tr("new"));
    add(PairState::Gone, tr("gone"));
    add(PairState::Same, tr("the same"));
}

int GraphLegend::paintText(QPainter& painter, int left, const QString& text) const {
    const int wanted = painter.fontMetrics().horizontalAdvance(text) + 2; // advances are rounded
    const int width = std::min(wanted, std::max(0, this->width() - legend_margin - left));
    painter.drawText(QRect(left, 0, width, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, width));
    return left + width;
}

void GraphLegend::paintEvent(QPaintEvent*) {
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(0, 0, width(), 1, theme.line);
    painter.setFont(bold(m_themes.smallFont(), QFont::DemiBold));
    painter.setPen(theme.text);
    int x = paintText(painter, legend_margin, m_title) + gap;
    painter.setFont(m_themes.smallFont());
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Entry& entry : m_entries) {
        if (x + swatch + 6 + least_entry > width() - legend_margin) {
            painter.setPen(theme.muted);
            paintText(painter, x, QStringLiteral("\u2026"));
            return;
        }
        painter.setPen(m_canvas.painter().colors().border(entry.color));
        painter.setBrush(entry.color);
        painter.drawRoundedRect(QRectF(x + 0.5, (height() - swatch) / 2 + 0.5, swatch, swatch), 2, 2);
        painter.setPen(theme.text);
        x = paintText(painter, x + swatch + 6, entry.text) + gap;
    }
    if (m_hasScale)
        x = paintScale(painter, x) + gap;
    painter.setPen(theme.muted);
    paintText(painter, x, m_note);
}

int GraphLegend::paintScale(QPainter& painter, int left) const {
    painter.setFont(italic(m_themes.smallFont(), m_isPredicted));
    painter.setPen(m_themes.theme().text);
    const int bar = paintText(painter, left, m_least) + 6;
    QLinearGradient gradient(bar, 0, bar + bar_width, 0);
    gradient.setStops(m_canvas.looks().style().colors.stops());
    painter.setPen(m_themes.theme().line);
    painter.setBrush(gradient);
    painter.drawRect(QRectF(bar + 0.5, (height() - bar_height) / 2 + 0.5, bar_width - 1, bar_height));
    painter.setPen(m_themes.theme().text);
    const int end = paintText(painter, bar + bar_width + 6, m_greatest);
    painter.setFont(m_themes.smallFont());
    return end;
}

} // namespace hidet::ui
