// SPDX-License-Identifier: GPL-3.0-only
// The graphs, one a model; what is shown is that of the model in front. Holds the commands that are about models as such.
#pragma once

#include <QHash>
#include <QStackedWidget>

#include "app/ui/graph/canvas/graph_pane.h"

namespace hidet::ui {

class CompareHost;
class ScriptGraph;

class GraphArea : public QStackedWidget {
    Q_OBJECT
public:
    GraphArea(Studio& studio, QWidget* parent = nullptr);

    GraphPane* current() const; // null: no model is in front
    GraphPane* paneOf(const LiveModel& model) const { return m_panes.value(&model); }
    CompareHost& comparison() { return *m_comparison; }
    ScriptGraph& beside() { return *m_beside; } // for the window to put beside scripts

private:
    void bindCommands();
    void bindMarks();
    void bindNumbers();
    void bindPasses();
    void bindScripts();
    void showGraphOf(Document& script);
    void showCurrent();
    void showBeside();

    Studio& m_studio;
    QHash<const LiveModel*, GraphPane*> m_panes;
    CompareHost* m_comparison;
    ScriptGraph* m_beside;
};

} // namespace hidet::ui
