// SPDX-License-Identifier: GPL-3.0-only
// All that is known of what is selected in the graph: an operator, a tensor, an edge, a group, or else the model.
#include <QStackedWidget>

#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/graph/inspector/inspector_view.h"
#include "app/ui/graph/inspector/node_inspector.h"
#include "app/ui/graph/inspector/note_field.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/graph_marks.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_numbers.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

using Pictures = QHash<quint32, std::shared_ptr<const session::ConstantPicture>>;

class NodeDock : public DockWidget {
public:
    explicit NodeDock(Studio& studio) : m_studio(studio) {
        setNames("node", m_empty, "empty", m_title, "title", m_inspector, "inspector");
        m_title->setProperty("role", "heading");
        m_subtitle->setProperty("muted", true);
        m_subtitle->setMostLines(2);
        m_text->setMostLines(3);
        m_inspector->setAccessibleName(tr("Properties of what is selected"));
        auto* page = new QWidget(this);
        m_note->hide();
        newColumn(page, {newColumn({8, 8, 8, 8}, 4, {m_title, m_subtitle, m_text, m_note}), {m_inspector, 1}});
        fillDock(*this, m_pages, m_empty, page);
        setFocusProxy(m_inspector);
        connect(m_inspector, &InspectorView::followed, this, &NodeDock::follow);
        connect(m_note, &NoteField::written, this, [this](const QString& note) {
            if (m_noted && m_notedNode != session::no_id)
                m_noted->marks().setNote(m_notedNode, note);
        });
        connect(m_note, &NoteField::left, &studio.requests, &ViewRequests::editorRequested);
        studio.commands.bind(
            Command::GraphNote, this, [this] { writeNote(); },
            [this] { return model() && model()->selection().selected().kind == GraphItem::Kind::Node; });
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &NodeDock::attach);
        studio.themes.follow(this, &NodeDock::applyTheme);
        attach();
    }

