// SPDX-License-Identifier: GPL-3.0-only
// The printed graph before and after a pass, with what differs marked down to words; a line is the operator that it prints.
// The comparison is made on another thread, and a large graph is shown as far as a text widget is quick.
#pragma once

#include <algorithm>

#include "app/session/model/compare/graph_diff.h"
#include "app/ui/core/dispose.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/panes/diff_view.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

class GraphDiffView : public QWidget {
    Q_OBJECT
public:
    explicit GraphDiffView(Studio& studio, QWidget* parent = nullptr) : QWidget(parent), m_studio(studio) {
        build();
        keepSmall(studio.themes, {m_title});
    }

    // the shown graph of the model against the one before it
    void show(LiveModel* model) {
        m_model = model;
        compare();
    }

    using QWidget::show;
    // the selection of the model
    void follow() {
        const bool isNode = m_model && m_model->selection().selected().kind == GraphItem::Kind::Node;
        for (CodeView* view : {&m_diff->left(), &m_diff->right()}) {
            const auto ranges =
                isNode ? linesOf(*view, m_model->selection().selected().node) : std::vector<ByteRange>{};
            view->fill(CodeView::LinkOutline, ranges);
            if (!ranges.empty() && !view->hasFocus() && view->isVisibleTo(this) && !view->isVisible(ranges.front()))
                view->reveal(ranges.front());
        }
    }

    bool hasChanges() const { return m_diff->hasChanges(); }
    void step(int direction) { m_diff->step(direction); }
    void setChangedOnly(bool on) { m_changedOnly->setChecked(on); }
    bool isChangedOnly() const { return m_changedOnly->isChecked(); }
    void setInline(bool on) {
        m_diff->setInline(on);
        compare();
    }

