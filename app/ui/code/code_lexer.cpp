// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/code_lexer.h"

#include <Qsci/qsciscintilla.h>

namespace hidet::ui {

namespace {

constexpr int style_count = static_cast<int>(SyntaxColor::Count);
// A template of kilobytes on one line is shown, but not coloured to its end.
constexpr int longest_colored_line = 20'000;

QByteArray lineOf(QsciScintilla* view, int line) {
    const long start = view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
    const long length = view->SendScintilla(QsciScintilla::SCI_LINELENGTH, static_cast<unsigned long>(line));
    if (length <= 0)
        return {}; // an empty QByteArray has no room for the zero that Scintilla writes
    QByteArray out(static_cast<qsizetype>(length), '\0');
    view->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, start, start + length, out.data());
    return out;
}

bool isBlank(const QByteArray& line) {
    return std::all_of(line.begin(), line.end(),
                       [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
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
    LineState state = line > 0 ? static_cast<int>(view->SendScintilla(QsciScintilla::SCI_GETLINESTATE, line - 1)) : 0;
    startStyling(static_cast<int>(view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line)));
    for (; line <= last; ++line) {
        const QByteArray text = lineOf(view, line);
        if (text.size() > longest_colored_line) {
            setStyling(static_cast<int>(text.size()), static_cast<int>(SyntaxColor::Text));
        } else {
            for (const ColoredRun& run :
                 colorLine(m_language, {text.constData(), static_cast<std::size_t>(text.size())}, state))
                setStyling(run.length, static_cast<int>(run.color));
        }
        view->SendScintilla(QsciScintilla::SCI_SETLINESTATE, line, state);
    }
    fold(first, last);
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

} // namespace hidet::ui
