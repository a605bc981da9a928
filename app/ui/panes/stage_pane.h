// SPDX-License-Identifier: GPL-3.0-only
// One stage of the current script: the IR after a pass, or a form. The text is read only; its links, its freshness and the
// reason come from the stage board.
#pragma once

#include <optional>
#include <utility>

#include "app/ui/core/latest_task.h"
#include "app/ui/panes/code_pane.h"
#include "app/ui/panes/machine_strip.h"

namespace hidet::ui {

class StagePane : public CodePane {
    Q_OBJECT
public:
    StagePane(Studio& studio, StageName stage, QWidget* parent = nullptr);

    const StageName& stage() const { return m_stage; }
    const MachineStrip& machine() const { return *m_machine; }
    void setStage(const StageName& stage);
    const session::StageView& shown() const { return m_shown; }
    // The text in the pane is that of shown(): nothing is being prepared.
    bool isSettled() const { return !m_prepare.busy() && !m_dirty && !m_studio.scripts.turns().isDue(this); }

    void setPinned(bool pinned);
    void showPinned(int number); // a text that the hub keeps; nothing happens when it is gone

    // A line (1-based) and the bytes [begin, end) of it: into view, the caret there.
    void reveal(int line, int begin, int end);
    // What came from the place; empty: nothing, or links are off.
    std::vector<ByteRange> targetsOf(const session::Place& place) const;
    std::optional<session::Place> placeAt(int offset) const;

    QString state() const override;
    QString title() const override; // "IR after lower-task-mapping", "CUDA"
    bool isPinned() const override { return m_pin > 0; }
    QString fileName() const override;

protected:
    StageName textStage() const override { return m_stage; }
    bool isOfNow() const override { return linksHold(); }
    void refresh() override;
    void showLinks() override;
    void showBlame() override;
    void showState() override;
    QString notesOf(int line) const override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void listen();
    void rebind(); // another document
    void showModules();
    void prepare();
    void take(StageText text);
    void sayEmpty(const LivePipeline* live);
    void showFigures();
    void showFocus();
    void nameParts();
    void pointAt(int offset, LinkHub::By by);
    const session::BoardModule* module() const;
    bool linksHold() const; // places of the text are places of the script of today

    void showMachine();

    StageName m_stage;
    MachineStrip* m_machine = new MachineStrip(*m_view, m_page);
    QToolButton* m_explains; // whether the machine code is explained
    QComboBox* m_modules = new ElidedCombo(m_header);
    QToolButton* m_pinned;
    session::StageView m_shown;
    bool m_saysNoKernel = false;
    StageText m_text;
    StageName m_textStage; // that m_text is of
    std::pair<StageName, session::ModuleId> m_figuresOf;
    int m_pin = 0;
    LatestTask m_prepare;
    StageTextRequest m_preparing; // by the newest run of it
};

} // namespace hidet::ui
