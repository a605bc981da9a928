// SPDX-License-Identifier: GPL-3.0-only
// The breakpoints of a script in its margin, and the line at which a kernel stands that is debugged. The markers move with the text,
// and the board follows them.
#pragma once

#include <QPointer>

#include "app/ui/code/code_view.h"
#include "app/ui/editor/in_place_field.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class DebugMarks : public QObject {
    Q_OBJECT
public:
    DebugMarks(Studio& studio, CodeView& view, Document& document);
    ~DebugMarks() override;
    void listen();         // before whoever tells the document that the text has changed
    void toggle(int line); // 0-based
    void editCondition(int line);
    void askForWriter(); // of the element at the caret, or of what is selected
    static void applyTheme(CodeView& view);

private:
    void show();
    void showStand();
    void follow();

    Studio& m_studio;
    CodeView& m_view;
    Document& m_document;
    struct Shown {
        int handle = -1; // of its marker
        Breakpoint breakpoint;
    };
    std::vector<Shown> m_shown;
    QPointer<InPlaceField> m_field; // of a condition
    int m_conditionLine = 0;
    bool m_isEmptied = false; // the text is replaced as a whole
};

} // namespace hidet::ui
