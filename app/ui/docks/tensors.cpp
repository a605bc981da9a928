// SPDX-License-Identifier: GPL-3.0-only
// The tensor viewer: what a run left in its tensors or a model's operators made, what they should hold, and where the two
// differ; and the constants that are selected in a model.
#include <QLabel>
#include <QSaveFile>
#include <QStackedLayout>

#include "app/session/kernel_bench/owners.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/docks/docks.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/tensors/model_constants.h"
#include "app/ui/tensors/tensor_bar.h"
#include "app/ui/tensors/tensor_map_view.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

TensorEntry entryOf(const session::ModelOutput& made) {
    TensorEntry out;
    out.name = QString::fromStdString(made.tensor.name);
    out.dtype = QString::fromStdString(made.tensor.dtype);
    out.shape = QString::fromStdString(made.tensor.shape);
    out.file = QString::fromStdString(made.file);
    out.isWritten = true;
    return out;
}

TensorEntry entryOf(const session::ModelNodeError& made, const QString& name) {
    TensorEntry out;
    out.name = name;
    out.dtype = QString::fromStdString(made.dtype);
    out.shape = QString::fromStdString(made.shape);
    out.file = QString::fromStdString(made.file);
    out.wantedFile = QString::fromStdString(made.wanted_file);
    out.wantedDtype = "f64";
    out.tolerance = {made.absolute, 0};
    return out;
}

TensorEntry entryOf(const session::SavedTensor& saved) {
    TensorEntry out;
    out.name = QString::fromStdString(saved.name);
    out.dtype = QString::fromStdString(saved.dtype);
    out.shape = indexText(saved.shape);
    out.file = QString::fromStdString(saved.file);
    out.wantedFile = QString::fromStdString(saved.wanted_file);
    out.wantedDtype = QString::fromStdString(saved.wanted_dtype);
    out.tolerance = {saved.absolute, saved.relative};
    out.isWritten = saved.is_written;
    out.refusal = QString::fromStdString(saved.refusal);
    out.isTile = saved.block.has_value();
    out.isBefore = saved.is_before;
    out.writtenFile = QString::fromStdString(saved.written_file);
    out.ownersFile = QString::fromStdString(saved.owner_file);
    out.ownerLaunches = saved.owner_launches;
    return out;
}

QString writeFile(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return QObject::tr("%1 cannot be written: %2").arg(path, file.errorString());
}

QString saveTensor(const session::StoredTensor& tensor, const QString& path) {
    const Result<void> written = tensor.write(path.toStdString());
    return written ? QString() : QString::fromStdString(written.error().message);
}

// .npy: all of it; else the slice as columns.
QString exportTensor(const TensorData& data, const QString& path, const std::atomic<bool>& stopped) {
    if (path.endsWith(".npy", Qt::CaseInsensitive))
        return saveTensor(*data.got, path);
    return writeFile(path, QByteArray::fromStdString(session::tensor_tsv(*data.got, data.slice, &stopped)));
}

// The map, each of its cells a square.
SavedPicture pictureOfMap(const QString& name, const QImage& map) {
    constexpr int pixels = 4;
    SavedPicture out;
    out.name = name;
    out.png = [map] { return pngOf(map.scaled(map.size() * pixels)); };
    out.svg = [map] {
        QByteArray rows;
        for (int y = 0; y < map.height(); ++y)
            for (int x = 0; x < map.width(); ++x)
                rows += QString("<rect x=\"%1\" y=\"%2\" width=\"%3\" height=\"%3\" fill=\"%4\"/>\n")
                            .arg(x * pixels)
                            .arg(y * pixels)
                            .arg(pixels)
                            .arg(map.pixelColor(x, y).name())
                            .toUtf8();
        return QString("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1 %2\">\n")
                   .arg(map.width() * pixels)
                   .arg(map.height() * pixels)
                   .toUtf8() +
               rows + "</svg>\n";
    };
    return out;
}

struct ShownTensors {
    QList<TensorEntry> entries;
    QHash<quint32, QString> results;             // of operators of the model, by node: the first entry
    std::shared_ptr<const QTemporaryDir> folder; // the files are there as long as somebody has it
};

