// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/code_lexer.h"

#include <algorithm>

#include <Qsci/qsciscintilla.h>

namespace hidet::ui {

namespace {

constexpr int style_count = static_cast<int>(SyntaxColor::Count);
// A template of kilobytes on one line is shown, but not coloured to its end.
constexpr int longest_colored_line = 20'000;

QByteArray lineOf(const QsciScintilla* view, int line) {
    const long start = view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
    const long length = view->SendScintilla(QsciScintilla::SCI_LINELENGTH, static_cast<unsigned long>(line));
    if (length <= 0)
        return {}; // an empty QByteArray has no room for the zero that Scintilla writes
    QByteArray out(static_cast<qsizetype>(length), '\0');
    view->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, start, start + length, out.data());
    return out;
}

LineState stateBefore(const QsciScintilla& view, int line) {
    return line > 0 ? static_cast<int>(view.SendScintilla(QsciScintilla::SCI_GETLINESTATE, line - 1)) : 0;
}

bool isBlank(const QByteArray& line) {
    return std::all_of(line.begin(), line.end(),
                       [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
}

// Where the characters begin that end the line.
int endOf(const QByteArray& line) {
    qsizetype end = line.size();
    while (end > 0 && (line[end - 1] == '\n' || line[end - 1] == '\r'))
        --end;
    return static_cast<int>(end);
}

int indentationOf(const QByteArray& line) {
    int columns = 0;
    for (char c : line) {
        if (c != ' ' && c != '\t')
            break;
        columns += c == '\t' ? 4 : 1;
    }
    return columns;
}

} // namespace

CodeLexer::CodeLexer(Language language, ThemeSource& themes, QObject* parent)
    : QsciLexerCustom(parent), m_language(language) {
    const Theme& theme = themes.theme();
    setDefaultFont(themes.codeFont());
    setDefaultPaper(theme.panel);
    setDefaultColor(theme.text);
}

QString CodeLexer::description(int style) const {
    return style < style_count ? QString::number(style) : QString();
}

void CodeLexer::styleText(int start, int end) {
    QsciScintilla* view = editor();
    if (!view)
        return;
    int line = static_cast<int>(view->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, start));
    const int first = line;
    const int last = static_cast<int>(view->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, end));
    LineState state = stateBefore(*view, line);
    startStyling(static_cast<int>(view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line)));
    for (; line <= last; ++line) {
        const QByteArray text = lineOf(view, line);
        if (text.size() > longest_colored_line) {
            setStyling(static_cast<int>(text.size()), static_cast<int>(SyntaxColor::Text));
        } else {
            styleLine(colorLine(m_language, {text.constData(), static_cast<std::size_t>(text.size())}, state),
                      endOf(text));
        }
        view->SendScintilla(QsciScintilla::SCI_SETLINESTATE, line, state);
    }
    fold(first, last);
}

// The end of a line has the style of what stands before it: else Scintilla takes the line for changed whenever any line was,
// and measures it again.
void CodeLexer::styleLine(const std::vector<ColoredRun>& runs, int textEnd) {
    int at = 0;
    SyntaxColor color = SyntaxColor::Text;
    for (const ColoredRun& run : runs) {
        const int before = std::clamp(textEnd - at, 0, run.length);
        if (before > 0)
            setStyling(before, static_cast<int>(color = run.color));
        if (run.length > before)
            setStyling(run.length - before, static_cast<int>(color));
        at += run.length;
    }
}

// By indentation; blank lines belong to what stands before them.
void CodeLexer::fold(int first, int last) {
    if (m_language == Language::Ptx || m_language == Language::Sass)
        return;
    QsciScintilla* view = editor();
    const int lines = static_cast<int>(view->SendScintilla(QsciScintilla::SCI_GETLINECOUNT));
    const int base = QsciScintilla::SC_FOLDLEVELBASE;
    for (int line = std::max(first - 1, 0); line <= std::min(last + 1, lines - 1); ++line) {
        const QByteArray text = lineOf(view, line);
        if (isBlank(text)) {
            const long before = line > 0 ? view->SendScintilla(QsciScintilla::SCI_GETFOLDLEVEL, line - 1) : base;
            const long number = before & QsciScintilla::SC_FOLDLEVELNUMBERMASK;
            const long deeper = before & QsciScintilla::SC_FOLDLEVELHEADERFLAG ? 1 : 0;
            view->SendScintilla(QsciScintilla::SCI_SETFOLDLEVEL, static_cast<unsigned long>(line),
                                (number + deeper) | QsciScintilla::SC_FOLDLEVELWHITEFLAG);
            continue;
        }
        const int own = indentationOf(text);
        int next = line + 1;
        QByteArray following;
        while (next < std::min(lines, line + 50) && isBlank(following = lineOf(view, next)))
            ++next;
        const bool header = next < lines && !isBlank(following) && indentationOf(following) > own;
        view->SendScintilla(QsciScintilla::SCI_SETFOLDLEVEL, static_cast<unsigned long>(line),
                            (base + own) | (header ? QsciScintilla::SC_FOLDLEVELHEADERFLAG : 0));
    }
}

SyntaxColor colorAt(const QsciScintilla& view, Language language, int offset) {
    const int line = static_cast<int>(view.SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, offset));
    const QByteArray text = lineOf(&view, line);
    if (text.size() > longest_colored_line)
        return SyntaxColor::Text;
    LineState state = stateBefore(view, line);
    int end = static_cast<int>(view.SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line));
    for (const ColoredRun& run : colorLine(language, {text.constData(), static_cast<std::size_t>(text.size())}, state))
        if ((end += run.length) > offset)
            return run.color;
    return SyntaxColor::Text;
}

} // namespace hidet::ui