    bool isInline() const { return m_diff->isInline(); }
    bool isSettled() const { return !m_job.busy(); }
    const DiffColumns& columns() const { return m_diff->columns(); }
    CodeView& leftView() { return m_diff->left(); }

private:
    static constexpr std::size_t most_rows = 3000; // more take a text widget longer than one event may
    static constexpr std::size_t context = 2;      // lines around a change
    // Rows that are changed or near one; an empty row stands for those that are left out.
    static std::vector<session::GraphDiffRow> changedOnly(const std::vector<session::GraphDiffRow>& rows) {
        std::vector<session::GraphDiffRow> out;
        std::size_t end = 0; // of what is in `out`
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].kind == session::RowKind::Equal)
                continue;
            const std::size_t first = std::max(end, i > context ? i - context : 0);
            const std::size_t last = std::min(rows.size(), i + context + 1);
            if (first > end && end > 0)
                out.emplace_back();
            if (last > first)
                out.insert(out.end(), rows.begin() + static_cast<std::ptrdiff_t>(first),
                           rows.begin() + static_cast<std::ptrdiff_t>(last));
            end = std::max(end, last);
        }
        return out;
    }

    static std::vector<quint32> nodesOf(const DiffColumn& column, const session::GraphText& left,
                                        const session::GraphText& right) {
        std::vector<quint32> out;
        for (const DiffSource& source : column.sources) {
            const std::vector<std::uint32_t>& nodes = source.right ? right.nodes : left.nodes;
            const auto line = static_cast<std::size_t>(source.line - 1);
            out.push_back(source.line > 0 && line < nodes.size() ? nodes[line] : session::no_id);
        }
        return out;
    }

    using Graph = std::shared_ptr<const session::ModelGraph>;
    struct Asked {
        Graph before, after;
        bool changedOnly = true, isInline = true;
        friend bool operator==(const Asked&, const Asked&) = default;
    };
    struct Shown {
        DiffColumns columns;              // until the view has them
        std::vector<quint32> left, right; // nodes, by line of the columns
        int leftOut = 0;                  // lines that are too many
    };
    static std::optional<Shown> compared(const Asked& asked, const std::atomic<bool>& stopped) {
        const session::GraphText &left = asked.before->printed(), &right = asked.after->printed();
        auto diff = session::diff_graphs(*asked.before, *asked.after, &stopped);
        if (!diff)
            return {};
        Shown out;
        const bool isWhole = !asked.changedOnly || asked.before == asked.after;
        std::vector<session::GraphDiffRow> rows = isWhole ? std::move(diff->rows) : changedOnly(diff->rows);
        if (rows.size() > most_rows) {
            out.leftOut = static_cast<int>(rows.size() - most_rows);
            rows.resize(most_rows);
        }
        session::TextDiff text;
        text.added = diff->added;
        text.removed = diff->removed;
        text.rows.assign(rows.begin(), rows.end());
        out.columns = columnsOf(left.text, right.text, text, asked.isInline);
        out.left = nodesOf(out.columns.left, left, right);
        out.right = nodesOf(out.columns.right, left, right);
        return out;
    }

    void build() {
        m_title = new ElidedLabel(this);
        m_title->setObjectName("graph_diff.title");
        m_diff = new DiffView(m_studio, "graph_diff", this);
        m_diff->setInline(true);
        m_changedOnly =
            m_diff->addTool("filter", tr("Changed lines only"), tr("Only lines that changed, and those around them"));
        m_changedOnly->setObjectName("graph_diff.changed_only");
        m_changedOnly->setCheckable(true);
        m_changedOnly->setChecked(true);
        connect(m_changedOnly, &QToolButton::toggled, this, &GraphDiffView::compare);
        connect(m_diff, &DiffView::inlineRequested, this, &GraphDiffView::setInline);
        connect(m_diff, &DiffView::stepped, this,
                [this](int line) { select(m_diff->left(), m_diff->left().rangeOfLine(line).begin); });
        QHBoxLayout* bar = newRow({8, 4, 4, 4}, 4, {{m_title, 2}, {m_diff->counts(), 1}});
        for (QToolButton* button : m_diff->tools())
            bar->addWidget(button);
        for (CodeView* view : {&m_diff->left(), &m_diff->right()})
            connect(view, &CodeView::caretMoved, this, [this, view](int offset) {
                if (view->hasFocus())
                    select(*view, offset);
            });
        newColumn(this, {bar, {m_diff, 1}});
        setFocusProxy(m_diff);
    }

    void compare() {
        const int place = m_model ? m_model->graphs().shownNumber() : -1;
        Asked asked;
        asked.changedOnly = isChangedOnly();
        asked.isInline = isInline();
        if (place >= 0) {
            const auto& graphs = m_model->graphs().snapshot()->graphs;
            asked.after = graphs[static_cast<std::size_t>(place)];
            asked.before = place > 0 ? graphs[static_cast<std::size_t>(place - 1)] : asked.after;
        }
        if (asked == m_asked && (m_job.busy() || asked.after == nullptr || !m_diff->isEmpty()))
            return;
        disposeInBackground(std::exchange(m_asked.before, nullptr));
        disposeInBackground(std::exchange(m_asked.after, nullptr));
        m_asked = asked;
        if (!asked.after) {
            m_job.cancel();
            take({});
            return;
        }
        m_title->setText(asked.before == asked.after ? QString::fromStdString(asked.after->title)
                                                     : tr("%1, against %2")
                                                           .arg(QString::fromStdString(asked.after->title),
                                                                QString::fromStdString(asked.before->title)));
        m_job.run([asked](const std::atomic<bool>& stopped) { return compared(asked, stopped); },
                  [this](std::optional<Shown> shown) {
                      if (shown)
                          take(std::move(*shown));
                  });
    }

    void take(Shown shown) {
        m_shown = std::move(shown);
        // Another text altogether: finding out what of the old one stays would take longest where nothing does.
        for (CodeView* view : {&m_diff->left(), &m_diff->right()})
            view->showText(QByteArray());
        const bool isThere = m_asked.after && !m_shown.columns.left.marks.empty();
        if (isThere)
            m_diff->show(std::move(m_shown.columns));
        else
            explain(m_diff->showEmpty());
        if (isThere && m_asked.before == m_asked.after)
            m_diff->counts()->setText({});
        if (m_shown.leftOut > 0)
            m_diff->counts()->setText(tr("%1, %2 lines more").arg(m_diff->counts()->text()).arg(m_shown.leftOut));
        m_studio.commands.refresh();
        if (!isThere)
            return;
        m_diff->left().setAccessibleName(isInline() ? tr("Changes of the graph") : tr("Graph before the pass"));
        m_diff->right().setAccessibleName(tr("Graph after the pass"));
        if (hasChanges())
            m_diff->left().reveal(m_diff->left().rangeOfLine(firstChange()));
        follow();
    }

    void explain(EmptyState& empty) {
        if (!m_asked.after) {
            m_title->setText({});
            return empty.say(tr("What the pass changed will appear here"), {});
        }
        empty.say(tr("The graph's text did not change"), QString::fromStdString(m_asked.after->summary));
        empty.setAction(tr("Show the whole graph"), [this] { setChangedOnly(false); });
    }

    // a line
    // Of an operator where there is one: constants stand above them all.
    int firstChange() const {
        const std::vector<int>& changes = m_diff->columns().changes;
        const auto isOfNode = [this](int line) {
            const auto at = static_cast<std::size_t>(line);
            return m_shown.left[at] != session::no_id ||
                   (at < m_shown.right.size() && m_shown.right[at] != session::no_id);
        };
        const auto found = std::find_if(changes.begin(), changes.end(), isOfNode);
        return found == changes.end() ? changes.front() : *found;
    }

    void select(const CodeView& view, int offset) {
        const std::vector<quint32>& nodes = &view == &m_diff->left() ? m_shown.left : m_shown.right;
        const auto line = static_cast<std::size_t>(view.lineOf(offset));
        if (!m_model || line >= nodes.size() || nodes[line] == session::no_id)
            return;
        const GraphItem item = GraphItem::ofNode(nodes[line]);
        m_model->selection().select(item, this);
        if (m_model->graphs().shown() && m_model->graphs().shown()->node(item.node))
            m_model->selection().reveal(item);
        follow();
    }

    std::vector<ByteRange> linesOf(const CodeView& view, quint32 node) const {
        std::vector<ByteRange> out;
        const std::vector<quint32>& nodes = &view == &m_diff->left() ? m_shown.left : m_shown.right;
        for (std::size_t line = 0; line < nodes.size(); ++line)
            if (nodes[line] == node)
                out.push_back(view.rangeOfLine(static_cast<int>(line)));
        return out;
    }

    Studio& m_studio;
    ElidedLabel* m_title;
    DiffView* m_diff;
    QToolButton* m_changedOnly;
    QPointer<LiveModel> m_model;
    Asked m_asked;
    Shown m_shown;
    LatestTask m_job; // last: its results arrive here
};

} // namespace hidet::ui
