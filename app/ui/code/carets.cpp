// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/carets.h"

#include <algorithm>

namespace hidet::ui {

using Sci = QsciScintillaBase;

std::vector<Caret> caretsOf(const CodeView& view) {
    std::vector<Caret> out;
    const long count = ask(view, Sci::SCI_GETSELECTIONS);
    for (long i = 0; i < count; ++i)
        out.push_back({static_cast<int>(ask(view, Sci::SCI_GETSELECTIONNANCHOR, i)),
                       static_cast<int>(ask(view, Sci::SCI_GETSELECTIONNCARET, i))});
    std::stable_sort(out.begin(), out.end(), [](const Caret& a, const Caret& b) { return a.begin() < b.begin(); });
    return out;
}

void setCarets(CodeView& view, const std::vector<Caret>& carets) {
    for (std::size_t i = 0; i < carets.size(); ++i)
        ask(view, i == 0 ? unsigned{Sci::SCI_SETSELECTION} : unsigned{Sci::SCI_ADDSELECTION}, carets[i].at,
            carets[i].anchor);
    if (!carets.empty())
        ask(view, Sci::SCI_CHOOSECARETX);
}

static void sort(std::vector<TextEdit>& edits) {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
}

void applyEdits(CodeView& view, std::vector<TextEdit> edits) {
    sort(edits);
    view.beginUndoAction();
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
        ask(view, Sci::SCI_SETTARGETRANGE, edit->range.begin, edit->range.end);
        view.SendScintilla(Sci::SCI_REPLACETARGET, static_cast<unsigned long>(edit->text.size()),
                           edit->text.constData());
    }
    view.endUndoAction();
}

int movedBy(const std::vector<TextEdit>& edits, int offset, Stick stick) {
    int out = offset;
    for (const TextEdit& edit : edits) {
        const int size = static_cast<int>(edit.text.size());
        const auto [begin, end] = edit.range;
        if (begin > offset || (begin == offset && begin == end && stick == Stick::Before))
            continue;
        if (begin < end && offset < end) // inside of what was replaced
            out += begin == offset ? 0 : std::min(size, offset - begin) - (offset - begin);
        else
            out += size - (end - begin);
    }
    return out;
}

void applyEditsUnderCarets(CodeView& view, const std::vector<TextEdit>& edits, Stick stick) {
    std::vector<Caret> carets = caretsOf(view);
    for (Caret& caret : carets)
        caret = {movedBy(edits, caret.anchor, stick), movedBy(edits, caret.at, stick)};
    applyEdits(view, edits);
    setCarets(view, carets);
}

std::vector<LineBlock> linesOfCarets(const CodeView& view) {
    std::vector<LineBlock> out;
    for (const Caret& caret : caretsOf(view)) {
        LineBlock block{view.lineOf(caret.begin()), view.lineOf(caret.end())};
        if (block.last > block.first && view.columnOf(caret.end()) == 0)
            --block.last;
        if (!out.empty() && block.first <= out.back().last + 1)
            out.back().last = std::max(out.back().last, block.last);
        else
            out.push_back(block);
    }
    return out;
}

int lineCount(const CodeView& view) {
    return static_cast<int>(ask(view, Sci::SCI_GETLINECOUNT));
}

QByteArray wordAt(const CodeView& view, int offset, ByteRange* range) {
    const ByteRange word{static_cast<int>(ask(view, Sci::SCI_WORDSTARTPOSITION, offset, 1)),
                         static_cast<int>(ask(view, Sci::SCI_WORDENDPOSITION, offset, 1))};
    if (range)
        *range = word;
    return view.bytes(word);
}

} // namespace hidet::ui
