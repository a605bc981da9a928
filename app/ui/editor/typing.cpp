// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/typing.h"

#include <algorithm>

#include "app/session/live/assist.h"
#include "app/ui/code/code_lexer.h"
#include "app/ui/editor/line_commands.h"
#include "lang/base/ranges.h"

namespace hidet::ui {

namespace assist = session::assist;
using Sci = QsciScintillaBase;

namespace {

// What the indentation of a line may depend on. Looking at all of a file of megabytes would be felt.
constexpr int look_back = 200'000;

// Undo knows texts only. Where the caret is not behind the last of them, and what was typed over there, is written into its
// history as a number: the offset of the caret times four, and one of these.
enum Note : int { JustCaret = 0, PairOfOne = 1, TypedOver = 2, PairOfThree = 3 };
constexpr int notes = 4;

char closerOf(char open) {
    switch (open) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    default: return '\0';
    }
}

bool isCloser(char c) {
    return c == ')' || c == ']' || c == '}';
}

bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::string_view viewOf(const QByteArray& text) {
    return {text.constData(), static_cast<std::size_t>(text.size())};
}

} // namespace

bool Typing::handle(const QKeyEvent& key) {
    const auto modifiers = key.modifiers() & ~Qt::KeypadModifier;
    const bool plain = modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier;
    if (!plain && modifiers != Qt::GroupSwitchModifier)
        return false;
    switch (key.key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: newLine(); return true;
    case Qt::Key_Tab: tab(); return true;
    case Qt::Key_Backtab: unindentLines(m_view); return true;
    case Qt::Key_Backspace: return modifiers == Qt::NoModifier && erase();
    default: break;
    }
    const QByteArray text = key.text().toUtf8();
    return text.size() == 1 && text[0] > ' ' && character(text[0]);
}

char Typing::at(int offset) const {
    return offset < 0 ? '\0' : static_cast<char>(ask(m_view, Sci::SCI_GETCHARAT, offset));
}

bool Typing::isInText(int offset) const {
    const ByteRange line = m_view.rangeOfLine(m_view.lineOf(offset));
    ask(m_view, Sci::SCI_COLOURISE, line.begin, line.end);
    if (offset == 0)
        return false;
    auto styleAt = [&](int place) { return colorAt(m_view, m_view.codeLanguage(), place); };
    const SyntaxColor before = styleAt(offset - 1);
    if (before == SyntaxColor::Comment)
        return offset > line.begin;
    if (before != SyntaxColor::String)
        return false;
    const char last = at(offset - 1);
    return styleAt(offset) == SyntaxColor::String || (offset == line.end && last != '"' && last != '\'');
}

bool Typing::canCloseBefore(int offset) const {
    const char c = at(offset);
    return c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':' || c == ';' ||
           isCloser(c);
}

void Typing::newLine() {
    const std::vector<Caret> carets = caretsOf(m_view);
    std::vector<TextEdit> edits;
    std::vector<int> places; // of the carets, from the beginning of their edit
    for (const Caret& caret : carets) {
        const int from = m_view.rangeOfLine(m_view.lineOf(std::max(0, caret.begin() - look_back))).begin;
        const QByteArray before = m_view.bytes({from, caret.begin()});
        const assist::IndentStyle style{std::max(1, m_view.tabWidth()), false};
        QByteArray text = "\n" + QByteArray::fromStdString(assist::indent_of_new_line(
                                     viewOf(before), static_cast<std::uint32_t>(before.size()), style));
        places.push_back(static_cast<int>(text.size()));
        // Between a pair of brackets the closing one goes to a line of its own.
        const char last = at(caret.begin() - 1);
        if (closerOf(last) && at(caret.end()) == closerOf(last)) {
            const ByteRange line = m_view.rangeOfLine(m_view.lineOf(caret.begin()));
            const QByteArray whole = m_view.bytes(line);
            qsizetype blanks = 0;
            while (blanks < whole.size() && (whole[blanks] == ' ' || whole[blanks] == '\t'))
                ++blanks;
            text += "\n" + whole.left(blanks);
        }
        int end = caret.end(); // blanks behind the caret would only make the next line deeper
        while (at(end) == ' ' || at(end) == '\t')
            ++end;
        edits.push_back({{carets.size() == 1 ? endOfCode(caret.begin()) : caret.begin(), end}, text});
    }
    std::vector<Caret> after;
    for (std::size_t i = 0; i < carets.size(); ++i) {
        const int place = movedBy({edits.begin(), edits.begin() + static_cast<std::ptrdiff_t>(i)}, edits[i].range.begin,
                                  Stick::After) +
                          places[i];
        after.push_back({place, place});
    }
    m_view.beginUndoAction();
    applyEdits(m_view, edits);
    setCarets(m_view, after);
    remember(JustCaret);
    m_view.endUndoAction();
    ask(m_view, Sci::SCI_SCROLLCARET);
}

