// SPDX-License-Identifier: GPL-3.0-only
// The graphs, and the tabs that are open beside them, whichever model is in front.
#pragma once

#include <functional>

#include <QJsonArray>
#include <QJsonObject>
#include <QSplitter>

#include "app/ui/panes/figure_pane.h"
#include "app/ui/panes/pane_group.h"

namespace hidet::ui {

class GraphTabs : public QSplitter {
public:
    GraphTabs(QWidget* graphs, std::function<Figure(const QString& id)> make, QWidget* parent)
        : QSplitter(Qt::Horizontal, parent), m_make(std::move(make)) {
        addWidget(graphs);
        addWidget(m_tabs);
        setChildrenCollapsible(false);
        m_tabs->setObjectName("graph.tabs");
        m_tabs->hide();
        connect(m_tabs, &QTabWidget::tabCloseRequested, this, &GraphTabs::closeTab);
    }

    // In front of the others; the first takes two fifths.
    void open(const QString& id) {
        for (int i = 0; i < m_tabs->count(); ++i)
            if (m_tabs->pane(i)->state() == FigurePane::stateOf(id))
                return m_tabs->setCurrentIndex(i);
        add(m_make(id));
    }

    void close(const QWidget& content) { closeTab(m_tabs->indexOf(content.parentWidget())); }

    // {"panes": ["figure:code"], "current": 0, "share": 40}: of the width, in per cent.
    QJsonObject state() const {
        QJsonArray panes;
        for (int i = 0; i < m_tabs->count(); ++i)
            panes << m_tabs->pane(i)->state();
        const int sum = std::max(1, sizes().value(0) + sizes().value(1));
        return {{"panes", panes},
                {"current", m_tabs->currentIndex()},
                {"share", m_tabs->isHidden() ? usual_share : (sizes().value(1) * 200 + sum) / (2 * sum)}};
    }

    void restore(const QJsonObject& state) { // what cannot be read is left out
        while (m_tabs->count() > 0)
            closeTab(0);
        for (const QJsonValue& pane : state["panes"].toArray())
            if (const Figure figure = m_make(pane.toString().section(':', 1)); figure.content)
                add(figure);
        m_tabs->setCurrentIndex(state["current"].toInt());
        setShare(std::clamp(state["share"].toInt(usual_share), 10, 90));
    }

private:
    static constexpr int usual_share = 40;

    void add(const Figure& figure) {
        auto* pane = new FigurePane(figure);
        connect(pane, &Pane::titleChanged, m_tabs, [this, pane] { m_tabs->nameTab(pane); });
        m_tabs->add(pane);
        if (m_tabs->isHidden()) {
            m_tabs->show();
            setShare(usual_share);
        }
    }

    void setShare(int share) { setSizes({(100 - share) * 100, share * 100}); }

    void closeTab(int index) {
        QWidget* pane = m_tabs->widget(index);
        m_tabs->removeTab(index);
        delete pane;
        m_tabs->setVisible(m_tabs->count() > 0);
    }

    std::function<Figure(const QString& id)> m_make;
    PaneGroup* m_tabs = new PaneGroup;
};

} // namespace hidet::ui
