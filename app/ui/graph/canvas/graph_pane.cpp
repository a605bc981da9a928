// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_pane.h"

#include <QDir>
#include <QFileInfo>
#include <QVBoxLayout>

#include "app/ui/graph/canvas/graph_export.h"

namespace hidet::ui {

namespace {
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
