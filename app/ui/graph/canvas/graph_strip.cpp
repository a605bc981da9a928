// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_strip.h"

#include <QKeyEvent>
#include <QPainter>
#include <QSignalBlocker>

#include "app/ui/core/expressions.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

QString changesOf(const session::ModelGraph& graph) {
    QStringList out;
    if (!graph.added.empty())
        out << u'+' + QString::number(graph.added.size());
    if (!graph.removed.empty())
        out << QChar(0x2212) + QString::number(graph.removed.size());
    if (!graph.rewired.empty())
        out << GraphStrip::tr("%1 rewired").arg(graph.rewired.size());
    return out.join(u' ');
}

// A dot below for each pass, in the accent where it replaced something.
class PassSlider : public QSlider {
public:
    PassSlider(ThemeSource& themes, LiveModel& model, QWidget* parent)
        : QSlider(Qt::Horizontal, parent), m_themes(themes), m_model(model) {}

protected:
    void paintEvent(QPaintEvent* event) override {
        QSlider::paintEvent(event);
        const session::SnapshotPtr& snapshot = m_model.graphs().snapshot();
        if (!snapshot || maximum() == 0)
            return;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        const double handle = style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this);
        for (int i = 0; i <= maximum(); ++i) {
            const session::ModelGraph& graph = *snapshot->graphs[std::size_t(i)];
            const bool isChange = !graph.added.empty() || !graph.removed.empty() || !graph.rewired.empty();
            painter.setBrush(isChange ? m_themes.theme().accent : m_themes.theme().muted);
            const double x = handle / 2 + (width() - handle) * i / maximum();
            painter.drawEllipse(QPointF(x, height() - 2.5), 1.75, 1.75);
        }
    }

private:
    ThemeSource& m_themes;
    LiveModel& m_model;
};

} // namespace

