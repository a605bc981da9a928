// SPDX-License-Identifier: GPL-3.0-only
// A text of code that is read only, of a script or of a model: below a header, with a notice where something is amiss, a line
// that runs while it is being made, what is said in its place, the card that explains a line, and the margin that says
// which pass made it. Where its text comes from and what its links mean is its heir's affair.
#pragma once

#include <QHBoxLayout>
#include <QStackedWidget>

#include "app/session/exporting/saved_stage.h"
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

class CodePane : public Pane {
    Q_OBJECT
public:
    QString notice() const { return m_notice->text(); }
    bool isEmpty() const { return m_body->currentWidget() == m_empty; }
    QString emptyText() const { return m_empty->title() + ". " + m_empty->text(); }
    BlameMargin& blame() { return *m_blame; }
    // The card for the instruction or the line there. False: there is nothing to say.
    bool explain(int offset);

    CodeView& view() { return *m_view; }
    CodeView* codeView() override { return m_view; }
    QByteArray wholeText() override { return m_view->bytes(); }
    QByteArray madeBy() const override;
    std::optional<session::SavedStage> savedStage() const; // nothing: it is no stage

protected:
    virtual bool isOfNow() const { return true; } // of the text that the script has now
    CodePane(Studio& studio, const QString& name, Language language, QWidget* parent); // parts have names that begin so

    virtual StageName textStage() const = 0; // of the text that is shown
    virtual void refresh() = 0;              // what is shown may be another; nothing is done while it is not seen
    virtual void showLinks() = 0;
    virtual void showBlame() = 0;
    virtual void showState() = 0;
    void showEvent(QShowEvent* event) override;

    bool isPutOff(); // it is not seen: showEvent() refreshes it
    void showText() { m_body->setCurrentWidget(m_page); }
    EmptyState& showEmpty(); // in the place of the text; as it was
    // Of ranges of the text that came from one place: without indentation, neighbours as one.
    static std::vector<ByteRange> joined(const session::TextSnapshot& text,
                                         const std::vector<session::TextRange>& ranges);

    Studio& m_studio;
    PaneHeader* m_header;
    WorkLine* m_work = new WorkLine(m_studio.themes, this);
    PaneNotice* m_notice = new PaneNotice(m_studio.themes, this);
    virtual QString notesOf(int) const { return {}; } // of a line, for the card
    QHBoxLayout* m_row;                               // the text, and what stands beside it

    QStackedWidget* m_body = new QStackedWidget(this);
    QWidget* m_page = new QWidget(m_body); // with the bar that finds below the text
    CodeView* m_view;
    EmptyState* m_empty = new EmptyState(m_body);
    HelpCard* m_card = new HelpCard(*m_view);
    BlameMargin* m_blame = new BlameMargin(*m_view);
    bool m_dirty = false;
};

} // namespace hidet::ui