private:
    void shown() override { refresh(); }

    void applyTheme() {
        for (QLabel* label : {m_subtitle, m_text})
            label->setFont(m_studio.themes.smallFont());
    }

    LiveModel* model() const { return m_studio.tabs.model(); }

    void attach() {
        for (const QMetaObject::Connection& connection : m_connections)
            disconnect(connection);
        m_connections.clear();
        forget();
        if (LiveModel* shown = model())
            m_connections = {connect(&shown->graphs(), &ModelGraphs::snapshotChanged, this, &NodeDock::forget),
                             connect(&shown->results(), &ModelResults::findingsChanged, this, &NodeDock::forget),
                             connect(&shown->graphs(), &ModelGraphs::shownChanged, this, &NodeDock::refresh),
                             connect(shown, &LiveModel::stateChanged, this, &NodeDock::sayState),
                             connect(&shown->display(), &GraphDisplay::groupingChanged, this, &NodeDock::refresh),
                             connect(&shown->selection(), &GraphSelection::selectionChanged, this, &NodeDock::refresh),
                             connect(&shown->marks(), &GraphMarks::changed, this, &NodeDock::refresh),
                             connect(&shown->numbers(), &ModelNumbers::changed, this, &NodeDock::refresh)};
        refresh();
    }

    // What was worked out from an earlier snapshot.
    void forget() {
        m_kernels = nullptr;
        m_kernelJob.cancel();
        if (!model() || m_picturesOf != model()->graphs().snapshot()) {
            m_pictures.clear();
            m_picturesOf = model() ? model()->graphs().snapshot() : nullptr;
        }
        refresh();
    }

    bool sayState() {
        const LiveModel* shown = model();
        const bool has = shown && shown->graphs().shown();
        m_pages->setCurrentIndex(has ? 1 : 0);
        if (!has)
            sayNoGraph(*m_empty, m_studio, tr("All that is known of what is selected in a graph appears here"));
        return has;
    }

    // Without kernels at first: they are looked up on another thread, as a large model has many graphs to follow.
    InspectorSource source() {
        const LiveModel& shown = *model();
        InspectorSource out{shown.graphs().snapshot(), shown.graphs().shownNumber(), shown.results().findings(),
                            shown.results().isStale(), m_kernels};
        if (!m_kernels && !m_kernelJob.busy())
            m_kernelJob.run(
                [snapshot = out.snapshot, findings = out.findings](const std::atomic<bool>&) {
                    return std::make_shared<const session::KernelTable>(*snapshot, findings);
                },
                [this](std::shared_ptr<const session::KernelTable> kernels) {
                    m_kernels = std::move(kernels);
                    refresh();
                });
        return out;
    }

    void refresh() {
        showNote();
        if (!sayState() || !isVisible())
            return;
        m_groupJob.cancel();
        const GraphItem item = model()->selection().selected();
        if (item.kind == GraphItem::Kind::Group)
            return m_groupJob.run([source = source(), grouping = model()->display().grouping(), key = item.group](
                                      const std::atomic<bool>&) { return inspectorOfGroup(source, grouping, key); },
                                  [this](const Inspector& inspector) { show(inspector); });
        switch (item.kind) {
        case GraphItem::Kind::Node: return show(inspectorOfNode(source(), item.node));
        case GraphItem::Kind::Value: return show(inspectorOfValue(source(), item.value, session::no_id));
        case GraphItem::Kind::Edge: return show(inspectorOfValue(source(), item.value, item.node));
        default: return show({});
        }
    }

    // What was typed is of the operator that was selected: it is taken before another one's is shown.
    void showNote() {
        LiveModel* shown = model();
        const bool isNode =
            shown && shown->graphs().shown() && shown->selection().selected().kind == GraphItem::Kind::Node;
        const quint32 node = isNode ? shown->selection().selected().node : session::no_id;
        const bool isOther = node != m_notedNode || shown != m_noted;
        if (isOther) {
            m_note->take();
            m_note->clearFocus();
        }
        m_noted = shown;
        m_notedNode = node;
        const GraphMark* mark = isNode ? shown->marks().of(node) : nullptr;
        m_note->show(mark ? mark->note : QString());
        m_note->setVisible(isNode && ((mark && !mark->note.isEmpty()) || m_note->hasFocus()));
    }

    void writeNote() {
        if (!isVisible())
            m_studio.requests.showDock("node");
        refresh();
        m_note->setVisible(true);
        m_note->setFocus(Qt::ShortcutFocusReason);
        m_note->moveCursor(QTextCursor::End);
    }

    // What is selected may be gone from all graphs: then the model is what there is to tell of.
    void show(Inspector inspector) {
        if (inspector.title.isEmpty())
            inspector = inspectorOfModel(source(), model()->title(), model()->numbers().unmatched());
        m_title->setText(inspector.title);
        m_subtitle->setText(inspector.subtitle);
        m_text->setText(inspector.text);
        m_text->setVisible(!inspector.text.isEmpty());
        m_inspector->show(inspector);
        lookAtConstants();
    }

    // One after the other: reading the elements of a large weight takes a while.
    void lookAtConstants() {
        quint32 next = session::no_id;
        for (const quint32 constant : m_inspector->wanted()) {
            if (const auto known = m_pictures.constFind(constant); known != m_pictures.constEnd())
                m_inspector->setPicture(constant, *known);
            else if (next == session::no_id)
                next = constant;
        }
        if (next == session::no_id)
            return m_pictureJob.cancel();
        const session::SnapshotPtr snapshot = model()->graphs().snapshot();
        m_pictureJob.run(
            [snapshot, next](const std::atomic<bool>& stopped) -> std::shared_ptr<const session::ConstantPicture> {
                for (auto graph = snapshot->graphs.rbegin(); graph != snapshot->graphs.rend() && !stopped; ++graph)
                    if ((*graph)->value(next))
                        if (auto picture = session::picture_of_constant(**graph, next))
                            return std::make_shared<session::ConstantPicture>(std::move(*picture));
                return nullptr;
            },
            [this, next](std::shared_ptr<const session::ConstantPicture> picture) {
                m_pictures[next] = std::move(picture);
                lookAtConstants();
            });
    }

    void follow(const InspectorLink& link) {
        if (link.place.known())
            return m_studio.requests.show(link.place);
        LiveModel* shown = model();
        if (link.graph >= 0)
            shown->graphs().setShown(link.graph);
        if (!link.item)
            return;
        shown->selection().select(link.item, this);
        shown->selection().reveal(link.item);
    }

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    ElidedLabel* m_title = new ElidedLabel(this);
    ElidedLabel* m_subtitle = new ElidedLabel(this);
    ElidedLabel* m_text = new ElidedLabel(this);
    NoteField* m_note = new NoteField(m_studio.themes, this);
    QPointer<LiveModel> m_noted; // whose operator's note the field has
    quint32 m_notedNode = session::no_id;
    InspectorView* m_inspector = new InspectorView(m_studio.themes, this);
    QList<QMetaObject::Connection> m_connections;
    std::shared_ptr<const session::KernelTable> m_kernels;
    session::SnapshotPtr m_picturesOf;
    Pictures m_pictures;
    LatestTask m_groupJob, m_pictureJob, m_kernelJob; // last: what they find arrives here
};

} // namespace

DockWidget* makeNodeDock(Studio& studio) {
    return new NodeDock(studio);
}

} // namespace hidet::ui
