// SPDX-License-Identifier: GPL-3.0-only
// The code of what is selected in the graph, below the template that scheduled it if that is shown, and above the scripts
// that define operators.
#include <utility>

#include <QApplication>
#include <QSplitter>

#include "app/ui/docks/docks.h"
#include "app/ui/graph/code/model_code.h"
#include "app/ui/graph/code/model_scripts.h"
#include "app/ui/graph/tune/template_pane.h"
#include "app/ui/panes/pane_commands.h"
#include "app/ui/widgets/find_bar.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

constexpr const char* template_setting = "graph/template_shown";

class CodeDock : public DockWidget {
public:
    explicit CodeDock(Studio& studio) : m_studio(studio) {
        m_split->addWidget(m_template);
        m_split->addWidget(m_pane);
        m_split->setChildrenCollapsible(false);
        m_template->setVisible(studio.settings.extra(template_setting).toBool());
        newColumn(this, {{m_split, 1}, new ModelScriptBar(studio, this)});
        setFocusProxy(m_pane);
        new ModelScripts(studio, this, [this] {
            m_pane->setStage(StageName::definition());
            bring();
        });
        connect(&studio.requests, &ViewRequests::stageRequested, this, [this](const StageName& stage) {
            if (!m_studio.tabs.model())
                return;
            m_pane->setStage(stage);
            bring();
        });
        connect(&studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* model) {
            connect(&model->selection(), &GraphSelection::peekChanged, this, [this, model] {
                if (model->selection().peeked() && model == m_studio.tabs.model() && visibleRegion().isEmpty())
                    bring();
            });
        });
        // What a command means depends on where the keyboard is.
        connect(qApp, &QApplication::focusChanged, this, &CodeDock::noteKeyboard, Qt::QueuedConnection);
        bindCommands();
    }

private:
    bool isMine(const QWidget* widget) const { return widget && isAncestorOf(widget); }
    bool hasKeyboard() const { return m_studio.tabs.model() && isMine(QApplication::focusWidget()); }

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
            Command::GraphCode, this, [this] { hasKeyboard() ? emit m_studio.requests.editorRequested() : bring(); },
            [this] { return m_studio.tabs.model() != nullptr; });
        bindTemplate();
        bindHere(Command::EditFind, [this] { FindBar::of(view())->openFind(); });
        bindHere(Command::EditFindNext, [this] { FindBar::of(view())->findNext(); });
        bindHere(Command::EditFindPrevious, [this] { FindBar::of(view())->findPrevious(); });
        bindHere(Command::EditCopy, [this] { view().copy(); });
        bindHere(Command::EditSelectAll, [this] { view().selectAll(); });
        bindHere(Command::PaneCopyAll, [this] { copyAll(*m_pane, m_studio); });
        bindHere(Command::PaneSaveText, [this] { saveText(*m_pane, m_studio); });
        bindHere(Command::PanePicture, [this] { savePicture(*m_pane, m_studio); });
        bindHere(Command::PaneFollowLink, [this] { m_pane->followCaret(); });
        bindHere(Command::PaneNextLink, [this] { m_pane->stepRange(1); });
        bindHere(Command::PanePreviousLink, [this] { m_pane->stepRange(-1); });
        bindHere(Command::PaneExplain, [this] {
            if (!m_pane->explain(m_pane->view().caret()))
                m_studio.notices.showStatus(tr("There is nothing to say of this line"));
        });
    }

    bool isTyping() const { return m_template->isEdited() && m_template->isAncestorOf(QApplication::focusWidget()); }
    CodeView& view() const {
        return m_template->isAncestorOf(QApplication::focusWidget()) ? m_template->view() : m_pane->view();
    }

    void showTemplate(bool shown) {
        m_template->setVisible(shown);
        m_studio.settings.setExtra(template_setting, shown);
        if (shown) {
            bring();
            m_template->view().setFocus();
        }
        m_studio.commands.refresh();
    }

    void bindTemplate() {
        Commands& commands = m_studio.commands;
        commands.bind(
            Command::TemplateShow, this, [this] { showTemplate(!(m_template->isVisible() && hasKeyboard())); },
            [this] { return m_studio.tabs.model() != nullptr; });
        commands.bind(
            Command::TemplateEdit, this,
            [this] {
                showTemplate(true);
                m_template->edit();
            },
            [this] { return m_template->canEdit(); });
        commands.bind(
            Command::TemplateBack, this, [this] { m_template->putBack(); },
            [this] { return m_template->canPutBack(); });
        const auto bindTyping = [this](Command command, std::function<void(CodeView&)> act) {
            m_studio.commands.bind(
                command, this, [this, act] { act(m_template->view()); }, [this] { return isTyping(); });
        };
        bindTyping(Command::EditUndo, [](CodeView& view) { view.undo(); });
        bindTyping(Command::EditRedo, [](CodeView& view) { view.redo(); });
        bindTyping(Command::EditCut, [](CodeView& view) { view.cut(); });
        bindTyping(Command::EditPaste, [](CodeView& view) { view.paste(); });
        bindTyping(Command::FileSave, [this](CodeView&) { m_template->flush(); });
    }

    Studio& m_studio;
    QSplitter* m_split = new QSplitter(Qt::Vertical, this);
    TemplatePane* m_template = new TemplatePane(m_studio, this);
    ModelCodePane* m_pane = new ModelCodePane(m_studio, this);
    bool m_hadKeyboard = false;
};

} // namespace

DockWidget* makeModelCodeDock(Studio& studio) {
    return new CodeDock(studio);
}

} // namespace hidet::ui
