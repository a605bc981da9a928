// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/passes/graph_diff_view.h"

#include <algorithm>

#include <QKeyEvent>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/ui/core/icons.h"
#include "app/ui/core/retire.h"
#include "app/ui/panes/diff_text.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

constexpr std::size_t most_rows = 3000; // more take a text widget longer than one event may
constexpr std::size_t context = 2;      // lines around a change

// Rows that are changed or near one; an empty row stands for those that are left out.
std::vector<session::GraphDiffRow> changedOnly(const std::vector<session::GraphDiffRow>& rows) {
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

std::vector<quint32> nodesOf(const DiffColumn& column, const session::GraphText& left,
                             const session::GraphText& right) {
    std::vector<quint32> out;
    for (const DiffSource& source : column.sources) {
        const std::vector<std::uint32_t>& nodes = source.right ? right.nodes : left.nodes;
        const auto line = static_cast<std::size_t>(source.line - 1);
        out.push_back(source.line > 0 && line < nodes.size() ? nodes[line] : session::no_id);
    }
    return out;
}

} // namespace

GraphDiffView::GraphDiffView(Studio& studio, QWidget* parent) : QWidget(parent), m_studio(studio) {
    build();
    connect(&studio.themes, &ThemeSource::changed, this, &GraphDiffView::applyTheme);
    applyTheme();
}

QToolButton* GraphDiffView::newButton(const char* iconName, const QString& name, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setAccessibleName(name);
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::TabFocus);
    m_icons << std::pair(button, QString(iconName));
    return button;
}

void GraphDiffView::build() {
    m_title = new ElidedLabel(this);
    m_title->setObjectName("graph_diff.title");
    m_counts = new ElidedLabel(this);
    m_counts->setObjectName("graph_diff.counts");
    m_counts->setProperty("muted", true);
    m_counts->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    const Commands& commands = m_studio.commands;
    m_changedOnly = newButton("filter", tr("Changed lines only"), tr("Only lines that changed, and those around them"));
    m_changedOnly->setObjectName("graph_diff.changed_only");
    m_changedOnly->setCheckable(true);
    m_changedOnly->setChecked(true);
    m_twoColumns = newButton("split", tr("Side by side"), commands.action(Command::PaneInline)->toolTip());
    m_twoColumns->setObjectName("graph_diff.split");
    m_twoColumns->setCheckable(true);
    m_previous = newButton("up", tr("Previous change"), commands.action(Command::PanePreviousChange)->toolTip());
    m_next = newButton("down", tr("Next change"), commands.action(Command::PaneNextChange)->toolTip());
    connect(m_changedOnly, &QToolButton::toggled, this, &GraphDiffView::compare);
    connect(m_twoColumns, &QToolButton::toggled, this, &GraphDiffView::compare);
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 4, 4);
    bar->setSpacing(4);
    bar->addWidget(m_title, 2);
    bar->addWidget(m_counts, 1);
    for (QToolButton* button : {m_previous, m_next, m_changedOnly, m_twoColumns})
        bar->addWidget(button);

    m_left = newDiffView(m_studio.themes, "graph_diff.left");
    m_right = newDiffView(m_studio.themes, "graph_diff.right");
    m_left->setAccessibleName(tr("The graph before the pass"));
    m_right->setAccessibleName(tr("The graph after the pass"));
    for (CodeView* view : {m_left, m_right}) {
        CodeView* other = view == m_left ? m_right : m_left;
        view->installEventFilter(this);
        connect(view, &CodeView::scrolled, this, [this, view, other] {
            if (!isInline())
                scrollAlike(*view, *other);
        });
        connect(view, &CodeView::caretMoved, this, [this, view](int offset) {
            if (view->hasFocus())
                select(*view, offset);
        });
    }
    auto* both = new QSplitter(Qt::Horizontal);
    both->setChildrenCollapsible(false);
    both->addWidget(m_left);
    both->addWidget(m_right);
    m_both = both;
    m_empty = new EmptyState(this);
    m_body = new QStackedWidget(this);
    m_body->addWidget(m_both);
    m_body->addWidget(m_empty);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_body, 1);
    setFocusProxy(m_left);
}

bool GraphDiffView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && (watched == m_left || watched == m_right)) {
        const QString key = static_cast<QKeyEvent*>(event)->text();
        if (key == "]" || key == "n")
            return step(1), true;
        if (key == "[" || key == "p")
            return step(-1), true;
    }
    return QWidget::eventFilter(watched, event);
}

void GraphDiffView::applyTheme() {
    for (const auto& [button, name] : m_icons)
        button->setIcon(icon(name, m_studio.themes.theme().muted));
    m_counts->setFont(m_studio.themes.smallFont());
    m_title->setFont(m_studio.themes.smallFont());
    if (!m_shown.columns.left.marks.empty())
        showText();
}

void GraphDiffView::show(LiveModel* model) {
    m_model = model;
    compare();
}

