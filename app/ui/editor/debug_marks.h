// SPDX-License-Identifier: GPL-3.0-only
// The breakpoints of a script in its margin, and the line at which a kernel stands that is debugged. The markers move with the text,
// and the board follows them.
#pragma once

#include "app/ui/code/code_view.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class DebugMarks : public QObject {
    Q_OBJECT
public:
    DebugMarks(Studio& studio, CodeView& view, Document& document);
    void listen();         // before whoever tells the document that the text has changed
    void toggle(int line); // 0-based
    static void applyTheme(CodeView& view);

private:
    void show();
    void showStand();
    void follow();

    Studio& m_studio;
    CodeView& m_view;
    Document& m_document;
    bool m_isEmptied = false; // the text is replaced as a whole
};

} // namespace hidet::ui