void addResults(ShownTensors& out, const std::vector<session::ModelNodeError>& nodes) {
    QHash<QString, int> times;
    for (const session::ModelNodeError& made : nodes) {
        if (made.file.empty())
            continue;
        QString name = QString::fromStdString(made.node);
        if (const int before = times[name]++; before > 0) // of several results
            name = QObject::tr("%1 (%2)").arg(name).arg(before + 1);
        if (!out.results.contains(made.node_id))
            out.results[made.node_id] = name;
        out.entries << entryOf(made, name);
    }
}

ShownTensors tensorsOf(const Studio& studio) {
    ShownTensors out;
    if (const LiveModel* model = studio.tabs.model()) {
        out.entries = constantsOf(*model);
        out.folder = studio.modelRuns->tensors(*model);
        const auto comparison = model->results().findings().comparison;
        for (std::size_t i = 0; comparison && i < comparison->outputs.size(); ++i)
            if (!comparison->outputs[i].file.empty())
                out.entries << entryOf(comparison->outputs[i]);
        if (comparison)
            addResults(out, comparison->nodes);
        return out;
    }
    const RunReport* shown = studio.runs->currentReport();
    if (!shown || !shown->result)
        return out;
    out.folder = shown->tensors;
    for (const session::SavedTensor& saved : shown->result->tensors) {
        out.entries << entryOf(saved);
        for (const session::Comparison& comparison : shown->result->comparisons)
            if (comparison.tensor == saved.name)
                for (const session::WrongOwner& owner : comparison.owners)
                    out.entries.last().wrongOwners << QString::fromStdString(session::wrong_text(owner));
    }
    return out;
}

QString firstConstant(const Studio& studio) {
    const LiveModel* model = studio.tabs.model();
    const QList<TensorEntry> constants = model ? constantsOf(*model) : QList<TensorEntry>();
    return constants.isEmpty() ? QString() : constants.first().name;
}

bool isStale(const Studio& studio, const TensorData& data) {
    if (data.entry.held)
        return false;
    if (const LiveModel* model = studio.tabs.model())
        return model->results().isStale();
    return studio.tabs.current() && studio.runs->isStale(*studio.tabs.current());
}

// A call that ended the script, as an access out of bounds does, was compared with nothing.
bool isOfFailure(const Studio& studio) {
    const RunReport* shown = studio.runs->currentReport();
    if (!shown || !shown->result)
        return false;
    const session::KernelBenchResult& result = *shown->result;
    return result.verdict.kind == session::VerdictKind::Failed ||
           (result.verdict.kind == session::VerdictKind::Wrong && result.comparisons.empty());
}

void sayNoTensors(EmptyState& empty, const Studio& studio) {
    const QString title = QObject::tr("What a run left in its tensors");
    const Document* document = studio.tabs.current();
    const RunReport* shown = studio.runs->currentReport();
    if (studio.tabs.model())
        empty.say(title,
                  QObject::tr("Select a constant in the graph to see its values. When the model has been compared, its "
                              "outputs appear here, and what each operator made"));
    else if (!document)
        empty.say(title, QObject::tr("Appears here when a script is open and has run"));
    else if (shown && shown->result)
        empty.say(title, QObject::tr("The last run called no function with tensors, or did not come so far"));
    else
        empty.say(title,
                  QObject::tr("Appears here when the script has run: values, statistics, and where they are wrong"));
    QAction* action = studio.commands.action(studio.tabs.model() ? Command::ModelCompare : Command::RunRun);
    empty.offer(action, studio.tabs.model() || document ? action->text() : QString());
}

QString figuresOf(const TensorData& data) {
    if (!data.got)
        return data.refusal;
    QString out =
        QString::fromStdString(session::statistics_text(data.statistics)).replace(", ", "\n").replace("; ", "\n");
    if (data.difference)
        out += "\n" + QString::fromStdString(session::difference_text(*data.difference)).replace(", ", "\n");
    for (const QString& owner : data.entry.wrongOwners)
        out += "\n" + owner;
    return out;
}

