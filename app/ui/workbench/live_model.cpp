// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/live_model.h"

#include <algorithm>
#include <utility>

#include <QFileInfo>

#include "app/ui/core/dispose.h"
#include "app/ui/core/placement.h"
#include "app/ui/core/words.h"
#include "app/ui/workbench/graph_marks.h"
#include "app/ui/workbench/model_numbers.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

constexpr qsizetype most_steps_back = 200;

class LiveModel::ChooseStep : public QUndoCommand {
public:
    ChooseStep(LiveModel& model, QByteArray after, const QString& what)
        : QUndoCommand(what), m_model(model), m_before(model.m_choices), m_after(std::move(after)) {}
    void undo() override { m_model.setChoices(m_before); }
    void redo() override { m_model.setChoices(m_after); }

private:
    LiveModel& m_model;
    const QByteArray m_before, m_after;
};

LiveModel::LiveModel(QString path, Studio& studio, QObject* parent)
    : QObject(parent), m_studio(studio), m_path(std::move(path)), m_marks(new GraphMarks(*this)),
      m_numbers(new ModelNumbers(studio, *this)) {
    watchSettings();
    submit();
}

LiveModel::LiveModel(Document& script, Studio& studio, QObject* parent)
    : QObject(parent), m_studio(studio), m_path(script.name()), m_document(&script), m_isOfScript(true),
      m_marks(new GraphMarks(*this)), m_numbers(new ModelNumbers(studio, *this)) {
    watchSettings();
    connect(&script, &Document::textChanged, this, &LiveModel::textEdited);
    connect(&script, &Document::stateChanged, this, [this] {
        if (m_document && std::exchange(m_path, m_document->name()) != m_document->name())
            emit stateChanged();
    });
    submit();
}

void LiveModel::watchSettings() {
    m_studio.settings.follow({Setting::Target}, this, [this] { outdate(); });
    connect(&m_undo, &QUndoStack::indexChanged, this, [this] { m_studio.commands.refresh(); });
    connect(m_marks, &GraphMarks::changed, this, [this] { m_studio.commands.refresh(); });
    connect(m_numbers, &ModelNumbers::changed, this, [this] { m_studio.commands.refresh(); });
}

Document* LiveModel::document() const {
    return m_document;
}

LiveModel::~LiveModel() {
    m_undo.disconnect(this); // it is emptied, and says so
}

QString LiveModel::title() const {
    if (m_kept)
        return QString::fromStdString(session::title_of(*m_kept));
    return m_isOfScript ? tr("Graph of %1").arg(QFileInfo(m_path).fileName()) : QFileInfo(m_path).fileName();
}

QString LiveModel::folder() const {
    return QFileInfo(m_path).absolutePath();
}

void LiveModel::setGone(bool gone) {
    if (std::exchange(m_gone, gone) != gone)
        emit stateChanged();
}

bool LiveModel::isBusy() const {
    return m_reading.busy();
}

bool LiveModel::isFollowed() const {
    return m_isOfScript || !m_scripts.isEmpty();
}

bool LiveModel::isBehind() const {
    return m_editing.isActive() || (m_failed && isFollowed()) || (m_isTyped && m_snapshot && isBusy());
}

QString LiveModel::whyBehind() const {
    if (!m_failed || !isFollowed())
        return {};
    for (const session::DiagnosticView& each : m_failed->diagnostics)
        if (each.severity == Severity::Error)
            return each.place.known() ? tr("line %1: %2").arg(each.place.line).arg(QString::fromStdString(each.message))
                                      : QString::fromStdString(each.message);
    return tr("the script has mistakes");
}

void LiveModel::textEdited() {
    m_isTyped = true;
    m_editing.start(m_studio.settings.number(Setting::DebounceMs));
    emit stateChanged();
}

void LiveModel::setTraced(int number) {
    if (std::exchange(m_traced, number) != number)
        outdate();
}

