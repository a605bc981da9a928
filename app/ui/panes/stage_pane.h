// SPDX-License-Identifier: GPL-3.0-only
// One stage of the current script: the IR after a pass, or a form. The text is read only; its links, its freshness and the
// reason come from the stage board.
#pragma once

#include <optional>

#include <QStackedWidget>

#include "app/ui/core/latest.h"
#include "app/ui/panes/blame_margin.h"
#include "app/ui/panes/help_card.h"
#include "app/ui/panes/pane.h"
#include "app/ui/panes/pane_header.h"
#include "app/ui/panes/pane_notice.h"
#include "app/ui/panes/stage_text.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/work_line.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class StagePane : public Pane {
    Q_OBJECT
public:
    StagePane(Studio& studio, StageName stage, QWidget* parent = nullptr);

    const StageName& stage() const { return m_stage; }
    void setStage(const StageName& stage);
    const session::StageView& shown() const { return m_shown; }
    // The text in the pane is that of shown(): nothing is being prepared.
    bool isSettled() const { return !m_prepare.busy() && !m_dirty; }

    void setPinned(bool pinned);
    void showPinned(int number); // a text that the hub keeps; nothing happens when it is gone
    QString notice() const { return m_notice->text(); }
    bool isEmpty() const { return m_body->currentWidget() == m_empty; }
    QString emptyText() const { return m_empty->title() + ". " + m_empty->text(); }
    bool showsWork() const { return m_work->isShown(); }
    BlameMargin& blame() { return *m_blame; }

    // A line (1-based) and the bytes [begin, end) of it: into view, the caret there.
    void reveal(int line, int begin, int end);
    // What came from the place; empty: nothing, or links are off.
    std::vector<ByteRange> targetsOf(const session::Place& place) const;
    std::optional<session::Place> placeAt(int offset) const;
    // The card for the instruction or the line at the caret. False: there is nothing to say.
    bool explain(int offset);

    QString state() const override;
    QString title() const override; // "IR after lower-task-mapping", "CUDA"
    CodeView& view() override { return *m_view; }
    bool isPinned() const override { return m_pin > 0; }
    QByteArray wholeText() override { return m_view->bytes(); }
    QString fileName() const override;

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void listen();
    void rebind(); // another document
    void refresh();
    void prepare();
    void take(StageText text);
    void showState();
    void showEmpty(const LivePipeline* live);
    void showFigures();
    void showLinks();
    void showFocus();
    void showBlame();
    void nameParts();
    void pointAt(int offset, LinkHub::By by);
    const session::BoardModule* module() const;
    bool linksHold() const; // places of the text are places of the script of today

    Studio& m_studio;
    StageName m_stage;
    PaneHeader* m_header;
    WorkLine* m_work;
    PaneNotice* m_notice;
    QStackedWidget* m_body;
    CodeView* m_view;
    EmptyState* m_empty;
    HelpCard* m_card;
    BlameMargin* m_blame;
    session::StageView m_shown;
    StageText m_text;
    StageName m_textStage; // that m_text is of
    int m_pin = 0;
    bool m_dirty = false;
    Latest m_prepare;
    StageTextRequest m_preparing; // by the newest run of it
};

} // namespace hidet::ui
