// SPDX-License-Identifier: GPL-3.0-only
// The editor with what stands around it: the overview at its right, the bars for finding and going below.
#pragma once

#include "app/ui/editor/go_bar.h"
#include "app/ui/editor/hot_strip.h"
#include "app/ui/editor/overview_ruler.h"
#include "app/ui/editor/script_editor.h"
#include "app/ui/widgets/find_bar.h"

namespace hidet::ui {

class EditorPane : public QWidget {
    Q_OBJECT
public:
    EditorPane(Studio& studio, TakenStore& taken, Document& document, QWidget* parent = nullptr);

    ScriptEditor& editor() const { return *m_editor; }
    OverviewRuler& overview() const { return *m_overview; }
    void openGoBar();
    void offerStarts(); // of a script that is new

private:
    void showProblems();
    void goTo(const session::Place& place);

    Studio& m_studio;
    ScriptEditor* m_editor;
    HotStrip* m_hot = new HotStrip(*m_editor, this);
    OverviewRuler* m_overview = new OverviewRuler(*m_editor, this);
    GoBar* m_goBar = new GoBar(this);
    QPointer<QWidget> m_starts;
};

} // namespace hidet::ui
