// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/diff_text.h"

#include <Qsci/qscistyle.h>

namespace hidet::ui {

namespace {

constexpr int number_style = 201;

} // namespace

CodeView* newDiffView(ThemeSource& themes, const QString& name) {
    auto* view = new CodeView(themes, Language::Plain);
    view->setReadOnly(true);
    view->setObjectName(name);
    view->setNumbered(false);
    view->setMarginWidth(CodeView::FoldMargin, 0);
    view->setFolding(QsciScintilla::NoFoldStyle, CodeView::FoldMargin);
    view->setMarginType(CodeView::NoteMargin, QsciScintilla::TextMarginRightJustified);
    return view;
}

void showDiffColumn(CodeView& view, const DiffColumn& column) {
    const Theme& theme = view.themes().theme();
    view.showText(column.text);
    for (int marker : {CodeView::AddedLine, CodeView::RemovedLine, CodeView::GapLine})
        view.markerDeleteAll(marker);
    view.clearMarginText();
    const QsciStyle style(number_style, {}, theme.muted, theme.panel, view.themes().codeFont());
    QString widest;
    for (std::size_t line = 0; line < column.marks.size(); ++line) {
        const int at = static_cast<int>(line);
        switch (column.marks[line]) {
        case DiffMark::Added: view.markerAdd(at, CodeView::AddedLine); break;
        case DiffMark::Removed: view.markerAdd(at, CodeView::RemovedLine); break;
        case DiffMark::Gap: view.markerAdd(at, CodeView::GapLine); break;
        case DiffMark::None: break;
        }
        const QString& number = column.numbers[at];
        if (number.size() > widest.size())
            widest = number;
        view.setMarginText(at, number + ' ', style);
    }
    view.setMarginWidth(CodeView::NoteMargin, "00" + widest);
    view.fill(CodeView::AddedWord, column.wordsAreAdded ? column.words : column.addedWords);
    view.fill(CodeView::RemovedWord, column.wordsAreAdded ? std::vector<ByteRange>{} : column.words);
}

void scrollAlike(const CodeView& leader, CodeView& other) {
    const long column = leader.SendScintilla(QsciScintilla::SCI_GETXOFFSET);
    if (other.firstLine() != leader.firstLine())
        other.setFirstLine(leader.firstLine());
    if (other.SendScintilla(QsciScintilla::SCI_GETXOFFSET) != column)
        other.SendScintilla(QsciScintilla::SCI_SETXOFFSET, static_cast<unsigned long>(column));
}

} // namespace hidet::ui
