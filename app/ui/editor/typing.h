// SPDX-License-Identifier: GPL-3.0-only
// What typing does beyond inserting a character: indentation after Enter, brackets and quotes in pairs, Tab on lines, the
// right place of `else`. Closing characters that were typed for the user carry a hidden indicator: only those are
// typed over.
#pragma once

#include <QKeyEvent>

#include "app/ui/code/carets.h"

namespace hidet::ui {

class Typing {
public:
    explicit Typing(CodeView& view) : m_view(view) {}

    void setClosingBrackets(bool on) { m_closes = on; }
    // True: the key is done with; otherwise Scintilla takes it.
    bool handle(const QKeyEvent& key);

private:
    void newLine();
    void tab();
    bool erase();
    bool character(char c);
    bool wrapSelections(char open, char close);
    bool typeOver(char c);
    bool openPair(char open, char close);
    bool quote(char c);
    void insertPair(const QByteArray& before, const QByteArray& after);
    void colon();

    char at(int offset) const;
    bool isInText(int offset) const; // of a string or a comment
    bool canCloseBefore(int offset) const;

    CodeView& m_view;
    bool m_closes = true;
};

} // namespace hidet::ui
