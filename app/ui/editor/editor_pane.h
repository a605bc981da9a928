// SPDX-License-Identifier: GPL-3.0-only
// The editor with what stands around it: the overview at its right, the bars for finding and going below.
#pragma once

#include "app/ui/editor/go_bar.h"
#include "app/ui/editor/overview_ruler.h"
#include "app/ui/editor/script_editor.h"
#include "app/ui/widgets/find_bar.h"

namespace hidet::ui {

class EditorPane : public QWidget {
    Q_OBJECT
public:
    EditorPane(Studio& studio, Document& document, QWidget* parent = nullptr);

    ScriptEditor& editor() const { return *m_editor; }
    OverviewRuler& overview() const { return *m_overview; }
    void openGoBar();

private:
    void showProblems();
    void goTo(const session::Place& place);

    Studio& m_studio;
    ScriptEditor* m_editor;
    OverviewRuler* m_overview;
    GoBar* m_goBar;
};

} // namespace hidet::ui
