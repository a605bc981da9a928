// SPDX-License-Identifier: GPL-3.0-only
// Puts colours and fold levels into a view, for the lines that Scintilla asks for.
#pragma once

#include <vector>

#include <Qsci/qscilexercustom.h>

#include "app/ui/code/language.h"

class QsciScintilla;

namespace hidet::ui {

class CodeLexer : public QsciLexerCustom {
    Q_OBJECT
public:
    CodeLexer(Language language, ThemeSource& themes, QObject* parent);

    const char* language() const override { return "Hidet"; }
    QString description(int style) const override;
    void styleText(int start, int end) override;

    Language codeLanguage() const { return m_language; }
    void setLanguage(Language language) { m_language = language; }

private:
    void styleLine(const std::vector<ColoredRun>& runs, int textEnd);
    void fold(int first, int last);

    Language m_language;
};

// What the byte is that stands there, in the colours as they were last given. The styles of a view do not say it of those that
// end a line.
SyntaxColor colorAt(const QsciScintilla& view, Language language, int offset);

} // namespace hidet::ui
