// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/live_model.h"

#include <algorithm>
#include <utility>

#include <QFileInfo>

#include "app/ui/core/dispose.h"
#include "app/ui/core/placement.h"
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
    : QObject(parent), m_studio(studio), m_path(std::move(path)) {
    connect(&studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::Target)
            outdate();
    });
    submit();
}

LiveModel::~LiveModel() = default;

QString LiveModel::title() const {
    return QFileInfo(m_path).fileName();
}

QString LiveModel::folder() const {
    return QFileInfo(m_path).absolutePath();
}

void LiveModel::setGone(bool gone) {
    if (gone == m_gone)
        return;
    m_gone = gone;
    emit stateChanged();
}

bool LiveModel::isBusy() const {
    return m_reading.busy();
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
    for (const QString& script : m_scripts)
        request.with.push_back(script.toStdString());
    request.choices_text = m_choices.toStdString();
    request.tools = m_studio.tools;
    return request;
}

// Every phase is shown as soon as it is there, the newest request alone.
void LiveModel::submit() {
    session::ModelViewRequest request;
    static_cast<session::ModelRequest&>(request) = this->request();
    const quint64 number = ++m_request;
    m_arriving = nullptr;
    m_reading.run(
        [this, request, number, guarded = QPointer<LiveModel>(this)](const std::atomic<bool>& stopped) mutable {
            request.cancelled = &stopped;
            request.published = [this, number, guarded, &stopped](session::SnapshotPtr snapshot) {
                if (stopped || snapshot->is_complete)
                    return;
                QMetaObject::invokeMethod(
                    qApp,
                    [this, guarded, number, snapshot] {
                        if (guarded && number == m_request)
                            take(snapshot);
                    },
                    Qt::QueuedConnection);
            };
            return session::view_model(request);
        },
        [this](const session::SnapshotPtr& snapshot) { take(snapshot); });
    emit stateChanged();
}

void LiveModel::take(session::SnapshotPtr snapshot) {
    m_arriving = snapshot;
    // What was there stays until the new one is as far, or until it is known to be broken: nothing flickers.
    const bool isScript = snapshot->graphs.empty() && m_snapshot && !m_snapshot->graphs.empty() && !m_scripts.isEmpty();
    const bool worse = m_snapshot && !snapshot->is_complete && m_snapshot->phase > snapshot->phase;
    if (snapshot->is_complete)
        m_failed = isScript ? snapshot : nullptr;
    if (!worse && !isScript) {
        session::SnapshotPtr before = std::exchange(m_snapshot, std::move(snapshot));
        if (m_shown >= static_cast<int>(m_snapshot->graphs.size()))
            m_shown = -1;
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
    return std::any_of(m_snapshot->graphs.begin(), m_snapshot->graphs.end(), [&](const auto& graph) {
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
    if (item == m_hovered)
        return;
    m_hovered = item;
    emit hoverChanged(origin);
}

void LiveModel::toggleBookmark(const GraphItem& item) {
    if (m_bookmarks.removeAll(item) == 0)
        m_bookmarks << item;
    emit bookmarksChanged();
    m_studio.commands.refresh();
}

void LiveModel::setBookmarks(const QList<GraphItem>& items) {
    m_bookmarks = items;
    emit bookmarksChanged();
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
    if (groups == m_open)
        return;
    m_open = groups;
    emit foldingChanged();
}

void LiveModel::setOverlay(session::OverlayKind kind) {
    if (kind == m_overlay)
        return;
    m_overlay = kind;
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
    if (paths == m_scripts)
        return;
    m_scripts = paths;
    outdate();
}

void LiveModel::setDimensions(const QHash<QString, qint64>& dimensions) {
    if (dimensions == m_dimensions)
        return;
    m_dimensions = dimensions;
    outdate();
}

void LiveModel::outdate() {
    ++m_revision;
    peek({});
    emit findingsChanged();
    submit();
}

void LiveModel::setBench(std::shared_ptr<const session::ModelBenchResult> result, quint64 revision) {
    if (revision != m_findingsRevision)
        m_findings = {};
    m_findings.bench = std::move(result);
    m_findingsRevision = revision;
    emit findingsChanged();
}

void LiveModel::setComparison(std::shared_ptr<const session::ModelRunResult> result, quint64 revision) {
    if (revision != m_findingsRevision)
        m_findings = {};
    m_findings.comparison = std::move(result);
    m_findingsRevision = revision;
    emit findingsChanged();
}

void LiveModel::reveal(const GraphItem& item) {
    emit revealRequested(item);
}

} // namespace hidet::ui