class TensorsDock : public DockWidget {
public:
    explicit TensorsDock(Studio& studio) : m_studio(studio) {
        setFocusProxy(m_grid);
        setNames("tensors", m_map, "map", m_grid, "grid", m_figures, "figures", m_said, "sentence", m_empty, "empty");
        makeContent();
        m_stack->addWidget(m_empty);
        m_stack->addWidget(m_content);
        listen();
        refresh();
    }

private:
    void shown() override { refresh(); } // what is not seen is not read

    void makeContent() {
        m_figures->setWordWrap(true);
        m_figures->setTextFormat(Qt::PlainText);
        m_figures->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        m_figures->setTextInteractionFlags(Qt::TextSelectableByMouse);
        auto* saver = new PictureSaver(
            m_studio, *this, [this] { return !m_map->picture().isNull() && m_content->isVisible(); },
            [this] { return pictureOfMap(m_data->entry.name, m_map->picture()); });
        QToolButton* picture = saver->newButton(m_bar);
        picture->setObjectName("tensors.picture");
        m_bar->layout()->addWidget(picture);
        m_map->setFixedWidth(168);
        m_figures->setFixedWidth(200);
        m_histogram->setFixedWidth(200);
        auto* middle =
            newRow({8, 0, 8, 0}, 12, {m_map, {m_grid, 1}, newColumn({}, usual_spacing, {{m_figures, 1}, m_histogram})});
        newColumn(m_content, {m_bar, {middle, 1}, newRow({8, 2, 8, 4}, usual_spacing, {m_said})});
    }

