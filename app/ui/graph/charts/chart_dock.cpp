// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/charts/chart_dock.h"

#include <QHash>
#include <QObject>
#include <QPointer>

#include "app/ui/core/icons.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

// Ties the bars of a chart to a model's selection: what is picked here is selected everywhere, what is selected elsewhere is
// framed here.
class ChartLink : public QObject {
public:
    explicit ChartLink(BarChart& chart) : QObject(&chart), m_chart(chart) {
        connect(&chart, &BarChart::picked, this, &ChartLink::pick);
        connect(&chart, &BarChart::hovered, this, &ChartLink::hover);
    }

    // What the chart shows now, and of which model; null: nothing.
    void show(LiveModel* model, ModelChart chart) {
        m_items = std::move(chart.items);
        m_nodes = std::move(chart.nodes);
        m_barsOfNode.clear();
        m_barsOfValue.clear();
        for (std::size_t bar = 0; bar < m_nodes.size(); ++bar)
            for (const quint32 node : m_nodes[bar])
                m_barsOfNode[node].insert(int(bar));
        for (std::size_t bar = 0; bar < chart.values.size(); ++bar)
            m_barsOfValue[chart.values[bar]].insert(int(bar));
        m_chart.show(std::move(chart.chart));
        follow(model);
        showSelection();
    }

private:
    void follow(LiveModel* model) {
        if (model == m_model)
            return;
        if (m_model)
            m_model->unfollow(this);
        m_model = model;
        if (!model)
            return;
        connect(&model->selection(), &GraphSelection::selectionChanged, this, &ChartLink::showSelection);
        connect(&model->selection(), &GraphSelection::hoverChanged, this, [this](QObject* origin) {
            if (origin == this)
                return;
            const QSet<int> bars = barsOf(m_model->selection().hovered());
            m_chart.setHovered(bars.isEmpty() ? -1 : *bars.begin());
        });
    }

    void showSelection() { m_chart.setSelected(m_model ? barsOf(m_model->selection().selected()) : QSet<int>()); }

    QSet<int> barsOf(const GraphItem& item) const {
        switch (item.kind) {
        case GraphItem::Kind::Node: return m_barsOfNode.value(item.node);
        case GraphItem::Kind::Value: return m_barsOfValue.value(item.value);
        case GraphItem::Kind::Edge:
            return m_barsOfValue.isEmpty() ? m_barsOfNode.value(item.node) : m_barsOfValue.value(item.value);
        case GraphItem::Kind::None:
        case GraphItem::Kind::Group: break;
        }
        return {};
    }

    // A kernel is more than its main operator: all of them are marked.
    void pick(int bar) {
        if (!m_model || !m_items[std::size_t(bar)])
            return;
        const GraphItem item = m_items[std::size_t(bar)];
        const std::vector<quint32>& nodes = m_nodes[std::size_t(bar)];
        m_model->graphs().setShown(-1); // bars stand for what is run
        if (nodes.size() > 1) {
            m_marks = QSet<quint32>(nodes.begin(), nodes.end());
            m_model->selection().mark(m_marks);
        } else if (m_model->selection().marked() && m_model->selection().marked() == m_marks) {
            m_model->selection().mark(std::nullopt);
        }
        m_model->selection().goTo(item, this);
    }

    void hover(int bar) {
        if (m_model)
            m_model->selection().hover(bar < 0 ? GraphItem() : m_items[std::size_t(bar)], this);
    }

    BarChart& m_chart;
    QPointer<LiveModel> m_model;
    std::vector<GraphItem> m_items;
    std::vector<std::vector<quint32>> m_nodes;
    QHash<quint32, QSet<int>> m_barsOfNode, m_barsOfValue;
    std::optional<QSet<quint32>> m_marks; // that were made here last
};

ChartDock::ChartDock(Studio& studio, const QString& id)
    : m_studio(studio), m_pages(new QStackedWidget(this)), m_full(new QWidget(this)), m_head(new QLabel(this)),
      m_fit(new QToolButton(this)), m_copy(new QToolButton(this)), m_chart(new BarChart(studio.themes, this)),
      m_empty(new EmptyState(this)) {
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    m_link = new ChartLink(*m_chart);
    named(m_head, id + ".head", tr("What it comes to"));
    m_head->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    named(m_chart, id + ".chart", tr("Chart"));
    m_empty->setObjectName(id + ".empty");
    m_fit->setText(tr("Fit"));
    m_fit->setAccessibleName(tr("Show all of it"));
    m_fit->setToolTip(tr("Shows all of it; Ctrl and the wheel, or + and -, zoom"));
    m_copy->setAccessibleName(tr("Copy the chart"));
    m_copy->setToolTip(tr("Copies the chart as a picture and as a table"));
    m_bar = newRow({8, 2, 8, 2}, 4, {{m_head, 1}, m_fit, m_copy});
    auto* saver = new PictureSaver(
        studio, *this, [this] { return m_pages->currentWidget() == m_full; },
        [this, id] { return m_chart->saved(id); });
    m_bar->addWidget(saver->newButton(this));
    m_row = newRow({}, 0, {{m_chart, 1}});
    newColumn(m_full, {m_bar, {m_row, 1}});
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_full);
    newColumn(this, {m_pages});
    setFocusProxy(m_chart);
    connect(m_fit, &QToolButton::clicked, m_chart, &BarChart::fit);
    connect(m_copy, &QToolButton::clicked, m_chart, &BarChart::copy);
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &ChartDock::outdate);
    connect(&studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* added) {
        connect(&added->graphs(), &ModelGraphs::snapshotChanged, this, &ChartDock::outdate);
        connect(&added->results(), &ModelResults::findingsChanged, this, &ChartDock::outdate);
    });
    studio.themes.follow(this, [this] { m_copy->setIcon(icon("copy", m_studio.themes.theme().text)); });
}

LiveModel* ChartDock::model() const {
    return m_studio.tabs.model();
}

void ChartDock::outdate() {
    m_outdated = !isVisible();
    if (!m_outdated)
        refresh();
}

void ChartDock::showEvent(QShowEvent* event) {
    DockWidget::showEvent(event);
    if (std::exchange(m_outdated, false))
        refresh();
}

void ChartDock::addBeside(QWidget* widget) {
    m_row->addWidget(widget, 1);
}

void ChartDock::showChart(ModelChart chart, const QString& head) {
    m_head->setText(chart.chart.isStale ? tr("%1 (of an older state of the model)").arg(head) : head);
    m_head->setToolTip(m_head->text());
    m_head->setEnabled(!chart.chart.isStale);
    m_link->show(model(), std::move(chart));
    m_pages->setCurrentWidget(m_full);
}

void ChartDock::offer(const QString& text, std::function<void()> act) {
    m_empty->setAction(text, std::move(act));
}

void ChartDock::showEmpty(const QString& title, const QString& text, std::optional<Command> offer) {
    m_link->show(model(), {});
    m_pages->setCurrentWidget(m_empty);
    m_empty->say(title, text);
    if (!offer)
        return m_empty->setAction({}, {});
    QAction* action = m_studio.commands.action(*offer);
    const QString words = *offer == Command::RunRun ? tr("Run") : action->text().remove('&');
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    m_empty->setAction(keys.isEmpty() ? words : tr("%1 (%2)").arg(words, keys), [action] { action->trigger(); });
}

} // namespace hidet::ui
