// SPDX-License-Identifier: GPL-3.0-only
// What each pass did to the graph: the list of passes, which goes along with the slider, and beside it the printed graph before
// and after the one that is shown.
#include <QSplitter>
#include <QStackedWidget>

#include "app/ui/docks/docks.h"
#include "app/ui/graph/passes/graph_diff_view.h"
#include "app/ui/graph/passes/pass_tree.h"
#include "app/ui/workbench/dock_parts.h"

namespace hidet::ui {

namespace {

class ModelPassesDock : public DockWidget {
public:
    explicit ModelPassesDock(Studio& studio) : m_studio(studio) {
        QSplitter* halves = newSplitter(m_passes, 400, m_diff, 900);
        halves->setStretchFactor(0, 0);
        halves->setStretchFactor(1, 1);
        fillDock(*this, m_stack, m_empty, halves);
        setFocusProxy(m_passes);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &ModelPassesDock::followModel);
        bindCommands();
        followModel();
    }

private:
    void shown() override { refresh(); }

    void bindCommands() {
        Commands& commands = m_studio.commands;
        const auto hasChanges = [this] { return m_studio.tabs.model() && isVisible() && m_diff->hasChanges(); };
        const auto isSeen = [this] { return m_studio.tabs.model() && isVisible(); };
        commands.bind(this, hasChanges,
                      {{Command::PaneNextChange, [this] { m_diff->step(1); }},
                       {Command::PanePreviousChange, [this] { m_diff->step(-1); }}});
        commands.bind(this, isSeen,
                      {{Command::PaneInline, [this] { m_diff->setInline(!m_diff->isInline()); }},
                       {Command::PassesChangedOnly, [this] { m_diff->setChangedOnly(!m_diff->isChangedOnly()); }}});
    }

    void followModel() {
        LiveModel* model = m_studio.tabs.model();
        if (model == m_model)
            return refresh();
        if (m_model)
            m_model->unfollow(this);
        m_model = model;
        if (m_model) {
            connect(&m_model->graphs(), &ModelGraphs::shownChanged, this, &ModelPassesDock::refresh);
            connect(m_model, &LiveModel::stateChanged, this, &ModelPassesDock::refresh);
            connect(&m_model->selection(), &GraphSelection::selectionChanged, this, [this](QObject* origin) {
                if (origin != m_diff && isVisible())
                    m_diff->follow();
            });
        }
        refresh();
    }

    void refresh() {
        if (!isVisible()) { // keeps no state of the model
            m_passes->show(nullptr);
            return m_diff->show(nullptr);
        }
        const bool isThere = m_model && m_model->graphs().shownNumber() >= 0;
        m_stack->setCurrentIndex(isThere ? 1 : 0);
        m_passes->show(m_model);
        m_diff->show(m_model);
        const int changed = isThere ? static_cast<int>(m_model->graphs().snapshot()->graphs.size()) - 1 : 0;
        setBadge(changed > 0 ? QString::number(changed) : QString());
        if (isThere)
            return;
        m_empty->say(tr("What each pass did to the graph"), !m_model ? tr("Appears here when a model is in front")
                                                            : m_model->graphs().isBroken()
                                                                ? tr("The model cannot be read")
                                                                : tr("Appears here as soon as it is read"));
        m_empty->offer(m_studio.commands.action(Command::FileOpen), m_model ? QString() : tr("Open a model"));
    }

    Studio& m_studio;
    QStackedWidget* m_stack = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    PassTree* m_passes = new PassTree(m_studio, this);
    GraphDiffView* m_diff = new GraphDiffView(m_studio, this);
    QPointer<LiveModel> m_model;
};

} // namespace

DockWidget* makeModelPassesDock(Studio& studio) {
    return new ModelPassesDock(studio);
}

} // namespace hidet::ui
