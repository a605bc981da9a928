// SPDX-License-Identifier: Apache-2.0
// Empty lines and indentation. A level of blocks is four blanks; lines inside of brackets keep their place relative to the
// line that they belong to, or to what stands behind the bracket if they were aligned with it.
#include <algorithm>

#include "lang/base/text.h"
#include "lang/service/format.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

constexpr int level_width = 4, tab_width = 8;

int width_of(std::string_view text) {
    int width = 0;
    for (char c : text) {
        if (c == '\t')
            width += tab_width - width % tab_width;
        else if (c == '\f')
            width = 0;
        else
            width += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    }
    return width;
}

bool begins_definition(Tok kind) {
    return kind == Tok::DEF || kind == Tok::CLASS || kind == Tok::AT || kind == Tok::ASYNC;
}
bool continues_statement(Tok kind) {
    return kind == Tok::ELSE || kind == Tok::ELIF || kind == Tok::EXCEPT || kind == Tok::FINALLY;
}

class Layout {
public:
    Layout(std::string_view text, const std::vector<FormatItem>& items, const Spacing& spacing)
        : m_text(text), m_items(items), m_spacing(spacing), m_line_end(line_end_of(text)) {}

    std::vector<std::string> run() {
        find_levels();
        std::vector<std::string> out(m_items.size());
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            const FormatItem& item = m_items[i];
            if (!item.begins_line) {
                m_new_column += static_cast<int>(m_spacing.before(i));
            } else if (item.depth > 0 || item.is_joined) {
                out[i] = continuation(i);
            } else {
                out[i] = i == 0 ? "" : repeated(m_line_end, 1 + empty_lines(i));
                begin(i, m_levels[i] * level_width);
                out[i] += std::string(static_cast<std::size_t>(m_new_column), ' ');
            }
            follow(i);
        }
        return out;
    }