GraphStrip::GraphStrip(Studio& studio, LiveModel& model, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_model(model), m_parts(new BarParts(studio.themes, this)),
      m_previous(button("left", Command::PassesPrevious, -1)), m_next(button("right", Command::PassesNext, 1)),
      m_slider(new PassSlider(studio.themes, model, this)), m_pass(new ElidedLabel(this)),
      m_scopes(toggle(tr("Modules"), Command::GraphScopes, tr("Group by module"))),
      m_repeats(toggle(tr("Repeats"), Command::GraphRepeats, tr("Group repeated blocks"))),
      m_kernels(toggle(tr("Kernels"), Command::GraphKernels, tr("Group by kernel"))),
      m_overlays(new OverlayBox(model, this)), m_search(new GraphSearch(studio, model, this)) {
    setObjectName("graphStrip");
    newRow({8, 4, 8, 4}, 4,
           {m_previous,
            m_slider,
            m_next,
            {m_pass, 3},
            spaced(4),
            m_scopes,
            m_repeats,
            m_kernels,
            spaced(4),
            m_overlays,
            spaced(4),
            {m_search, 2}},
           this);
    named(m_slider, "graph.passes", tr("Pass after which the graph is shown"));
    m_slider->setFixedWidth(120);
    m_slider->setMinimumHeight(24);
    m_slider->setPageStep(1);
    m_pass->setObjectName("graph.pass");
    m_pass->setMinimumWidth(60);
    m_overlays->setObjectName("graph.overlay");
    m_overlays->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_overlays->setMinimumContentsLength(14);
    m_overlays->setMaximumWidth(190);
    connect(m_slider, &QSlider::valueChanged, &model.graphs(), &ModelGraphs::setShown);
    connect(&model.graphs(), &ModelGraphs::shownChanged, this, &GraphStrip::showPasses);
    connect(&model.graphs(), &ModelGraphs::snapshotChanged, this, &GraphStrip::showPasses);
    connect(&model.display(), &GraphDisplay::groupingChanged, this, &GraphStrip::showGrouping);
    showPasses();
    showGrouping();
}

// Named as the command, which is about the script where the graph stands beside one.
QToolButton* GraphStrip::button(const QString& icon, Command command, int by) {
    const QAction* action = m_studio.commands.action(command);
    QToolButton* made = m_parts->newButton(icon, action->text(), action->text());
    connect(made, &QToolButton::clicked, this,
            [this, by] { m_model.graphs().setShown(m_model.graphs().shownNumber() + by); });
    return made;
}

QToolButton* GraphStrip::toggle(const QString& text, Command command, const QString& name) {
    QToolButton* made = newToolButton(
        this, text, name, name + QStringLiteral(": ") + Commands::helpOf(m_studio.commands.action(command)));
    made->setCheckable(true);
    connect(made, &QToolButton::clicked, this, [this, command] {
        m_studio.commands.action(command)->trigger();
        showGrouping(); // also where nothing came of it
    });
    return made;
}

// What there is no room for are commands as well.
void GraphStrip::resizeEvent(QResizeEvent*) {
    const int room = width();
    m_slider->setVisible(room >= 700);
    for (QToolButton* button : {m_scopes, m_repeats, m_kernels})
        button->setVisible(room >= 930);
    m_overlays->setVisible(room >= 570);
}

void GraphStrip::showPasses() {
    const int count = m_model.graphs().snapshot() ? int(m_model.graphs().snapshot()->graphs.size()) : 0;
    const int shown = m_model.graphs().shownNumber();
    {
        const QSignalBlocker blocker(m_slider);
        m_slider->setRange(0, std::max(0, count - 1));
        m_slider->setValue(std::max(0, shown));
    }
    m_slider->setEnabled(count > 1);
    m_previous->setEnabled(shown > 0);
    m_next->setEnabled(shown >= 0 && shown + 1 < count);
    m_kernels->setEnabled(count > 0);
    const session::ModelGraph* graph = m_model.graphs().shown();
    if (!graph) {
        m_pass->setText({});
        return;
    }
    QString text = tr("%1 of %2: %3").arg(shown + 1).arg(count).arg(QString::fromStdString(graph->title));
    if (const QString changes = changesOf(*graph); !changes.isEmpty())
        text += QStringLiteral("  (%1)").arg(changes);
    m_pass->setText(text);
    m_slider->update();
    m_slider->setToolTip(text + u'\n' + QString::fromStdString(graph->summary));
    m_slider->setAccessibleDescription(text);
}

void GraphStrip::showGrouping() {
    const session::GroupingOptions& grouping = m_model.display().grouping();
    m_scopes->setChecked(grouping.by_scope);
    m_repeats->setChecked(grouping.by_repeat);
    m_kernels->setChecked(grouping.by_kernel);
}

namespace {}

GraphSearch::GraphSearch(Studio& studio, LiveModel& model, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_model(model), m_parts(new BarParts(studio.themes, this)),
      m_field(newSearchField(this, "graph.search", tr("Find operators"), tr("Find operators"))),
      m_expression(newExpressionSwitch(this)), m_count(m_parts->newLabel()),
      m_told(new FieldMistake(studio.themes, *m_field)),
      m_previous(m_parts->newButton("up", tr("Previous hit"), tr("Previous hit"))),
      m_next(m_parts->newButton("down", tr("Next hit"), tr("Next hit"))) {
    newRow({}, 4, {{m_field, 1}, m_expression, m_count, m_previous, m_next}, this);
    m_field->setToolTip(tr("Words of the name or operator; op:conv, name:layer1, dtype:float16, shape:64x56, "
                           "family:reduction, attr:pads, kernel:softmax, rule:..."));
    m_expression->setObjectName("graph.search.expression");
    m_count->setObjectName("graph.search.count");
    m_told->setObjectName("graph.search.mistake");
    m_field->setMinimumWidth(120);
    m_field->setMaximumWidth(260);
    m_field->installEventFilter(this);
    m_count->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred); // its width is that of its text
    m_count->hide();
    connect(m_field, &QLineEdit::textChanged, &m_pause, qOverload<>(&QTimer::start));
    connect(m_expression, &QToolButton::toggled, this, &GraphSearch::find);
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    connect(&model.graphs(), &ModelGraphs::shownChanged, this, [this] {
        if (!m_field->text().isEmpty())
            find();
    });
    connect(&model.selection(), &GraphSelection::markedChanged, this, [this] {
        if (m_model.selection().marked() || m_hits.empty())
            return;
        const QSignalBlocker blocker(m_field); // cleared elsewhere
        m_field->clear();
        take({}, {});
    });
    showCount();
}

void GraphSearch::open() {
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void GraphSearch::find() {
    const int shown = m_model.graphs().shownNumber();
    const QString query = m_field->text().trimmed();
    if (shown < 0 || query.isEmpty()) {
        m_finding.cancel();
        const bool hadMarks = !m_hits.empty() || !m_mistake.isEmpty();
        take({}, {});
        if (hadMarks)
            m_model.selection().mark({});
        return;
    }
    const auto graph = m_model.graphs().snapshot()->graphs[std::size_t(shown)];
    const SearchBy by = m_expression->isChecked() ? SearchBy::Expressions : SearchBy::Words;
    m_finding.run(
        [graph, query, by](const std::atomic<bool>& stopped) { return findNodes(*graph, query, by, stopped); },
        [this](session::NodeSearch found) {
            if (!found.mistake.empty())
                return refuse(QString::fromStdString(found.mistake));
            const QSet<quint32> nodes(found.nodes.begin(), found.nodes.end());
            take(std::move(found.nodes), {});
            emit marking();
            m_model.selection().mark(nodes);
        });
}

void GraphSearch::refuse(const QString& mistake) {
    m_mistake = mistake;
    showCount();
    m_studio.notices.showStatus(mistake);
}

void GraphSearch::toggleExpression() {
    m_expression->toggle();
    if (!m_field->hasFocus())
        open();
}

void GraphSearch::take(std::vector<quint32> hits, const QString& mistake) {
    m_hits = std::move(hits);
    m_mistake = mistake;
    m_at = -1;
    showCount();
    m_studio.commands.refresh();
}

void GraphSearch::showCount() {
    const bool isAsked = !m_field->text().trimmed().isEmpty();
    m_count->setVisible(isAsked && m_mistake.isEmpty());
    if (m_told)
        m_told->say(isAsked ? m_mistake : QString());
    m_previous->setEnabled(hasHits());
    m_next->setEnabled(hasHits());
    m_count->setText(m_hits.empty() ? tr("nothing found")
                     : m_at < 0     ? tr("%1 found").arg(m_hits.size())
                                    : tr("%1 of %2").arg(m_at + 1).arg(m_hits.size()));
    m_count->setFixedWidth(m_count->fontMetrics().horizontalAdvance(m_count->text()) + 4);
}

void GraphSearch::step(int by) {
    if (m_pause.isActive()) {
        m_pause.stop();
        find();
    }
    if (m_hits.empty())
        return;
    const int count = int(m_hits.size());
    m_at = m_at < 0 ? (by > 0 ? 0 : count - 1) : (m_at + by + count) % count;
    m_model.selection().goTo(GraphItem::ofNode(m_hits[std::size_t(m_at)]), this);
    showCount();
}

bool GraphSearch::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (key->key() != Qt::Key_Escape && !isReturn && key->key() != Qt::Key_Down)
        return QWidget::eventFilter(watched, event);
    event->accept();
    if (event->type() == QEvent::ShortcutOverride)
        return true;
    if (isReturn) {
        step(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
    } else {
        if (key->key() == Qt::Key_Escape)
            m_field->clear();
        emit left();
    }
    return true;
}

} // namespace hidet::ui