    void listen() {
        connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &TensorsDock::attach);
        connect(m_studio.runs, &RunController::currentReportChanged, this, &TensorsDock::refresh);
        connect(m_studio.modelRuns, &ModelRuns::reportChanged, this, [this](LiveModel* model) {
            if (model == m_studio.tabs.model())
                refresh();
        });
        m_studio.commands.bind(
            Command::GraphValues, this, [this] { showSelected(); },
            [this] {
                const LiveModel* model = m_studio.tabs.model();
                return model &&
                       (model->selection().selected().kind == GraphItem::Kind::Node || isConstantSelected(*model));
            });
        m_studio.themes.follow(this, &TensorsDock::applyTheme);
        connect(m_bar, &TensorBar::entryChosen, this, [this](int entry) {
            m_current = m_shown.entries.value(entry).key();
            m_slice.reset();
            make();
        });
        connect(m_bar, &TensorBar::tilesChosen, this, &TensorsDock::emulateFor);
        connect(m_bar, &TensorBar::ownerPartChosen, this, [this](OwnerPart part) {
            m_grid->setOwnerPart(part);
            m_map->setOwnerPart(part);
        });
        connect(m_bar, &TensorBar::sliceChosen, this, [this] {
            m_slice = m_bar->slice();
            make();
        });
        connect(m_bar, &TensorBar::lookChosen, this, [this](TensorLook look) {
            m_grid->setLook(look);
            m_map->show(m_data, look);
        });
        connect(m_bar, &TensorBar::formatChosen, this, [this] {
            m_grid->setFormatting(m_bar->formatting());
            say();
        });
        connect(m_bar, &TensorBar::heatChosen, m_grid, &TensorGrid::setHeat);
        connect(m_bar, &TensorBar::seekRequested, this, &TensorsDock::seek);
        connect(m_bar, &TensorBar::worstRequested, this, &TensorsDock::goToWorst);
        connect(m_bar->exportButton(), &QToolButton::clicked, this, &TensorsDock::save);
        connect(m_grid, &TensorGrid::seekRequested, this, &TensorsDock::seek);
        connect(m_grid, &TensorGrid::worstRequested, this, &TensorsDock::goToWorst);
        connect(m_grid, &TensorGrid::currentChanged, this, &TensorsDock::say);
        connect(m_grid, &TensorGrid::scrolled, this, [this] { m_map->setVisibleCells(m_grid->visibleCells()); });
        connect(m_map, &TensorMapView::chosen, m_grid, &TensorGrid::goTo);
    }

    void applyTheme() {
        m_said->setFont(m_studio.themes.smallFont());
        m_figures->setFont(m_studio.themes.smallFont());
    }

    // ---- what is shown ------------------------------------------------------------------------------------------

    void attach() {
        disconnect(m_selection);
        disconnect(m_read);
        if (const LiveModel* model = m_studio.tabs.model()) {
            m_selection =
                connect(&model->selection(), &GraphSelection::selectionChanged, this, &TensorsDock::followSelection);
            m_read = connect(&model->graphs(), &ModelGraphs::snapshotChanged, this, &TensorsDock::refresh);
        }
        refresh();
    }

    // A constant that is selected opens its values; of an operator what it made is shown, where the comparison kept it, and the
    // constants that it reads are offered.
    void followSelection() {
        const LiveModel& model = *m_studio.tabs.model();
        const quint32 node = model.selection().selected().node;
        if (isConstantSelected(model)) {
            m_current = firstConstant(m_studio);
            m_slice.reset();
        } else if (m_shown.results.contains(node) && m_shown.results[node] != m_current) {
            m_current = m_shown.results[node];
            m_slice.reset();
        }
        refresh();
    }

    void showSelected() {
        const LiveModel& model = *m_studio.tabs.model();
        m_shown = tensorsOf(m_studio);
        const QString made = m_shown.results.value(model.selection().selected().node);
        const QString shown = made.isEmpty() ? firstConstant(m_studio) : made;
        m_studio.requests.showDock("tensors");
        if (shown.isEmpty())
            return m_studio.notices.showStatus(
                model.results().findings().comparison
                    ? tr("The last comparison kept no result of this operator: it is within a kernel, or not "
                         "compared")
                    : tr("Values are there when the model has been compared"));
        m_current = shown;
        m_slice.reset();
        refresh();
    }

    // Also where the block that was asked for has none, so that another one can be.
    std::optional<TensorBar::Tiles> shownTiles() const {
        Document* document = m_studio.tabs.current();
        if (m_studio.tabs.model() || !document)
            return std::nullopt;
        const RunPlan plan = m_studio.runs->plans().plan(*document);
        const bool isUsual = plan.block == RunPlan().block && plan.tileLine == 0;
        const bool hasTiles = std::ranges::any_of(m_shown.entries, &TensorEntry::isTile);
        return hasTiles || !isUsual ? std::optional(TensorBar::Tiles{plan.block, plan.tileLine}) : std::nullopt;
    }

    void emulateFor(const TensorBar::Tiles& tiles) {
        Document* document = m_studio.tabs.current();
        if (!document)
            return;
        RunPlan plan = m_studio.runs->plans().plan(*document);
        if (plan.block == tiles.block && plan.tileLine == tiles.line)
            return;
        plan.block = tiles.block;
        plan.tileLine = tiles.line;
        m_studio.runs->plans().change(*document, plan, "block", tr("block"));
        m_studio.commands.action(Command::RunEmulate)->trigger();
    }

    void refresh() {
        if (!isVisible())
            return;
        m_shown = tensorsOf(m_studio);
        if (m_shown.entries.isEmpty()) {
            m_making.cancel();
            m_data = nullptr;
            m_stack->setCurrentWidget(m_empty);
            return sayNoTensors(*m_empty, m_studio);
        }
        int current = 0; // the one that was shown, else the first that is written
        for (int i = int(m_shown.entries.size()); i-- > 0;)
            if (m_shown.entries[i].isWritten)
                current = i;
        for (int i = 0; i < m_shown.entries.size(); ++i)
            if (m_shown.entries[i].key() == m_current)
                current = i;
        m_bar->setEntries(m_shown.entries, current);
        m_bar->setTiles(shownTiles());
        m_current = m_shown.entries[current].key();
        make();
    }

    void make() {
        TensorQuery query;
        for (const TensorEntry& entry : std::as_const(m_shown.entries))
            if (entry.key() == m_current)
                query.entry = entry;
        query.before = m_data;
        query.slice = m_slice;
        m_making.run([query, folder = m_shown.folder](
                         const std::atomic<bool>& stopped) { return makeTensorData(query, stopped); },
                     [this](const TensorDataPtr& made) {
                         if (made)
                             take(made);
                     });
    }

    void take(const TensorDataPtr& made) {
        m_data = made;
        m_stack->setCurrentWidget(m_content);
        m_bar->show(*made);
        m_grid->show(made);
        m_map->show(made, m_grid->look());
        m_map->setVisibleCells(m_grid->visibleCells());
        m_histogram->show(made);
        m_figures->setText(figuresOf(*made));
        if (const std::int64_t element = std::exchange(m_goTo, -1); element >= 0)
            goTo(element);
        say();
    }

    void say() {
        if (!m_data)
            return;
        QString text = m_grid->sentence();
        if (m_data->entry.isBefore)
            text = tr("As it was before the call, which failed") + (text.isEmpty() ? "" : ": " + text);
        else if (isOfFailure(m_studio))
            text = tr("As it was when the call failed") + (text.isEmpty() ? "" : ": " + text);
        if (isStale(m_studio, *m_data))
            text = tr("Of the run before the last change") + (text.isEmpty() ? "" : ": " + text);
        m_said->setText(text);
        m_grid->setAccessibleDescription(text);
    }

    // ---- going to elements --------------------------------------------------------------------------------------

    void goTo(std::int64_t element) {
        const auto& shape = m_data->got->shape();
        const session::TensorSlice wanted = session::slice_with(shape, m_data->slice, element);
        if (wanted.fixed != m_data->slice.fixed) { // in another slice
            m_goTo = element;
            m_slice = wanted;
            return make();
        }
        const std::vector<std::int64_t> index = session::index_of(shape, element);
        const auto at = [&](int dim) { return dim < 0 ? 0 : index[std::size_t(dim)]; };
        m_grid->goTo(at(wanted.row_dim), at(wanted.column_dim));
    }

    void seek(session::TensorSeek what) {
        if (!m_data || !m_data->got)
            return;
        m_seeking.run(
            [data = m_data, what, from = m_grid->currentElement()](const std::atomic<bool>& stopped) {
                return session::next_of(what, *data->got, data->wanted.get(), data->entry.tolerance, from, &stopped);
            },
            [this, what, data = m_data](std::int64_t element) {
                if (data != m_data)
                    return;
                if (element >= 0)
                    return goTo(element);
                m_studio.notices.showStatus(what == session::TensorSeek::NotANumber
                                                ? tr("No element is NaN or infinite")
                                                : tr("No element is wrong"));
            });
    }

    void goToWorst() {
        if (m_data && m_data->difference && m_data->difference->worst >= 0)
            goTo(m_data->difference->worst);
        else
            m_studio.notices.showStatus(tr("No element differs from what it should be"));
    }

    void save() {
        if (!m_data || !m_data->got)
            return;
        const QString path =
            m_studio.dialogs.save(this, tr("Export tensor"), m_data->entry.name + ".npy", tr("Tensors (*.npy *.tsv)"));
        if (path.isEmpty())
            return;
        m_saving.run([data = m_data, folder = m_shown.folder,
                      path](const std::atomic<bool>& stopped) { return exportTensor(*data, path, stopped); },
                     [this, path](const QString& error) {
                         error.isEmpty() ? m_studio.notices.showStatus(tr("Saved %1").arg(path))
                                         : m_studio.notices.showError(error);
                     });
    }

    Studio& m_studio;
    QWidget* m_content = new QWidget(this);
    TensorBar* m_bar = new TensorBar(m_studio.themes, m_content);
    TensorMapView* m_map = new TensorMapView(m_studio.themes, m_content);
    TensorGrid* m_grid = new TensorGrid(m_studio.themes, m_content);
    QLabel* m_figures = new QLabel(m_content);
    TensorHistogram* m_histogram = new TensorHistogram(m_studio.themes, m_content);
    ElidedLabel* m_said = new ElidedLabel(m_content);
    EmptyState* m_empty = new EmptyState(this);
    QStackedLayout* m_stack = new QStackedLayout(this);
    ShownTensors m_shown;
    QString m_current; // the tensor that is shown
    std::optional<session::TensorSlice> m_slice;
    TensorDataPtr m_data;
    QMetaObject::Connection m_selection, m_read; // of the model in front
    std::int64_t m_goTo = -1;                    // once its slice is there
    LatestTask m_making, m_seeking, m_saving{LatestTask::Wanted::ByPerson};
};

} // namespace

DockWidget* makeTensorsDock(Studio& studio) {
    return new TensorsDock(studio);
}

} // namespace hidet::ui
