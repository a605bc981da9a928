// SPDX-License-Identifier: GPL-3.0-only
// What typing does beyond inserting a character: indentation after Enter, brackets and quotes in pairs, Tab on lines, the
// right place of `else`. Closing characters that were typed for the user carry a hidden indicator for as long as a caret is
// in their pair: only those are typed over, and go with their opening one.
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
    // The caret went elsewhere: pairs that it has left are the user's own.
    void forgetLeftPairs();
    // A step of undo was taken back or made again, with what was written into its history; `added`: bytes, or fewer than 0.
    void undone(const std::vector<int>& history, int added);
    void redone(const std::vector<int>& history);

private:
    void newLine();
    void tab();
    bool erase();
    bool character(char c);
    bool wrapSelections(char open, char close);
    bool typeOver(char c);
    bool typeOverBlanks(char c, int offset);
    bool openPair(char open, char close);
    bool quote(char c);
    void insertPair(const QByteArray& before, const QByteArray& after);
    void colon();
    void remember(int note);

    bool isAutoClosed(int offset) const;
    void setAutoClosed(ByteRange range, bool on);
    bool isInPair(int offset, int closer) const;
    int endOfCode(int offset) const;
    char at(int offset) const;
    bool isInText(int offset) const; // of a string or a comment
    bool canCloseBefore(int offset) const;

    CodeView& m_view;
    bool m_closes = true;
};

} // namespace hidet::ui
