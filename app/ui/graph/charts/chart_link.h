// SPDX-License-Identifier: GPL-3.0-only
// Ties the bars of a chart to a model's selection: what is picked here is selected everywhere, what is selected elsewhere is
// framed here.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>

#include "app/ui/graph/charts/run_charts.h"

namespace hidet::ui {

class ChartLink : public QObject {
    Q_OBJECT
public:
    explicit ChartLink(BarChart& chart);

    // What the chart shows now, and of which model; null: nothing.
    void show(LiveModel* model, ModelChart chart);

private:
    void follow(LiveModel* model);
    void showSelection();
    QSet<int> barsOf(const GraphItem& item) const;
    void pick(int bar);
    void hover(int bar);

    BarChart& m_chart;
    QPointer<LiveModel> m_model;
    std::vector<GraphItem> m_items;
    std::vector<std::vector<quint32>> m_nodes;
    QHash<quint32, QSet<int>> m_barsOfNode, m_barsOfValue;
    std::optional<QSet<quint32>> m_marks; // that were made here last
};

} // namespace hidet::ui
