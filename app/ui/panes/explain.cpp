// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/explain.h"

namespace hidet::ui {

static bool explainInstruction(CodeView& view, HelpCard& card, session::AssemblyLanguage language, int offset,
                               const QString& notes) {
    const ByteRange all = view.rangeOfLine(view.lineOf(offset));
    const bool byMouse = view.underMouse() && !view.hasFocus();
    const std::string text = view.bytes(all).toStdString();
    auto help = session::instruction_help(language, text, offset - all.begin + 1);
    if (!help && !byMouse && offset == view.caret())
        help = session::instruction_help(language, text);
    if (!help && notes.isEmpty())
        return false;
    const ByteRange range =
        help ? ByteRange{all.begin + int(help->range.begin), all.begin + int(help->range.end)} : all;
    const QString said = help ? htmlOf(*help, view.themes().theme()) : QString();
    card.showAt(range, said + (notes.isEmpty() ? QString() : QString("<p style='margin:6px 0 0 0'>%1</p>").arg(notes)));
    return true;
}

bool explainAt(CodeView& view, HelpCard& card, const BlameMargin& blame, const StageName& stage, int offset,
               const QString& notes) {
    if (stage.needsCompiler()) {
        const bool isPtx = stage.form() == session::Form::Ptx;
        return explainInstruction(view, card, isPtx ? session::AssemblyLanguage::Ptx : session::AssemblyLanguage::Sass,
                                  offset, notes);
    }
    const QString html = blame.htmlOf(view.lineOf(offset));
    if (html.isEmpty())
        return false;
    card.showAt({offset, offset + 1}, html);
    return true;
}

} // namespace hidet::ui
