// SPDX-License-Identifier: GPL-3.0-only
// The graph that the script in front traces, beside it: the pane of its model, lent by the tabs of models for as long as the
// script is in front. It follows each keystroke; above it stand which of several graphs it is, and the mistake that keeps it
// as it was.
#pragma once

#include <QComboBox>
#include <QPointer>
#include <QVBoxLayout>

#include "app/ui/graph/canvas/graph_pane.h"
#include "app/ui/widgets/bar_parts.h"

namespace hidet::ui {

class ScriptGraph : public QWidget {
    Q_OBJECT
public:
    ScriptGraph(Studio& studio, QWidget* parent = nullptr);

    // Null: none.
    void take(GraphPane* pane, LiveModel* model);
    void closeGraph();     // the graph of the script; one of a model goes back to its tab
    GraphPane* giveBack(); // the pane, without a parent; null: there is none
    LiveModel* model() const { return m_model; }
    QString notice() const { return m_notice->isHidden() ? QString() : m_notice->text(); }

signals:
    void shownChanged(bool isShown); // there is a graph, or there is none

private:
    QWidget* makeBar();
    void refresh();
    void followKeyboard(const QWidget* now);
    void followCaret(const Document& script, int offset);
    void showSite();

    Studio& m_studio;
    QVBoxLayout* m_column;
    BarParts* m_parts;
    ElidedLabel* m_title = nullptr;
    QComboBox* m_traced = nullptr;
    ElidedLabel* m_notice;
    QPointer<GraphPane> m_pane;
    QPointer<LiveModel> m_model;
};

} // namespace hidet::ui
