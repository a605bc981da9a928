// SPDX-License-Identifier: GPL-3.0-only
// One stage of the current script: the IR after a pass, or a form. The text is read only; its links, its freshness and the
// reason come from the stage board.
#pragma once

#include <optional>

#include <QComboBox>
#include <QLabel>
#include <QWidget>

#include "app/ui/code/code_view.h"
#include "app/ui/window/studio.h"

namespace hidet::ui {

// What a pane shows, as it is kept in layouts: "ir" (after all passes), "ir:script", "ir:flatten-tensor-index", "cuda", ...
using StageName = QString;

class StagePane : public QWidget {
    Q_OBJECT
public:
    StagePane(Studio& studio, StageName stage, QWidget* parent = nullptr);

    const StageName& stage() const { return m_stage; }
    void setStage(const StageName& stage);
    CodeView& view() { return *m_view; }
    QString title() const; // of its tab: "IR after lower-task-mapping", "CUDA"
    const session::StageView& shown() const { return m_shown; }

signals:
    void titleChanged();

private:
    void rebind(); // another document
    void refresh();
    void fillStages();
    void showLinks();
    void showFocus();
    void pointAt(int offset, LinkHub::By by);
    std::optional<session::Stage> wanted(const LivePipeline& live) const;
    static Language languageOf(const StageName& stage);

    Studio& m_studio;
    StageName m_stage;
    QComboBox* m_choice;
    QLabel* m_state;
    CodeView* m_view;
    session::StageView m_shown;
    std::optional<session::LinkIndex> m_links;
};

} // namespace hidet::ui
