// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/line_commands.h"

#include <algorithm>

#include "app/session/live/assist.h"

namespace hidet::ui {

namespace assist = session::assist;
using Sci = QsciScintillaBase;

namespace {

bool isBlank(char c) {
    return c == ' ' || c == '\t';
}

int indentWidth(const CodeView& view) {
    return std::max(1, view.tabWidth());
}

// From the first character of the block to its last line's end, that end not included.
ByteRange bytesOf(const CodeView& view, const LineBlock& block) {
    return {view.rangeOfLine(block.first).begin, view.rangeOfLine(block.last).end};
}

// A selection of whole lines stays one: its beginning does not move.
void applyToLines(CodeView& view, const std::vector<TextEdit>& edits) {
    std::vector<Caret> carets = caretsOf(view);
    for (Caret& caret : carets) {
        const bool forwards = caret.anchor <= caret.at;
        const Stick begin = caret.isEmpty() || view.columnOf(caret.begin()) > 0 ? Stick::After : Stick::Before;
        const int from = movedBy(edits, caret.begin(), begin);
        const int to = movedBy(edits, caret.end(), Stick::After);
        caret = forwards ? Caret{from, to} : Caret{to, from};
    }
    applyEdits(view, edits);
    setCarets(view, carets);
}

} // namespace

void indentLines(CodeView& view) {
    std::vector<TextEdit> edits;
    const QByteArray step(indentWidth(view), ' ');
    for (const LineBlock& block : linesOfCarets(view))
        for (int line = block.first; line <= block.last; ++line) {
            const ByteRange range = view.rangeOfLine(line);
            if (range.begin < range.end)
                edits.push_back({{range.begin, range.begin}, step});
        }
    applyToLines(view, edits);
}

void unindentLines(CodeView& view) {
    std::vector<TextEdit> edits;
    for (const LineBlock& block : linesOfCarets(view))
        for (int line = block.first; line <= block.last; ++line) {
            const ByteRange range = view.rangeOfLine(line);
            const QByteArray head = view.bytes({range.begin, std::min(range.end, range.begin + indentWidth(view))});
            int blanks = 0;
            while (blanks < head.size() && head[blanks] == ' ')
                ++blanks;
            if (blanks == 0 && head.startsWith('\t'))
                blanks = 1;
            if (blanks > 0)
                edits.push_back({{range.begin, range.begin + blanks}, {}});
        }
    applyToLines(view, edits);
}

static std::string_view commentMark(Language language) {
    return language == Language::Cuda || language == Language::Ptx ? "//" : "#";
}

void toggleComment(CodeView& view) {
    std::vector<TextEdit> edits;
    for (const LineBlock& block : linesOfCarets(view)) {
        const ByteRange range = bytesOf(view, block);
        const QByteArray lines = view.bytes(range);
        for (const assist::Edit& edit :
             assist::toggle_comment(std::string_view(lines.constData(), std::size_t(lines.size())),
                                    {0, static_cast<std::uint32_t>(lines.size())}, commentMark(view.codeLanguage())))
            edits.push_back({{range.begin + int(edit.range.begin), range.begin + int(edit.range.end)},
                             QByteArray::fromStdString(edit.text)});
    }
    applyToLines(view, edits);
}

// The copy goes above, so that the carets stand in the lower of both.
void duplicateLines(CodeView& view) {
    std::vector<TextEdit> edits;
    for (const LineBlock& block : linesOfCarets(view)) {
        const ByteRange range = bytesOf(view, block);
        edits.push_back({{range.begin, range.begin}, view.bytes(range) + '\n'});
    }
    applyEditsUnderCarets(view, edits, Stick::After);
}

void deleteLines(CodeView& view) {
    const int size = view.byteCount();
    std::vector<TextEdit> edits;
    std::vector<Caret> carets;
    for (const LineBlock& block : linesOfCarets(view)) {
        ByteRange range = bytesOf(view, block);
        const int column = view.columnOf(view.caret());
        if (range.end < size)
            ++range.end;
        else if (range.begin > 0)
            --range.begin;
        edits.push_back({range, {}});
        carets.push_back({range.begin, column});
    }
    std::vector<Caret> after;
    for (const Caret& caret : carets) {
        const int at = movedBy(edits, caret.anchor, Stick::Before);
        after.push_back({at, caret.at});
    }
    applyEdits(view, edits);
    for (Caret& caret : after) // the column is kept where the line is long enough
        caret.anchor = caret.at = view.offsetOf(view.lineOf(caret.anchor), caret.at);
    setCarets(view, after);
}

void joinLines(CodeView& view) {
    std::vector<TextEdit> edits;
    const int lines = lineCount(view);
    for (LineBlock block : linesOfCarets(view)) {
        if (block.last == block.first)
            ++block.last;
        for (int line = block.first; line < std::min(block.last, lines - 1); ++line) {
            const ByteRange upper = view.rangeOfLine(line);
            const ByteRange lower = view.rangeOfLine(line + 1);
            ByteRange gap{upper.end, lower.begin};
            const QByteArray above = view.bytes(upper), below = view.bytes(lower);
            qsizetype blanks = 0;
            while (blanks < below.size() && isBlank(below[blanks]))
                ++blanks;
            gap.end += static_cast<int>(blanks);
            qsizetype kept = above.size();
            while (kept > 0 && isBlank(above[kept - 1]))
                --kept;
            if (kept > 0)
                gap.begin -= static_cast<int>(above.size() - kept);
            const bool nothing = blanks == below.size() || kept == 0 || QByteArray("([{").contains(above[kept - 1]) ||
                                 QByteArray(")]},:").contains(below[blanks]);
            edits.push_back({gap, nothing ? "" : " "});
        }
    }
    applyEditsUnderCarets(view, edits, Stick::Before);
}

// The line that is passed moves, not the lines: what lies on them as marks stays there.
void moveLinesUp(CodeView& view) {
    std::vector<TextEdit> edits;
    for (const LineBlock& block : linesOfCarets(view)) {
        if (block.first == 0)
            continue; // the others move all the same
        const ByteRange range = bytesOf(view, block);
        const ByteRange above = view.rangeOfLine(block.first - 1);
        edits.push_back({{above.begin, range.begin}, {}});
        edits.push_back({{range.end, range.end}, '\n' + view.bytes(above)});
    }
    applyEditsUnderCarets(view, edits, Stick::Before);
    ask(view, Sci::SCI_SCROLLCARET);
}

void moveLinesDown(CodeView& view) {
    std::vector<TextEdit> edits;
    for (const LineBlock& block : linesOfCarets(view)) {
        if (block.last + 1 >= lineCount(view))
            continue;
        const ByteRange range = bytesOf(view, block);
        const ByteRange below = view.rangeOfLine(block.last + 1);
        edits.push_back({{range.begin, range.begin}, view.bytes(below) + '\n'});
        edits.push_back({{range.end, below.end}, {}});
    }
    applyEditsUnderCarets(view, edits, Stick::After);
    ask(view, Sci::SCI_SCROLLCARET);
}

void stripTrailingBlanks(CodeView& view) {
    std::vector<TextEdit> edits;
    const int lines = lineCount(view);
    for (int line = 0; line < lines; ++line) {
        const ByteRange range = view.rangeOfLine(line);
        int end = range.end;
        while (end > range.begin && isBlank(static_cast<char>(ask(view, Sci::SCI_GETCHARAT, end - 1))))
            --end;
        if (end < range.end)
            edits.push_back({{end, range.end}, {}});
    }
    applyEditsUnderCarets(view, edits, Stick::Before);
}

void addCaret(CodeView& view, Vertical direction) {
    const std::vector<Caret> carets = caretsOf(view);
    const Caret& edge = direction == Vertical::Up ? carets.front() : carets.back();
    const int line = view.lineOf(edge.at) + (direction == Vertical::Up ? -1 : 1);
    if (line < 0 || line >= lineCount(view))
        return;
    const long column = ask(view, Sci::SCI_GETCOLUMN, edge.at);
    const long at = ask(view, Sci::SCI_FINDCOLUMN, line, column);
    ask(view, Sci::SCI_ADDSELECTION, at, at);
}

static void searchWholeText(CodeView& view) {
    ask(view, Sci::SCI_TARGETWHOLEDOCUMENT);
    ask(view, Sci::SCI_SETSEARCHFLAGS, Sci::SCFIND_MATCHCASE);
}

void addNextOccurrence(CodeView& view) {
    searchWholeText(view);
    ask(view, Sci::SCI_MULTIPLESELECTADDNEXT);
    view.reveal({view.caret(), view.caret()});
}

void addAllOccurrences(CodeView& view) {
    if (ask(view, Sci::SCI_GETSELECTIONEMPTY))
        addNextOccurrence(view);
    searchWholeText(view);
    ask(view, Sci::SCI_MULTIPLESELECTADDEACH);
}

// The line that a fold around the caret begins with; -1: none.
static int foldHeader(const CodeView& view, int line) {
    const bool header = ask(view, Sci::SCI_GETFOLDLEVEL, line) & Sci::SC_FOLDLEVELHEADERFLAG;
    return header ? line : static_cast<int>(ask(view, Sci::SCI_GETFOLDPARENT, line));
}

void foldAtCaret(CodeView& view) {
    ask(view, Sci::SCI_COLOURISE, 0, -1);
    int line = foldHeader(view, view.lineOf(view.caret()));
    if (line >= 0 && !ask(view, Sci::SCI_GETFOLDEXPANDED, line)) // once more folds what is around
        line = static_cast<int>(ask(view, Sci::SCI_GETFOLDPARENT, line));
    if (line < 0)
        return;
    view.setCaret(view.rangeOfLine(line).end);
    ask(view, Sci::SCI_FOLDLINE, line, Sci::SC_FOLDACTION_CONTRACT);
}

void unfoldAtCaret(CodeView& view) {
    const int line = foldHeader(view, view.lineOf(view.caret()));
    if (line >= 0)
        ask(view, Sci::SCI_FOLDLINE, line, Sci::SC_FOLDACTION_EXPAND);
}

void foldEverything(CodeView& view) {
    ask(view, Sci::SCI_COLOURISE, 0, -1);
    int line = view.lineOf(view.caret());
    for (int parent = foldHeader(view, line); parent >= 0;
         parent = static_cast<int>(ask(view, Sci::SCI_GETFOLDPARENT, parent)))
        line = parent;
    if (line != view.lineOf(view.caret()))
        view.setCaret(view.rangeOfLine(line).end);
    ask(view, Sci::SCI_FOLDALL, Sci::SC_FOLDACTION_CONTRACT);
}

void unfoldEverything(CodeView& view) {
    ask(view, Sci::SCI_FOLDALL, Sci::SC_FOLDACTION_EXPAND);
    view.reveal({view.caret(), view.caret()});
}

void goToMatchingBracket(CodeView& view) {
    // What is a string is known from the beginning of the text; of a long one the lines around the caret are read.
    constexpr int most_bytes = 1 << 20;
    ByteRange around{0, view.byteCount()};
    if (around.end > most_bytes) {
        around.begin = view.rangeOfLine(view.lineOf(std::max(0, view.caret() - most_bytes / 2))).begin;
        around.end = std::min(around.end, view.caret() + most_bytes / 2);
    }
    const QByteArray text = view.bytes(around);
    const assist::BracketPair pair = assist::matching_bracket({text.constData(), static_cast<std::size_t>(text.size())},
                                                              static_cast<std::uint32_t>(view.caret() - around.begin));
    if (pair.partner.empty())
        return;
    view.setCaret(around.begin + static_cast<int>(pair.partner.begin));
    view.reveal({view.caret(), view.caret()});
}

} // namespace hidet::ui
