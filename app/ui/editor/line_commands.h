// SPDX-License-Identifier: GPL-3.0-only
// What an editor does with lines, carets and folds. Every function is one step of undo and works on all carets.
#pragma once

#include "app/ui/code/carets.h"

namespace hidet::ui {

void indentLines(CodeView& view);
void unindentLines(CodeView& view);
void toggleComment(CodeView& view);
void duplicateLines(CodeView& view);
void deleteLines(CodeView& view);
void joinLines(CodeView& view); // a line alone is joined with the next one
void moveLinesUp(CodeView& view);
void moveLinesDown(CodeView& view);
void stripTrailingBlanks(CodeView& view);

enum class Vertical { Up, Down };
void addCaret(CodeView& view, Vertical direction); // in the same column
void addNextOccurrence(CodeView& view);            // of what is selected; without a selection, selects the word
void addAllOccurrences(CodeView& view);

void foldAtCaret(CodeView& view);
void unfoldAtCaret(CodeView& view);
void foldEverything(CodeView& view); // the outermost blocks
void unfoldEverything(CodeView& view);

void goToMatchingBracket(CodeView& view);

} // namespace hidet::ui