QString LiveModel::doing() const {
    if (!isBusy())
        return {};
    if (!m_arriving)
        return tr("reading");
    return m_arriving->phase == session::ModelPhase::Imported ? tr("optimising") : tr("planning");
}

bool LiveModel::isBroken() const {
    return m_snapshot && m_snapshot->graphs.empty();
}

void LiveModel::reload() {
    outdate();
}

void LiveModel::stopReading() {
    m_reading.cancel();
    emit stateChanged();
}

session::ModelRequest LiveModel::request() const {
    session::ModelRequest request;
    request.path = m_path.toStdString();
    request.target = info(placementOf(m_studio.settings)).target;
    for (auto at = m_dimensions.begin(); at != m_dimensions.end(); ++at)
        request.dims.push_back({at.key().toStdString(), at.value()});
    std::ranges::sort(request.dims, {}, &session::Dimension::name);
    request.with = utf8Of(m_scripts);
    request.traced = m_traced;
    // What is typed counts, saved or not.
    for (const Document* script : m_studio.documents())
        if (script == m_document || m_scripts.contains(script->path()))
            request.texts.emplace_back(script->name().toStdString(), script->text().toStdString());
    request.choices_text = m_choices.toStdString();
    request.tools = m_studio.tools;
    if (m_kept) {
        request.dims = m_kept->dims;
        request.precision = m_kept->precision;
        request.quantize = m_kept->quantize;
        request.quantize_limit = m_kept->quantize_limit.value_or(0);
        if (m_choices.isEmpty())
            request.choices_text = m_kept->choices;
    }
    return request;
}

// Every phase is shown as soon as it is there, the newest request alone.
void LiveModel::submit() {
    m_editing.stop();
    session::ModelViewRequest request;
    static_cast<session::ModelRequest&>(request) = this->request();
    const quint64 number = ++m_request;
    m_arriving = nullptr;
    CarryRequest carrying;
    carrying.before = m_snapshot;
    carrying.keys = m_boxKeys;
    carrying.shown = m_shown;
    carrying.generation = number;
    m_reading.run(
        [this, request, number, carrying, follows = isFollowed(),
         guarded = QPointer<LiveModel>(this)](const std::atomic<bool>& stopped) mutable {
            request.cancelled = &stopped;
            request.published = [this, number, guarded, &stopped](session::SnapshotPtr snapshot) {
                if (stopped || snapshot->is_complete)
                    return;
                QMetaObject::invokeMethod(
                    qApp,
                    [this, guarded, number, snapshot] {
                        if (guarded && number == m_request)
                            take(snapshot, {});
                    },
                    Qt::QueuedConnection);
            };
            Arrived out{session::view_model(request), {}};
            carrying.stopped = &stopped;
            if (follows && !out.snapshot->graphs.empty())
                out.carry = carryOver(carrying, *out.snapshot);
            return out;
        },
        [this](const Arrived& arrived) { take(arrived.snapshot, arrived.carry); });
    emit stateChanged();
}

void LiveModel::take(session::SnapshotPtr snapshot, const ModelCarry& carried) {
    m_arriving = snapshot;
    // What was there stays until the new one is as far, or until it is known to be broken: nothing flickers. While a script
    // is edited it stays until all of the new one is there, with what has become of the selection.
    const bool hasBefore = m_snapshot && !m_snapshot->graphs.empty();
    const bool isScript = isFollowed() && hasBefore && (snapshot->graphs.empty() || !snapshot->is_complete);
    const bool worse = m_snapshot && !snapshot->is_complete && m_snapshot->phase > snapshot->phase;
    m_isTyped = m_isTyped && !snapshot->is_complete;
    if (snapshot->is_complete)
        m_failed = isScript ? snapshot : nullptr;
    if (!worse && !isScript) {
        session::SnapshotPtr before = std::exchange(m_snapshot, std::move(snapshot));
        if (m_shown >= 0) // the same pass, which may have another number
            m_shown = hasBefore && m_shown < static_cast<int>(before->graphs.size())
                          ? graphOfPass(*m_snapshot, before->graphs[std::size_t(m_shown)]->pass)
                          : -1;
        if (carried.keys)
            carry(carried);
        emit snapshotChanged();
        emit shownChanged();
        if (m_selected && m_snapshot->is_complete && !exists(m_selected)) {
            m_selected = {};
            emit selectionChanged(this);
        }
        disposeInBackground(std::move(before));
    }
    emit stateChanged();
}