// Where a line that is left with nothing but its indentation begins: nobody has typed those blanks.
int Typing::endOfCode(int offset) const {
    if (isInText(offset))
        return offset;
    const ByteRange line = m_view.rangeOfLine(m_view.lineOf(offset));
    for (int place = line.begin; place < line.end; ++place)
        if (at(place) != ' ' && at(place) != '\t')
            return offset;
    return line.begin;
}

void Typing::tab() {
    const std::vector<Caret> carets = caretsOf(m_view);
    const bool lines = std::any_of(carets.begin(), carets.end(), [&](const Caret& caret) {
        return m_view.lineOf(caret.begin()) != m_view.lineOf(caret.end());
    });
    if (lines)
        return indentLines(m_view);
    const int width = std::max(1, m_view.tabWidth());
    std::vector<TextEdit> edits;
    for (const Caret& caret : carets) {
        const int column = static_cast<int>(ask(m_view, Sci::SCI_GETCOLUMN, caret.begin()));
        edits.push_back({caret.range(), QByteArray(width - column % width, ' ')});
    }
    applyEditsUnderCarets(m_view, edits, Stick::After);
    std::vector<Caret> now = caretsOf(m_view);
    for (Caret& caret : now)
        caret.anchor = caret.at = caret.end();
    setCarets(m_view, now);
}

// Both of a pair that has nothing between, if the editor has typed one of them.
bool Typing::erase() {
    if (!m_closes)
        return false;
    const std::vector<Caret> carets = caretsOf(m_view);
    std::vector<TextEdit> edits;
    for (const Caret& caret : carets) {
        const char before = at(caret.at - 1), after = at(caret.at);
        const bool pair =
            after && (closerOf(before) == after || ((before == '"' || before == '\'') && after == before));
        if (!caret.isEmpty() || caret.at == 0 || !pair || !isAutoClosed(caret.at))
            return false;
        edits.push_back({{caret.at - 1, caret.at + 1}, {}});
    }
    applyEditsUnderCarets(m_view, edits, Stick::Before);
    return true;
}

bool Typing::character(char c) {
    if (c == ':' && m_view.codeLanguage() == Language::Script) {
        colon();
        return true;
    }
    if (!m_closes)
        return false;
    const char close = closerOf(c);
    const bool quotes = c == '"' || c == '\'';
    if ((close || quotes) && wrapSelections(c, close ? close : c))
        return true;
    if ((isCloser(c) || quotes) && typeOver(c))
        return true;
    if (quotes)
        return quote(c);
    return close && openPair(c, close);
}

bool Typing::wrapSelections(char open, char close) {
    const std::vector<Caret> carets = caretsOf(m_view);
    if (std::any_of(carets.begin(), carets.end(), [](const Caret& caret) { return caret.isEmpty(); }))
        return false;
    std::vector<TextEdit> edits;
    std::vector<Caret> after;
    int shift = 0;
    for (const Caret& caret : carets) {
        edits.push_back({caret.range(), open + m_view.bytes(caret.range()) + close});
        ++shift;
        after.push_back({caret.anchor + shift, caret.at + shift});
        ++shift;
    }
    applyEdits(m_view, edits);
    setCarets(m_view, after);
    return true;
}

