// SPDX-License-Identifier: Apache-2.0
// Links between a script and its stages, from the origins in snapshots alone: no text is ever compared. A link is a token
// of IR and generated C++ and CUDA C++, and a line of everything else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

// The bytes [begin, end) of a text.
struct TextRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    friend bool operator==(const TextRange&, const TextRange&) = default;
};

// Byte offsets and 1-based lines of one text, which it refers to.
class LineTable {
public:
    explicit LineTable(std::string_view text);
    int count() const {
        return static_cast<int>(m_starts.size()) - 1;
    }                                        // what follows the last '\n' counts if not empty
    int line_of(std::uint32_t offset) const; // the last line for offsets past the end
    TextRange range(int line) const;         // without the line's end
    std::string_view text(int line) const;

private:
    std::vector<std::uint32_t> m_starts; // and the size of the text
    std::string_view m_text;
};

struct Link {
    TextRange range;
    Place source; // known, and in the script
    std::string pass;
};

// An index over one text. Keeps the snapshot alive. Building one sorts the links once.
class LinkIndex {
public:
    // `file` is the name of the script: origins in files that it imports are no links.
    LinkIndex(std::shared_ptr<const TextSnapshot> text, std::string file);
    ~LinkIndex();
    LinkIndex(LinkIndex&&) noexcept;

    std::string_view text() const;
    const LineTable& lines() const;         // of the text
    const std::vector<Link>& links() const; // in the order of the text
    // What came from a range of the script: everything whose source overlaps it. An empty range is a caret: of the links
    // that touch it those with the narrowest source, so that in an operand it finds the operand, not the statement.
    std::vector<TextRange> targets(const Place& script) const;
    // Everything whose source begins in this line of the script; touching ranges are one.
    std::vector<TextRange> targets_of_line(int line) const;
    // The link at this byte of the text, or of its line where only lines are linked; null: none.
    const Link* source_of(std::uint32_t offset) const;

private:
    struct Data;
    std::unique_ptr<Data> m_data;
};

inline constexpr int hue_count = 12;

// Which of the twelve link hues a line of the script has, in every stage the same. Linked lines that follow each other have
// different hues; a line keeps its hue while the user types elsewhere, also when it moves.
class HueMap {
public:
    // `linked` are the lines that any stage links to, ascending (a union of script_lines()).
    void update(std::string_view script, const std::vector<int>& linked);
    int hue(int line) const; // 0 to 11; -1: the line is not linked

private:
    std::string m_script; // that the hues are of
    std::map<int, int> m_hues;
};

} // namespace hidet::session
