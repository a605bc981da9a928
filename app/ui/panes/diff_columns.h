// SPDX-License-Identifier: GPL-3.0-only
// The rows of a difference as texts to show: two columns of equal length side by side, or one. Pure; on whichever thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QString>

#include "app/session/view/diff.h"
#include "app/session/view/links.h"
#include "app/ui/code/code_view.h"

namespace hidet::ui {

enum class DiffMark : std::uint8_t { None, Added, Removed, Gap };

// The line of the left or of the right text that a line of a column shows; 0: none.
struct DiffSource {
    bool right = false;
    int line = 0;
};

struct DiffColumn {
    QByteArray text;
    std::vector<DiffMark> marks;     // by line of the text
    QStringList numbers;             // the same
    std::vector<DiffSource> sources; // the same
    std::vector<ByteRange> words;    // that differ within a line
    bool wordsAreAdded = false;
    std::vector<ByteRange> addedWords; // of one column that has both kinds
};

struct DiffColumns {
    DiffColumn left; // or the only one
    DiffColumn right;
    std::vector<int> changes;    // first line of each stretch that differs
    std::vector<int> rightLines; // by row: the line of the right text (1-based) that stands in it; 0: none
    int added = 0;
    int removed = 0;
    std::string unified;
    std::shared_ptr<const session::LinkIndex> leftLinks, rightLinks; // null: the text is not of the script of today
};

struct DiffRequest {
    std::shared_ptr<const session::TextSnapshot> left, right;
    std::string leftTitle, rightTitle;
    session::DiffOptions options;
    bool isInline = false;
    std::string script; // its name
    bool leftIsLinked = false, rightIsLinked = false;
};
// Of rows that are known; those without a line on either side are empty lines.
DiffColumns columnsOf(std::string_view left, std::string_view right, const session::TextDiff& diff, bool isInline);
// Nothing when it was cancelled.
std::optional<DiffColumns> columnsOf(const DiffRequest& request);

} // namespace hidet::ui