bool Typing::isAutoClosed(int offset) const {
    return ask(m_view, Sci::SCI_INDICATORVALUEAT, CodeView::AutoClosed, offset) != 0;
}

void Typing::setAutoClosed(ByteRange range, bool on) {
    ask(m_view, Sci::SCI_SETINDICATORCURRENT, CodeView::AutoClosed);
    ask(m_view, Sci::SCI_SETINDICATORVALUE, 1);
    ask(m_view, on ? unsigned{Sci::SCI_INDICATORFILLRANGE} : unsigned{Sci::SCI_INDICATORCLEARRANGE}, range.begin,
        range.end - range.begin);
}

bool Typing::typeOver(char c) {
    std::vector<Caret> carets = caretsOf(m_view);
    if (carets.size() == 1 && isCloser(c) && carets[0].isEmpty() && at(carets[0].at) != c)
        return typeOverBlanks(c, carets[0].at);
    for (Caret& caret : carets) {
        if (!caret.isEmpty() || at(caret.at) != c || !isAutoClosed(caret.at))
            return false;
        caret.at = ++caret.anchor;
    }
    for (const Caret& caret : carets)
        setAutoClosed({caret.at - 1, caret.at}, false);
    setCarets(m_view, carets);
    remember(TypedOver);
    return true;
}

// The bracket that Return has put on a line of its own comes to where it is typed.
bool Typing::typeOverBlanks(char c, int offset) {
    int place = offset;
    while (at(place) == ' ' || at(place) == '\t' || at(place) == '\n' || at(place) == '\r')
        ++place;
    if (place == offset || at(place) != c || !isAutoClosed(place))
        return false;
    setAutoClosed({place, place + 1}, false);
    m_view.beginUndoAction();
    applyEdits(m_view, {{{offset, place}, {}}});
    setCarets(m_view, {{offset + 1, offset + 1}});
    remember(TypedOver);
    m_view.endUndoAction();
    return true;
}

void Typing::forgetLeftPairs() {
    const int size = m_view.byteCount();
    const std::vector<Caret> carets = caretsOf(m_view);
    for (int place = 0; place < size;) {
        const int end = static_cast<int>(ask(m_view, Sci::SCI_INDICATOREND, CodeView::AutoClosed, place));
        const auto isIn = [&](int closer) {
            return [this, closer](const Caret& caret) { return isInPair(caret.at, closer); };
        };
        if (isAutoClosed(place))
            for (int closer = place; closer < end; ++closer)
                if (std::none_of(carets.begin(), carets.end(), isIn(closer)))
                    setAutoClosed({closer, closer + 1}, false);
        if (end <= place)
            return;
        place = end;
    }
}

bool Typing::isInPair(int offset, int closer) const {
    if (offset > closer)
        return false;
    if (m_view.lineOf(offset) == m_view.lineOf(closer))
        return true;
    if (!isCloser(at(closer)))
        return isInText(offset);
    ask(m_view, Sci::SCI_COLOURISE, m_view.rangeOfLine(m_view.lineOf(offset)).begin, closer + 1);
    const long opener = ask(m_view, Sci::SCI_BRACEMATCH, closer);
    return opener >= 0 && opener < offset;
}

void Typing::remember(int note) {
    const std::vector<Caret> carets = caretsOf(m_view);
    if (carets.size() == 1)
        ask(m_view, Sci::SCI_ADDUNDOACTION, carets[0].at * notes + note, Sci::UNDO_MAY_COALESCE);
}

void Typing::redone(const std::vector<int>& history) {
    for (const int token : history) {
        const int caret = token / notes, note = token % notes;
        if (note == TypedOver)
            setAutoClosed({caret - 1, caret}, false);
        else
            setAutoClosed({caret, caret + note}, true);
        m_view.setCaret(caret);
    }
}

