// SPDX-License-Identifier: GPL-3.0-only
// The code of what is selected in the graph, with the scripts that define operators below it.
#include <utility>

#include <QApplication>
#include <QVBoxLayout>

#include "app/ui/docks/docks.h"
#include "app/ui/graph/code/model_code.h"
#include "app/ui/graph/code/model_scripts.h"
#include "app/ui/panes/pane_commands.h"
#include "app/ui/widgets/find_bar.h"

namespace hidet::ui {

namespace {

class CodeDock : public DockWidget {
public:
    explicit CodeDock(Studio& studio) : m_studio(studio), m_pane(new ModelCodePane(studio, this)) {
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(m_pane, 1);
        column->addWidget(new ModelScriptBar(studio, this));
        setFocusProxy(m_pane);
        new ModelScripts(studio, this, [this] {
            m_pane->setStage(StageName::definition());
            bring();
        });
        connect(&studio, &Studio::stageRequested, this, [this](const StageName& stage) {
            if (!m_studio.model())
                return;
            m_pane->setStage(stage);
            bring();
        });
        // What a command means depends on where the keyboard is.
        connect(qApp, &QApplication::focusChanged, this, &CodeDock::noteKeyboard, Qt::QueuedConnection);
        bindCommands();
    }

private:
    bool isMine(const QWidget* widget) const { return widget && isAncestorOf(widget); }
    bool hasKeyboard() const { return m_studio.model() && isMine(QApplication::focusWidget()); }

    void noteKeyboard() {
        if (std::exchange(m_hadKeyboard, hasKeyboard()) != m_hadKeyboard)
            m_studio.commands.refresh();
    }

    void bring() {
        if (!hasKeyboard())
            m_studio.commands.find("dock.code")->trigger();
    }

    // While the keyboard is here.
    void bindHere(Command command, std::function<void()> act) {
        m_studio.commands.bind(command, this, std::move(act), [this] { return hasKeyboard(); });
    }

    void bindCommands() {
        m_studio.commands.bind(
            Command::GraphCode, this, [this] { hasKeyboard() ? emit m_studio.editorRequested() : bring(); },
            [this] { return m_studio.model() != nullptr; });
        CodeView& view = m_pane->view();
        bindHere(Command::EditFind, [&view] { FindBar::of(view)->openFind(); });
        bindHere(Command::EditFindNext, [&view] { FindBar::of(view)->findNext(); });
        bindHere(Command::EditFindPrevious, [&view] { FindBar::of(view)->findPrevious(); });
        bindHere(Command::EditCopy, [&view] { view.copy(); });
        bindHere(Command::EditSelectAll, [&view] { view.selectAll(); });
        bindHere(Command::PaneCopyAll, [this] { copyAll(*m_pane, m_studio); });
        bindHere(Command::PaneSaveText, [this] { saveText(*m_pane, m_studio); });
        bindHere(Command::PanePicture, [this] { savePicture(*m_pane, m_studio); });
        bindHere(Command::PaneFollowLink, [this] { m_pane->followCaret(); });
        bindHere(Command::PaneNextLink, [this] { m_pane->stepRange(1); });
        bindHere(Command::PanePreviousLink, [this] { m_pane->stepRange(-1); });
        bindHere(Command::PaneExplain, [this] {
            if (!m_pane->explainCaret())
                m_studio.showStatus(tr("There is nothing to say of this line"));
        });
    }

    Studio& m_studio;
    ModelCodePane* m_pane;
    bool m_hadKeyboard = false;
};

} // namespace

DockWidget* makeModelCodeDock(Studio& studio) {
    return new CodeDock(studio);
}

} // namespace hidet::ui
