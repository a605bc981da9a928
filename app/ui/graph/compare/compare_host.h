// SPDX-License-Identifier: GPL-3.0-only
// Starts and ends the comparison of two models: asks for the second one, lends the graphs of both tabs to it, and gives them
// back. There is one comparison at a time; it stands in the place of both graphs.
#pragma once

#include <functional>

#include "app/ui/graph/compare/model_compare.h"

class QMenu;
class QStackedWidget;

namespace hidet::ui {

class CompareHost : public QObject {
    Q_OBJECT
public:
    using Panes = std::function<GraphPane*(const LiveModel&)>;
    CompareHost(Studio& studio, QStackedWidget& area, Panes panes);

    ModelCompare* view() const { return m_view; }       // null: nothing is compared
    ModelCompare* viewOf(const LiveModel* model) const; // null: the model is not compared
    void start(LiveModel& left, LiveModel& right);
    void end();

signals:
    void changed(); // it began or ended

private:
    void bindCommands();
    void choose(); // the second model
    void askForFile();
    void startWith(const QString& path);
    void startWithKept(LiveModel* model, const session::ModelRecord& run, const QString& path);

    Studio& m_studio;
    QStackedWidget& m_area;
    Panes m_panes;
    ModelCompare* m_view = nullptr;
    QMenu* m_menu;
};

} // namespace hidet::ui
