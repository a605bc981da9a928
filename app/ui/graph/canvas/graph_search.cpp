// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_search.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QSignalBlocker>

#include "app/ui/core/expressions.h"

namespace hidet::ui {

namespace {
constexpr int typing_ms = 60;
}

GraphSearch::GraphSearch(Studio& studio, LiveModel& model, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_model(model), m_parts(new BarParts(studio.themes, this)),
      m_field(new QLineEdit(this)), m_expression(newExpressionSwitch(this)), m_count(m_parts->newLabel()),
      m_told(new FieldMistake(studio.themes, *m_field)),
      m_previous(m_parts->newButton("up", tr("Previous hit"), tr("Previous hit"))),
      m_next(m_parts->newButton("down", tr("Next hit"), tr("Next hit"))) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(m_field, 1);
    row->addWidget(m_expression);
    row->addWidget(m_count);
    row->addWidget(m_previous);
    row->addWidget(m_next);
    m_field->setObjectName("graph.search");
    m_field->setPlaceholderText(tr("Find operators"));
    m_field->setAccessibleName(tr("Find operators"));
    m_field->setToolTip(tr("Words of the name or operator; op:conv, name:layer1, dtype:float16, shape:64x56, "
                           "family:reduction, attr:pads, kernel:softmax, rule:..."));
    m_expression->setObjectName("graph.search.expression");
    m_count->setObjectName("graph.search.count");
    m_told->setObjectName("graph.search.mistake");
    m_field->setClearButtonEnabled(true);
    m_field->setMinimumWidth(120);
    m_field->setMaximumWidth(260);
    m_field->installEventFilter(this);
    m_count->hide();
    m_pause.setSingleShot(true);
    m_pause.setInterval(typing_ms);
    connect(&m_pause, &QTimer::timeout, this, &GraphSearch::find);
    connect(m_field, &QLineEdit::textChanged, &m_pause, qOverload<>(&QTimer::start));
    connect(m_expression, &QToolButton::toggled, this, &GraphSearch::find);
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    connect(&model, &LiveModel::shownChanged, this, [this] {
        if (!m_field->text().isEmpty())
            find();
    });
    connect(&model, &LiveModel::markedChanged, this, [this] {
        if (m_model.marked() || m_hits.empty())
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
    const int shown = m_model.shown();
    const QString query = m_field->text().trimmed();
    if (shown < 0 || query.isEmpty()) {
        m_finding.cancel();
        const bool hadMarks = !m_hits.empty() || !m_mistake.isEmpty();
        take({}, {});
        if (hadMarks)
            m_model.mark({});
        return;
    }
    const auto graph = m_model.snapshot()->graphs[std::size_t(shown)];
    const SearchBy by = m_expression->isChecked() ? SearchBy::Expressions : SearchBy::Words;
    m_finding.run(
        [graph, query, by](const std::atomic<bool>& stopped) { return findNodes(*graph, query, by, stopped); },
        [this](session::NodeSearch found) {
            if (!found.mistake.empty())
                return refuse(QString::fromStdString(found.mistake));
            const QSet<quint32> nodes(found.nodes.begin(), found.nodes.end());
            take(std::move(found.nodes), {});
            emit marking();
            m_model.mark(nodes);
        });
}

void GraphSearch::refuse(const QString& mistake) {
    m_mistake = mistake;
    showCount();
    m_studio.showStatus(mistake);
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
    const GraphItem item = GraphItem::ofNode(m_hits[std::size_t(m_at)]);
    m_model.select(item, this);
    m_model.reveal(item);
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
