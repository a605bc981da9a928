// SPDX-License-Identifier: GPL-3.0-only
// What the selected operator became, from its definition to machine code. The text follows the selection of the model in
// front, and says which operator each line came from; the newest selection wins.
#pragma once

#include <optional>

#include <QPointer>

#include "app/ui/core/latest_task.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/graph/code/code_target.h"
#include "app/ui/panes/code_pane.h"

namespace hidet::ui {

class ModelCodePane : public CodePane {
    Q_OBJECT
public:
    ModelCodePane(Studio& studio, QWidget* parent = nullptr);

    const StageName& stage() const { return m_wanted.stage.isEmpty() ? m_stage : m_wanted.stage; }
    void setStage(const StageName& stage); // kept in the settings
    // What is shown is that of the selection: nothing is on its way.
    bool isSettled() const;
    QString headerText() const; // of the lines below the first

    quint32 nodeAt(int offset) const;                    // no_id: no operator's
    std::vector<ByteRange> rangesOf(quint32 node) const; // of the text that came from it
    void stepUse(int by);
    void stepRange(int by); // to another range of the operator at the caret
    void followCaret();     // to the operator in the graph

    QString state() const override { return QStringLiteral("model-code"); }
    QString title() const override;
    QString fileName() const override;

signals:
    void refreshed(); // the text, or why there is none

protected:
    StageName textStage() const override { return m_shown.stage; }
    void refresh() override;
    void showLinks() override;
    void showBlame() override;
    void showState() override;

private:
    struct Made {
        session::CodeAnswer answer;
        StageText text;
    };
    struct Wanted { // a text
        std::shared_ptr<const session::ModelCode> code;
        quint32 program = session::no_id;
        StageName stage;
        QString arch;
        std::vector<session::Filter> filters;
        friend bool operator==(const Wanted&, const Wanted&) = default;
        session::CodeQuestion question(const std::shared_ptr<session::Tools>& tools,
                                       const session::CodeAnswer& before) const; // which knows the passes
        Made made(session::CodeQuestion question) const;
        Made madeOf(session::CodeAnswer answer) const;
    };
    void build();
    void listen();
    void rebind(); // another model is in front
    void setCode(std::shared_ptr<const session::ModelCode> code);
    void aim(CodeTarget target);
    void stopAsking();
    void resolveGroup(std::shared_ptr<const session::ModelCode> code);
    void ask();
    std::optional<session::CodeAnswer> knownNow() const;
    void run();
    void take(const Wanted& wanted, Made made);
    void showMade(const Wanted& wanted);
    void showHeader();
    void showMissing();
    void showElsewhere();
    void sayEmpty(const QString& title, const QString& text);
    void showOutline(bool reveals);
    int positionOf(quint32 node) const; // in the group; -1: not in it
    const session::CodeProgram* program() const;
    const session::CodeUse* use() const;

    ElidedLabel *m_kernel, *m_uses, *m_operators;
    QToolButton *m_previous, *m_next;
    QPointer<LiveModel> m_model;
    StageName m_stage;
    CodeTarget m_target;
    Wanted m_wanted, m_asked, m_shown; // m_shown.code is null: no text
    session::CodeAnswer m_answer;
    StageText m_text;
    bool m_revealing = false; // the selection came from elsewhere: its lines are brought into view
    int m_restingCaret = -1;  // where the caret stands since the text was shown; the user has not moved it
    OneShot m_pause;
    LatestTask m_asking, m_grouping;
};

} // namespace hidet::ui