// What was typed over stood behind the text of its step.
void Typing::undone(const std::vector<int>& history, int added) {
    for (const int token : history) {
        const int closer = token / notes - 1 + added;
        if (token % notes != TypedOver)
            continue;
        setAutoClosed({closer, closer + 1}, true);
        if (added == 0)
            m_view.setCaret(closer);
    }
}

bool Typing::openPair(char open, char close) {
    for (const Caret& caret : caretsOf(m_view))
        if (!caret.isEmpty() || !canCloseBefore(caret.at) || isInText(caret.at))
            return false;
    insertPair(QByteArray(1, open), QByteArray(1, close));
    return true;
}

bool Typing::quote(char c) {
    bool triple = true;
    for (const Caret& caret : caretsOf(m_view)) {
        const int offset = caret.at;
        if (!caret.isEmpty() || !canCloseBefore(offset))
            return false;
        const bool third = at(offset - 1) == c && at(offset - 2) == c && at(offset - 3) != c;
        triple = triple && third;
        if (third)
            continue;
        if (at(offset - 1) == c || isInText(offset))
            return false;
        int begin = offset; // a prefix: f"", rb""
        while (isWord(at(begin - 1)))
            --begin;
        const QByteArray prefix = m_view.bytes({begin, offset}).toLower();
        if (!prefix.isEmpty() && !(prefix.size() <= 2 && QByteArray("f r b u rf fr br rb").split(' ').contains(prefix)))
            return false;
    }
    insertPair(QByteArray(1, c), QByteArray(triple ? 3 : 1, c));
    return true;
}

void Typing::insertPair(const QByteArray& before, const QByteArray& after) {
    std::vector<Caret> carets = caretsOf(m_view);
    const std::vector<TextEdit> edits = transformed(carets, [&](const Caret& caret) {
        return TextEdit{caret.range(), before + after};
    });
    int shift = 0;
    for (Caret& caret : carets) {
        caret.at = caret.anchor = caret.at + shift + static_cast<int>(before.size());
        shift += static_cast<int>(before.size() + after.size());
    }
    m_view.beginUndoAction();
    applyEdits(m_view, edits);
    const int closing = static_cast<int>(after.size());
    for (const Caret& caret : carets)
        setAutoClosed({caret.at, caret.at + closing}, true);
    setCarets(m_view, carets);
    remember(closing == 1 ? PairOfOne : PairOfThree);
    m_view.endUndoAction();
}

// `else:` goes below its `if` as soon as it is one.
void Typing::colon() {
    std::vector<Caret> carets = caretsOf(m_view);
    const std::vector<TextEdit> edits = transformed(carets, [](const Caret& caret) {
        return TextEdit{caret.range(), ":"};
    });
    for (Caret& caret : carets)
        caret.at = caret.anchor = movedBy(edits, caret.end(), Stick::After);
    m_view.beginUndoAction();
    applyEdits(m_view, edits);
    setCarets(m_view, carets);
    const int offset = carets.front().at;
    const ByteRange line = m_view.rangeOfLine(m_view.lineOf(offset));
    if (carets.size() == 1 && offset == line.end) {
        const int from = m_view.rangeOfLine(m_view.lineOf(std::max(0, line.begin - look_back))).begin;
        const QByteArray text = m_view.bytes({from, line.end});
        const QByteArray indent =
            QByteArray::fromStdString(assist::indent_of_clause(viewOf(text), static_cast<std::uint32_t>(text.size())));
        int blanks = line.begin;
        while (at(blanks) == ' ' || at(blanks) == '\t')
            ++blanks;
        if (m_view.bytes({line.begin, blanks}) != indent)
            applyEditsUnderCarets(m_view, {{{line.begin, blanks}, indent}}, Stick::After);
    }
    remember(JustCaret);
    m_view.endUndoAction();
}

} // namespace hidet::ui