void GraphDiffView::compare() {
    const int place = m_model ? m_model->shown() : -1;
    Asked asked;
    asked.changedOnly = isChangedOnly();
    asked.isInline = isInline();
    if (place >= 0) {
        const auto& graphs = m_model->snapshot()->graphs;
        asked.after = graphs[static_cast<std::size_t>(place)];
        asked.before = place > 0 ? graphs[static_cast<std::size_t>(place - 1)] : asked.after;
    }
    if (asked == m_asked && (m_job.busy() || asked.after == nullptr || m_body->currentWidget() == m_both))
        return;
    retire(std::exchange(m_asked.before, nullptr));
    retire(std::exchange(m_asked.after, nullptr));
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

std::optional<GraphDiffView::Shown> GraphDiffView::compared(const Asked& asked, const std::atomic<bool>& stopped) {
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

void GraphDiffView::take(Shown shown) {
    m_shown = std::move(shown);
    // Another text altogether: finding out what of the old one stays would take longest where nothing does.
    for (CodeView* view : {m_left, m_right})
        view->showText({});
    const DiffColumns& columns = m_shown.columns;
    const bool isThere = m_asked.after && !columns.left.marks.empty();
    for (QToolButton* button : {m_previous, m_next})
        button->setEnabled(hasChanges());
    m_body->setCurrentWidget(isThere ? m_both : m_empty);
    m_empty->setAction({}, {});
    QString counts;
    if (m_asked.after && m_asked.before != m_asked.after)
        counts = hasChanges() ? tr("+%1 %2%3").arg(columns.added).arg(QChar(0x2212)).arg(columns.removed)
                              : tr("No differences");
    if (m_shown.leftOut > 0)
        counts += tr(", %1 lines more").arg(m_shown.leftOut);
    m_counts->setText(counts);
    m_counts->setAccessibleName(hasChanges() ? tr("%1 lines added, %2 removed").arg(columns.added).arg(columns.removed)
                                             : counts);
    m_studio.commands.refresh();
    if (!isThere) {
        if (!m_asked.after)
            m_title->setText({});
        m_empty->say(m_asked.after ? tr("The graph prints as before") : tr("What the pass changed will appear here"),
                     m_asked.after ? QString::fromStdString(m_asked.after->summary) : QString());
        if (m_asked.after)
            m_empty->setAction(tr("Show the whole graph"), [this] { setChangedOnly(false); });
        return;
    }
    showText();
    if (hasChanges())
        m_left->reveal(m_left->rangeOfLine(firstChange()));
    follow();
}

// Of an operator where there is one: constants stand above them all.
int GraphDiffView::firstChange() const {
    const std::vector<int>& changes = m_shown.columns.changes;
    const auto isOfNode = [this](int line) {
        const auto at = static_cast<std::size_t>(line);
        return m_shown.left[at] != session::no_id || (at < m_shown.right.size() && m_shown.right[at] != session::no_id);
    };
    const auto found = std::find_if(changes.begin(), changes.end(), isOfNode);
    return found == changes.end() ? changes.front() : *found;
}

void GraphDiffView::showText() {
    m_right->setVisible(!m_asked.isInline);
    showDiffColumn(*m_left, m_shown.columns.left);
    if (!m_asked.isInline)
        showDiffColumn(*m_right, m_shown.columns.right);
    m_left->setAccessibleName(m_asked.isInline ? tr("Changes of the graph") : tr("Graph before the pass"));
    m_right->setAccessibleName(tr("Graph after the pass"));
    if (!m_asked.isInline)
        scrollAlike(*m_left, *m_right);
}

void GraphDiffView::select(const CodeView& view, int offset) {
    const std::vector<quint32>& nodes = &view == m_left ? m_shown.left : m_shown.right;
    const auto line = static_cast<std::size_t>(view.lineOf(offset));
    if (!m_model || line >= nodes.size() || nodes[line] == session::no_id)
        return;
    const GraphItem item = GraphItem::ofNode(nodes[line]);
    m_model->select(item, this);
    if (m_model->graph() && m_model->graph()->node(item.node))
        m_model->reveal(item);
    follow();
}

std::vector<ByteRange> GraphDiffView::linesOf(const CodeView& view, quint32 node) const {
    std::vector<ByteRange> out;
    const std::vector<quint32>& nodes = &view == m_left ? m_shown.left : m_shown.right;
    for (std::size_t line = 0; line < nodes.size(); ++line)
        if (nodes[line] == node)
            out.push_back(view.rangeOfLine(static_cast<int>(line)));
    return out;
}

void GraphDiffView::follow() {
    const bool isNode = m_model && m_model->selected().kind == GraphItem::Kind::Node;
    for (CodeView* view : {m_left, m_right}) {
        const auto ranges = isNode ? linesOf(*view, m_model->selected().node) : std::vector<ByteRange>{};
        view->setOutlined(ranges);
        if (!ranges.empty() && !view->hasFocus() && view->isVisibleTo(this) && !view->isVisible(ranges.front()))
            view->reveal(ranges.front());
    }
}

void GraphDiffView::step(int direction) {
    const std::vector<int>& changes = m_shown.columns.changes;
    if (changes.empty())
        return m_studio.say(tr("No differences"));
    const CodeView* view = m_right->hasFocus() ? m_right : m_left;
    const int line = view->lineOf(view->caret());
    const auto after = std::upper_bound(changes.begin(), changes.end(), line);
    const int at = static_cast<int>(after - changes.begin()) - 1;
    const int count = static_cast<int>(changes.size());
    const bool isOnIt = at >= 0 && changes[static_cast<std::size_t>(at)] == line;
    const int next = ((direction > 0 ? at + 1 : isOnIt ? at - 1 : at) + count) % count;
    const int target = changes[static_cast<std::size_t>(next)];
    for (CodeView* each : {m_left, m_right}) {
        if (isInline() && each == m_right)
            continue;
        each->setCaret(each->rangeOfLine(target).begin);
        each->reveal(each->rangeOfLine(target));
    }
    select(*m_left, m_left->rangeOfLine(target).begin);
    m_studio.say(tr("Change %1 of %2").arg(next + 1).arg(count));
}

} // namespace hidet::ui
