// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/diff_columns.h"

namespace hidet::ui {

namespace {

using session::DiffRow;
using session::RowKind;

QByteArray textOf(const session::LineTable& lines, int line) {
    const std::string_view text = line > 0 ? lines.text(line) : std::string_view();
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

void addLine(DiffColumn& column, const QByteArray& line, DiffSource source, DiffMark mark, const QString& number,
             const std::vector<session::TextRange>& words, std::vector<ByteRange>& into) {
    const int begin = static_cast<int>(column.text.size());
    for (const session::TextRange& word : words)
        into.push_back({begin + int(word.begin), begin + int(word.end)});
    column.text += line + '\n';
    column.marks.push_back(mark);
    column.sources.push_back(source);
    column.numbers << number;
}

QString numbered(int line) {
    return line > 0 ? QString::number(line) : QString();
}

void addChange(DiffColumns& out, const DiffRow& row, bool& inside) {
    if (row.kind != RowKind::Equal && !inside)
        out.changes.push_back(static_cast<int>(out.left.marks.size()));
    inside = row.kind != RowKind::Equal;
}

void fillBoth(DiffColumns& out, const session::TextDiff& diff, const session::LineTable& left,
              const session::LineTable& right) {
    bool inside = false;
    for (const DiffRow& row : diff.rows) {
        addChange(out, row, inside);
        out.rightLines.push_back(row.right);
        auto mark = [&](int line, DiffMark changed) {
            return row.kind == RowKind::Equal ? DiffMark::None : line > 0 ? changed : DiffMark::Gap;
        };
        addLine(out.left, textOf(left, row.left), {false, row.left}, mark(row.left, DiffMark::Removed),
                numbered(row.left), row.left_words, out.left.words);
        addLine(out.right, textOf(right, row.right), {true, row.right}, mark(row.right, DiffMark::Added),
                numbered(row.right), row.right_words, out.right.words);
    }
    out.right.wordsAreAdded = true;
}

void fillOne(DiffColumns& out, const session::TextDiff& diff, const session::LineTable& left,
             const session::LineTable& right) {
    bool inside = false;
    const auto width = numbered(std::max(left.count(), right.count())).size();
    for (const DiffRow& row : session::inline_rows(diff)) {
        addChange(out, row, inside);
        const bool added = row.kind == RowKind::Added;
        out.rightLines.push_back(row.kind == RowKind::Removed ? 0 : row.right);
        const QString number = numbered(added ? 0 : row.left).rightJustified(width) + ' ' +
                               numbered(row.kind == RowKind::Removed ? 0 : row.right).rightJustified(width);
        addLine(out.left, added ? textOf(right, row.right) : textOf(left, row.left),
                added ? DiffSource{true, row.right} : DiffSource{false, row.left},
                added                          ? DiffMark::Added
                : row.kind == RowKind::Removed ? DiffMark::Removed
                                               : DiffMark::None,
                number, added ? row.right_words : row.left_words, added ? out.left.addedWords : out.left.words);
    }
}

} // namespace

DiffColumns columnsOf(std::string_view left, std::string_view right, const session::TextDiff& diff, bool isInline) {
    DiffColumns out;
    (isInline ? fillOne : fillBoth)(out, diff, session::LineTable(left), session::LineTable(right));
    out.added = diff.added;
    out.removed = diff.removed;
    return out;
}

std::optional<DiffColumns> columnsOf(const DiffRequest& request) {
    const auto diff = session::diff(request.left->text, request.right->text, request.options);
    if (!diff)
        return {};
    DiffColumns out = columnsOf(request.left->text, request.right->text, *diff, request.isInline);
    if (request.leftIsLinked)
        out.leftLinks = std::make_shared<session::LinkIndex>(request.left, request.script);
    if (request.rightIsLinked)
        out.rightLinks = std::make_shared<session::LinkIndex>(request.right, request.script);
    out.unified =
        session::unified(request.left->text, request.right->text, *diff, {request.leftTitle, request.rightTitle});
    return out;
}

} // namespace hidet::ui