private:
    static std::string repeated(std::string_view text, int times) {
        std::string out;
        for (int i = 0; i < times; ++i)
            out += text;
        return out;
    }
    std::uint32_t line_start(std::size_t i) const { return start_of_line(m_text, m_items[i].begin); }
    int old_column(std::size_t i) const {
        return width_of(m_text.substr(line_start(i), m_items[i].begin - line_start(i)));
    }
    std::string_view gap(std::size_t i) const {
        std::uint32_t begin = i == 0 ? 0 : m_items[i - 1].end;
        return m_text.substr(begin, m_items[i].begin - begin);
    }
    int empty_lines_now(std::size_t i) const {
        int ends = 0;
        std::string_view blanks = gap(i);
        for (std::size_t at = 0; at < blanks.size(); ++at)
            ends += blanks[at] == '\n' || (blanks[at] == '\r' && !blanks.substr(at).starts_with("\r\n")) ? 1 : 0;
        return std::max(ends - 1, 0);
    }

    // The blocks that each line which is no continuation stands in; of a comment those that its column says, which are open
    // between the lines of code around it.
    void find_levels() {
        m_levels.assign(m_items.size(), 0);
        std::vector<int> columns = {0};
        std::vector<std::size_t> comments;
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            const FormatItem& item = m_items[i];
            if (!item.begins_line || item.depth > 0 || item.is_joined)
                continue;
            if (item.kind == Tok::COMMENT) {
                comments.push_back(i);
                continue;
            }
            std::vector<int> open = columns;
            const int column = old_column(i);
            if (column > columns.back())
                open.push_back(column);
            place_comments(comments, open);
            while (columns.size() > 1 && columns.back() > column)
                columns.pop_back();
            if (column > columns.back())
                columns.push_back(column);
            m_levels[i] = static_cast<int>(columns.size()) - 1;
        }
        place_comments(comments, columns);
    }
    void place_comments(std::vector<std::size_t>& comments, const std::vector<int>& open) {
        for (std::size_t i : comments) {
            auto after = std::upper_bound(open.begin(), open.end(), old_column(i));
            m_levels[i] = std::max(static_cast<int>(after - open.begin()) - 1, 0);
        }
        comments.clear();
    }

    // The comments right above a line belong to it.
    bool leads_to_definition(std::size_t i) const {
        for (std::size_t at = i; at < m_items.size(); ++at) {
            bool is_line = m_items[at].begins_line && m_levels[at] == m_levels[i];
            if (!is_line || (at > i && empty_lines_now(at) > 0))
                return false;
            if (m_items[at].kind != Tok::COMMENT)
                return begins_definition(m_items[at].kind);
        }
        return false;
    }

    int empty_lines(std::size_t i) {
        const int level = m_levels[i], now = empty_lines_now(i);
        const int most = level == 0 ? 2 : 1;
        const bool is_comment = m_items[i].kind == Tok::COMMENT;
        if (m_line_is_decorator)
            return is_comment ? std::min(now, 1) : 0;
        const bool is_first = m_opens_block && level > m_last_level;
        const bool is_attached = m_line_is_comment && now == 0 && m_comment_level == level;
        if (is_first || is_attached || (!is_comment && continues_statement(m_items[i].kind)))
            return std::min(now, 1);
        const bool after_definition =
            level < m_last_level && static_cast<std::size_t>(level) < m_is_definition.size() &&
            m_is_definition[static_cast<std::size_t>(level)] && !(m_line_is_comment && m_comment_level == level);
        if (leads_to_definition(i) || after_definition)
            return most;
        return std::min(now, most);
    }

    // A line of its own: what later lines have to know of it.
    void begin(std::size_t i, int column) {
        const FormatItem& item = m_items[i];
        m_new_column = column;
        m_shift = column - old_column(i);
        m_line_is_comment = item.kind == Tok::COMMENT;
        if (m_line_is_comment) {
            m_comment_level = m_levels[i];
            return;
        }
        m_line_is_decorator = item.kind == Tok::AT;
        m_last_level = m_levels[i];
        m_is_definition.resize(static_cast<std::size_t>(m_last_level) + 1);
        if (!continues_statement(item.kind))
            m_is_definition[static_cast<std::size_t>(m_last_level)] = begins_definition(item.kind);
    }

    std::string continuation(std::size_t i) {
        const FormatItem& item = m_items[i];
        int column = std::max(old_column(i) + m_shift, 0);
        if (!m_open.empty() && m_open.back().aligned >= 0 && m_open.back().aligned == old_column(i))
            column = m_open.back().aligned_now;
        m_new_column = column;
        std::string blanks(static_cast<std::size_t>(column), ' ');
        if (item.is_joined) // whatever the backslashes join stays joined
            return cat(" \\", m_line_end, blanks);
        return cat(repeated(m_line_end, 1 + std::min(empty_lines_now(i), 1)), blanks);
    }

    // Past an item: brackets, and the column behind it.
    void follow(std::size_t i) {
        const FormatItem& item = m_items[i];
        if (item.kind != Tok::COMMENT)
            m_opens_block = item.kind == Tok::COLON && item.depth == 0;
        if (!m_open.empty() && m_open.back().aligned == unknown) {
            m_open.back().aligned = item.begins_line || item.kind == Tok::COMMENT ? none : old_column(i);
            m_open.back().aligned_now = m_new_column;
        }
        if (opens_bracket(item.kind))
            m_open.push_back({});
        else if (closes_bracket(item.kind) && !m_open.empty())
            m_open.pop_back();
        std::string_view text = m_text.substr(item.begin, item.end - item.begin);
        std::size_t last_line = text.find_last_of("\r\n");
        m_new_column =
            last_line == std::string_view::npos ? m_new_column + width_of(text) : width_of(text.substr(last_line + 1));
    }

    static constexpr int none = -1, unknown = -2;
    struct Bracket {
        int aligned = unknown; // the column of what stands behind it
        int aligned_now = 0;
    };

    std::string_view m_text;
    const std::vector<FormatItem>& m_items;
    const Spacing& m_spacing;
    const std::string_view m_line_end;
    std::vector<int> m_levels; // of items that begin lines
    std::vector<Bracket> m_open;
    std::vector<bool> m_is_definition; // by level: the last statement there
    int m_new_column = 0;
    int m_shift = 0; // of the logical line
    int m_last_level = 0;
    int m_comment_level = 0;
    bool m_opens_block = false; // what came last
    bool m_line_is_comment = false;
    bool m_line_is_decorator = false;
};

} // namespace

LineLayout::LineLayout(std::string_view text, const std::vector<FormatItem>& items, const Spacing& spacing)
    : m_gaps(Layout(text, items, spacing).run()) {}

} // namespace hidet::lang::service
