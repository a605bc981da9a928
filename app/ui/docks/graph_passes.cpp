// SPDX-License-Identifier: GPL-3.0-only
// What each pass did to the graph: the list of passes, which goes along with the slider, and beside it the printed graph before
// and after the one that is shown.
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/ui/docks/docks.h"
#include "app/ui/graph/passes/graph_diff_view.h"
#include "app/ui/graph/passes/pass_tree.h"

namespace hidet::ui {

namespace {

class ModelPassesDock : public DockWidget {
public:
    explicit ModelPassesDock(Studio& studio)
        : m_studio(studio), m_stack(new QStackedWidget(this)), m_empty(new EmptyState(this)),
          m_passes(new PassTree(studio, this)), m_diff(new GraphDiffView(studio, this)) {
        auto* halves = new QSplitter(Qt::Horizontal, this);
        halves->setChildrenCollapsible(false);
        halves->addWidget(m_passes);
        halves->addWidget(m_diff);
        halves->setStretchFactor(0, 0);
        halves->setStretchFactor(1, 1);
        halves->setSizes({400, 900});
        m_stack->addWidget(m_empty);
        m_stack->addWidget(halves);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_stack);
        setFocusProxy(m_passes);
        setProperty("panel", true);
        setAttribute(Qt::WA_StyledBackground);
        connect(&studio, &Studio::currentChanged, this, &ModelPassesDock::followModel);
        bindCommands();
        followModel();
    }

protected:
    void showEvent(QShowEvent* event) override {
        DockWidget::showEvent(event);
        refresh();
    }

private:
    void bindCommands() {
        Commands& commands = m_studio.commands;
        const auto hasChanges = [this] { return m_studio.model() && isVisible() && m_diff->hasChanges(); };
        const auto isSeen = [this] { return m_studio.model() && isVisible(); };
        commands.bind(
            Command::PaneNextChange, this, [this] { m_diff->step(1); }, hasChanges);
        commands.bind(
            Command::PanePreviousChange, this, [this] { m_diff->step(-1); }, hasChanges);
        commands.bind(
            Command::PaneInline, this, [this] { m_diff->setInline(!m_diff->isInline()); }, isSeen);
        commands.bind(
            Command::PassesChangedOnly, this, [this] { m_diff->setChangedOnly(!m_diff->isChangedOnly()); }, isSeen);
    }

    void followModel() {
        LiveModel* model = m_studio.model();
        if (model == m_model)
            return refresh();
        if (m_model)
            disconnect(m_model, nullptr, this, nullptr);
        m_model = model;
        if (m_model) {
            connect(m_model, &LiveModel::shownChanged, this, &ModelPassesDock::refresh);
            connect(m_model, &LiveModel::stateChanged, this, &ModelPassesDock::refresh);
            connect(m_model, &LiveModel::selectionChanged, this, [this](QObject* origin) {
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
        const bool isThere = m_model && m_model->shown() >= 0;
        m_stack->setCurrentIndex(isThere ? 1 : 0);
        m_passes->show(m_model);
        m_diff->show(m_model);
        const int changed = isThere ? static_cast<int>(m_model->snapshot()->graphs.size()) - 1 : 0;
        setBadge(changed > 0 ? QString::number(changed) : QString());
        if (isThere)
            return;
        m_empty->setAction({}, {});
        if (!m_model) {
            m_empty->say(tr("What each pass did to the graph"), tr("Appears here when a model is in front"));
            QAction* open = m_studio.commands.action(Command::FileOpen);
            m_empty->setAction(tr("Open a model"), [open] { open->trigger(); });
        } else {
            m_empty->say(tr("What each pass did to the graph"), m_model->isBroken()
                                                                    ? tr("The model cannot be read")
                                                                    : tr("Appears here as soon as it is read"));
        }
    }

    Studio& m_studio;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    PassTree* m_passes;
    GraphDiffView* m_diff;
    QPointer<LiveModel> m_model;
};

} // namespace

DockWidget* makeModelPassesDock(Studio& studio) {
    return new ModelPassesDock(studio);
}

} // namespace hidet::ui