// Ids are those of the new text: what they were given for follows, and what is gone is selected no more.
void LiveModel::carry(const ModelCarry& carried) {
    m_boxKeys = carried.keys;
    if (carried.nodes.empty() && carried.values.empty())
        return; // the first one
    const auto now = [](const auto& ids, quint32 id) { return value_in(ids, id, session::no_id); };
    const auto follow = [&](const GraphItem& item) {
        GraphItem out = item;
        if (item.node != session::no_id && (out.node = now(carried.nodes, item.node)) == session::no_id)
            return GraphItem();
        if (item.value != session::no_id && (out.value = now(carried.values, item.value)) == session::no_id)
            return GraphItem();
        return out;
    };
    for (QList<GraphItem>* items : {&m_before, &m_after}) {
        for (GraphItem& item : *items)
            item = follow(item);
        items->removeAll(GraphItem());
    }
    m_hovered = follow(m_hovered);
    if (m_marked) {
        QSet<quint32> marked;
        for (const quint32 node : std::as_const(*m_marked))
            if (const quint32 id = now(carried.nodes, node); id != session::no_id)
                marked.insert(id);
        mark(std::move(marked));
    }
    if (const GraphItem selected = follow(m_selected); selected != m_selected) {
        m_selected = selected;
        emit selectionChanged(this);
    }
}

int LiveModel::shown() const {
    const int count = m_snapshot ? static_cast<int>(m_snapshot->graphs.size()) : 0;
    return m_shown >= 0 && m_shown < count ? m_shown : count - 1;
}

void LiveModel::setShown(int graph) {
    const int before = shown();
    m_shown = m_snapshot && graph == static_cast<int>(m_snapshot->graphs.size()) - 1 ? -1 : graph;
    if (shown() == before)
        return;
    emit shownChanged();
    m_studio.commands.refresh();
}

const session::ModelGraph* LiveModel::graph() const {
    return shown() < 0 ? nullptr : m_snapshot->graphs[static_cast<std::size_t>(shown())].get();
}

const session::ModelGraph* LiveModel::last() const {
    return m_snapshot ? m_snapshot->last() : nullptr;
}

// In any of the graphs: what a pass replaced is still there before it. Groups are the canvas's to know.
bool LiveModel::exists(const GraphItem& item) const {
    if (item.kind == GraphItem::Kind::None || item.kind == GraphItem::Kind::Group)
        return true;
    return std::ranges::any_of(m_snapshot->graphs, [&](const auto& graph) {
        return (item.node == session::no_id || graph->node(item.node)) &&
               (item.value == session::no_id || graph->value(item.value));
    });
}

void LiveModel::setSelected(const GraphItem& item, QObject* origin) {
    m_selected = item;
    if (m_peeked && item != GraphItem::ofNode(m_peeked->node))
        peek({});
    emit selectionChanged(origin);
    m_studio.commands.refresh();
}

void LiveModel::select(const GraphItem& item, QObject* origin) {
    if (item == m_selected)
        return;
    if (m_selected) {
        m_before << m_selected;
        while (m_before.size() > most_steps_back)
            m_before.removeFirst();
        m_after.clear();
    }
    setSelected(item, origin);
}

void LiveModel::goBack() {
    if (!canGoBack())
        return;
    m_after << m_selected;
    setSelected(m_before.takeLast(), nullptr);
    reveal(m_selected);
}

void LiveModel::goForward() {
    if (!canGoForward())
        return;
    m_before << m_selected;
    setSelected(m_after.takeLast(), nullptr);
    reveal(m_selected);
}

