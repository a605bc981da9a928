// SPDX-License-Identifier: GPL-3.0-only
// What the selected operator became, from its definition to machine code. The text follows the selection of the model in
// front, and says which operator each line came from; the newest selection wins.
#pragma once

#include <optional>

#include <QPointer>
#include <QStackedWidget>
#include <QTimer>

#include "app/ui/core/latest.h"
#include "app/ui/graph/code/code_header.h"
#include "app/ui/graph/code/code_target.h"
#include "app/ui/panes/blame_margin.h"
#include "app/ui/panes/help_card.h"
#include "app/ui/panes/pane.h"
#include "app/ui/panes/pane_notice.h"
#include "app/ui/panes/stage_text.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/work_line.h"

namespace hidet::ui {

class ModelCodePane : public Pane {
    Q_OBJECT
public:
    ModelCodePane(Studio& studio, QWidget* parent = nullptr);

    const StageName& stage() const { return m_wanted.stage.isEmpty() ? m_stage : m_wanted.stage; }
    void setStage(const StageName& stage); // kept in the settings
    // What is shown is that of the selection: nothing is on its way.
    bool isSettled() const;
    bool isEmpty() const { return m_body->currentWidget() == m_empty; }
    QString emptyText() const { return m_empty->title() + ". " + m_empty->text(); }
    QString headerText() const { return m_header->text(); }
    QString notice() const { return m_notice->text(); }

    quint32 nodeAt(int offset) const;                    // no_id: no operator's
    std::vector<ByteRange> rangesOf(quint32 node) const; // of the text that came from it
    void stepUse(int by);
    void stepRange(int by); // to another range of the operator at the caret
    void followCaret();     // to the operator in the graph
    bool explainCaret();

    QString state() const override { return QStringLiteral("model-code"); }
    QString title() const override;
    CodeView& view() override { return *m_view; }
    QByteArray wholeText() override { return m_view->bytes(); }
    QString fileName() const override;

signals:
    void refreshed(); // the text, or why there is none

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Wanted { // a text
        std::shared_ptr<const session::ModelCode> code;
        quint32 program = session::no_id;
        StageName stage;
        QString arch;
        std::vector<session::Filter> filters;
        friend bool operator==(const Wanted&, const Wanted&) = default;
    };
    struct Made {
        session::CodeAnswer answer;
        StageText text;
    };
    void build();
    void listen();
    void rebind(); // another model is in front
    void refresh();
    void setCode(std::shared_ptr<const session::ModelCode> code);
    void aim(CodeTarget target);
    void resolveGroup(std::shared_ptr<const session::ModelCode> code);
    void ask();
    std::optional<session::CodeAnswer> knownNow() const;
    void run();
    static Made made(const Wanted& wanted, session::CodeQuestion question);
    static Made madeOf(const Wanted& wanted, session::CodeAnswer answer);
    session::CodeQuestion questionOf(const Wanted& wanted) const;
    void take(const Wanted& wanted, Made made);
    void showText(const Wanted& wanted);
    void showHeader();
    void showState();
    void showMissing();
    void showElsewhere();
    void showEmpty(const QString& title, const QString& text);
    void showLinks();
    void showOutline(bool reveals);
    void showBlame();
    void pointAt(int offset);
    int positionOf(quint32 node) const; // in the group; -1: not in it
    const session::CodeProgram* program() const;
    const session::CodeUse* use() const;
    QStringList namesOf(const std::vector<std::uint32_t>& nodes) const;
    StageName stageFor(const session::CodeProgram& program) const;

    Studio& m_studio;
    CodeHeader* m_header;
    WorkLine* m_work;
    PaneNotice* m_notice;
    QStackedWidget* m_body;
    QWidget* m_textPage;
    CodeView* m_view;
    EmptyState* m_empty;
    HelpCard* m_card;
    BlameMargin* m_blame;
    QPointer<LiveModel> m_model;
    StageName m_stage;
    CodeTarget m_target;
    Wanted m_wanted, m_asked, m_shown; // m_shown.code is null: no text
    session::CodeAnswer m_answer;
    StageText m_text;
    bool m_dirty = false;
    bool m_revealing = false; // the selection came from elsewhere: its lines are brought into view
    int m_restingCaret = -1;  // where the caret stands since the text was shown; the user has not moved it
    QTimer m_pause;
    Latest m_asking, m_grouping;
};

} // namespace hidet::ui
