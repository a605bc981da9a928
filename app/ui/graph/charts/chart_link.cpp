// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/charts/chart_link.h"

namespace hidet::ui {

ChartLink::ChartLink(BarChart& chart) : QObject(&chart), m_chart(chart) {
    connect(&chart, &BarChart::picked, this, &ChartLink::pick);
    connect(&chart, &BarChart::hovered, this, &ChartLink::hover);
}

void ChartLink::show(LiveModel* model, ModelChart chart) {
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

void ChartLink::follow(LiveModel* model) {
    if (model == m_model)
        return;
    if (m_model)
        disconnect(m_model, nullptr, this, nullptr);
    m_model = model;
    if (!model)
        return;
    connect(model, &LiveModel::selectionChanged, this, &ChartLink::showSelection);
    connect(model, &LiveModel::hoverChanged, this, [this](QObject* origin) {
        if (origin == this)
            return;
        const QSet<int> bars = barsOf(m_model->hovered());
        m_chart.setHovered(bars.isEmpty() ? -1 : *bars.begin());
    });
}

QSet<int> ChartLink::barsOf(const GraphItem& item) const {
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

void ChartLink::showSelection() {
    m_chart.setSelected(m_model ? barsOf(m_model->selected()) : QSet<int>());
}

// A kernel is more than its main operator: all of them are marked.
void ChartLink::pick(int bar) {
    if (!m_model || !m_items[std::size_t(bar)])
        return;
    const GraphItem item = m_items[std::size_t(bar)];
    const std::vector<quint32>& nodes = m_nodes[std::size_t(bar)];
    m_model->setShown(-1); // bars stand for what is run
    if (nodes.size() > 1) {
        m_marks = QSet<quint32>(nodes.begin(), nodes.end());
        m_model->mark(m_marks);
    } else if (m_model->marked() && m_model->marked() == m_marks) {
        m_model->mark(std::nullopt);
    }
    m_model->select(item, this);
    m_model->reveal(item);
}

void ChartLink::hover(int bar) {
    if (m_model)
        m_model->hover(bar < 0 ? GraphItem() : m_items[std::size_t(bar)], this);
}

} // namespace hidet::ui