void LiveModel::hover(const GraphItem& item, QObject* origin) {
    if (std::exchange(m_hovered, item) != item)
        emit hoverChanged(origin);
}

void LiveModel::setGrouping(const session::GroupingOptions& grouping) {
    if (grouping == m_grouping)
        return;
    m_grouping = grouping;
    emit groupingChanged();
    m_studio.commands.refresh();
}

void LiveModel::setOpen(drawing::Key group, bool open) {
    if (m_open.contains(group) == open)
        return;
    if (open)
        m_open.insert(group);
    else
        m_open.remove(group);
    emit foldingChanged();
}

void LiveModel::setAllOpen(const QSet<drawing::Key>& groups) {
    if (std::exchange(m_open, groups) != groups)
        emit foldingChanged();
}

void LiveModel::setOverlay(session::OverlayKind kind) {
    if (std::exchange(m_overlay, kind) != kind)
        emit overlayChanged();
}

void LiveModel::setCompared(std::optional<Compared> nodes) {
    if (nodes == m_compared)
        return;
    m_compared = std::move(nodes);
    emit overlayChanged();
}

void LiveModel::mark(std::optional<QSet<quint32>> nodes) {
    if (nodes == m_marked)
        return;
    m_marked = std::move(nodes);
    emit markedChanged();
    m_studio.commands.refresh();
}

void LiveModel::peek(std::optional<PeekedCode> code) {
    if (!code && !m_peeked)
        return;
    const auto before = std::exchange(m_peeked, std::move(code));
    emit peekChanged();
}

void LiveModel::choose(const QByteArray& choices, const QString& what) {
    if (choices != m_choices)
        m_undo.push(new ChooseStep(*this, choices, what));
}

void LiveModel::setChoices(const QByteArray& choices) {
    m_choices = choices;
    emit choicesChanged();
    outdate();
}

void LiveModel::setChoicesPath(const QString& path) {
    m_choicesPath = path;
    emit stateChanged();
}

bool LiveModel::hasUnsavedChoices() const {
    return m_choices != m_savedChoices;
}

void LiveModel::choicesSaved() {
    m_savedChoices = m_choices;
    emit stateChanged();
}

void LiveModel::setScripts(const QStringList& paths) {
    if (std::exchange(m_scripts, paths) != paths)
        outdate();
}

void LiveModel::setDimensions(const QHash<QString, qint64>& dimensions) {
    if (std::exchange(m_dimensions, dimensions) != dimensions)
        outdate();
}

void LiveModel::outdate() {
    ++m_revision;
    peek({});
    emit findingsChanged();
    submit();
}

void LiveModel::setKept(const session::ModelRecord& run) {
    m_kept = std::make_shared<const session::ModelRecord>(run);
    outdate();
    setBench(session::bench_of(run), m_revision);
}

void LiveModel::setBench(std::shared_ptr<const session::ModelBenchResult> result, quint64 revision) {
    forgetFindings(revision);
    m_findings.bench = std::move(result);
    emit findingsChanged();
}

void LiveModel::setComparison(std::shared_ptr<const session::ModelRunResult> result, quint64 revision) {
    forgetFindings(revision);
    m_findings.comparison = std::move(result);
    emit findingsChanged();
}

void LiveModel::setNumbers(std::shared_ptr<const session::NumberFile> numbers) {
    m_findings.numbers = std::move(numbers);
    emit findingsChanged();
}

void LiveModel::forgetFindings(quint64 revision) {
    if (revision != m_findingsRevision)
        m_findings = {nullptr, nullptr, m_findings.numbers};
    m_findingsRevision = revision;
}

void LiveModel::goTo(const GraphItem& item, QObject* origin) {
    select(item, origin);
    reveal(item);
}

void LiveModel::reveal(const GraphItem& item) {
    emit revealRequested(item);
}

} // namespace hidet::ui
