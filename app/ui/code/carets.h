// SPDX-License-Identifier: GPL-3.0-only
// The carets of a view and changes of its text. A command works out all of its edits on the text as it is, applies them
// as one step of undo, and then says where the carets are.
#pragma once

#include <vector>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

inline long ask(const QsciScintillaBase& view, unsigned message, long first = 0, long second = 0) {
    return view.SendScintilla(message, static_cast<unsigned long>(first), second);
}

struct Caret {
    int anchor = 0;
    int at = 0;
    int begin() const { return std::min(anchor, at); }
    int end() const { return std::max(anchor, at); }
    bool isEmpty() const { return anchor == at; }
    ByteRange range() const { return {begin(), end()}; }
};

std::vector<Caret> caretsOf(const CodeView& view);                // in the order of the text
void setCarets(CodeView& view, const std::vector<Caret>& carets); // the last one is the main one

struct TextEdit {
    ByteRange range;
    QByteArray text;
};

// Edits do not overlap; any order. One step of undo, whatever else stands between beginUndoAction() and its end.
void applyEdits(CodeView& view, std::vector<TextEdit> edits);

enum class Stick { Before, After }; // of an offset at which something is inserted
int movedBy(const std::vector<TextEdit>& edits, int offset, Stick stick);

// applyEdits(), and the carets go along with the text.
void applyEditsUnderCarets(CodeView& view, const std::vector<TextEdit>& edits, Stick stick);

struct LineBlock { // 0-based, both ends included
    int first = 0;
    int last = 0;
};
// The lines that carets touch, neighbours joined. A selection that ends before the first character of a line leaves that
// line out.
std::vector<LineBlock> linesOfCarets(const CodeView& view);

int lineCount(const CodeView& view);
QByteArray wordAt(const CodeView& view, int offset, ByteRange* range = nullptr);

} // namespace hidet::ui
