// SPDX-License-Identifier: GPL-3.0-only
// The links of a column of a comparison: those of the texts that it shows, at the lines where it shows them. Pure.
#pragma once

#include <memory>
#include <optional>

#include "app/session/view/links.h"
#include "app/ui/panes/diff_columns.h"
#include "app/ui/panes/stage_text.h"

namespace hidet::ui {

class DiffLinks {
public:
    DiffLinks() = default;
    // An index that is null has no links: that side is older than the script.
    DiffLinks(const DiffColumn& column, std::shared_ptr<const session::LinkIndex> left,
              std::shared_ptr<const session::LinkIndex> right);

    // Of lines that are the same on both sides: the others have the colours of changes.
    const std::vector<HueRun>& runs() const { return m_runs; }
    std::vector<ByteRange> targets(const session::Place& script) const;
    std::optional<session::Place> placeAt(int offset) const;

private:
    struct Line {
        int begin = 0; // in the column
        int end = 0;
        int source = 0; // in the text that it is of
        bool right = false;
    };
    void addRuns(const DiffColumn& column, bool right);
    std::optional<ByteRange> shown(bool right, session::TextRange range) const;
    const std::shared_ptr<const session::LinkIndex>& indexOf(bool right) const { return right ? m_right : m_left; }

    std::shared_ptr<const session::LinkIndex> m_left, m_right;
    std::vector<Line> m_lines;
    std::vector<std::size_t> m_bySource[2]; // the lines of each side, as its text has them
    std::vector<HueRun> m_runs;
};

} // namespace hidet::ui
