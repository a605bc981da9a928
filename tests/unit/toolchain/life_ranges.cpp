// SPDX-License-Identifier: Apache-2.0
// The table stands in a comment at the right of the listing. Its head says where each register's column is, its number
// written downwards:
//     // |                GPR                 | PRED   |   UGPR    |
//     // |    000000000011111111112222222222  |        |           |
//     // |  # 012345678901234567890123456789  | # 012  | # 012345  |
// Then each line has how many are live, and marks: ^ written, v read, x both, : live.
#include "tests/unit/toolchain/life_ranges.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "lang/base/text.h"

namespace hidet::test {

using namespace toolchain::sass;

namespace {

constexpr std::string_view table_mark = "// |";
constexpr std::size_t most_digits = 4; // of a register's number

struct Column {
    std::size_t at = 0; // in the line, from the table's mark on
    Register name;
};
struct Group { // the registers of one kind
    RegisterKind kind{};
    std::size_t begin = 0, end = 0; // in the line
    std::vector<Column> columns;
};

std::optional<RegisterKind> kind_called(std::string_view name) {
    constexpr std::string_view names[] = {"GPR", "PRED", "UGPR", "UPRED"};
    for (std::size_t i = 0; i < register_kinds; ++i)
        if (name == names[i])
            return static_cast<RegisterKind>(i);
    return {};
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class Table {
public:
    // A line of the table's head, or one without an instruction.
    void head(std::string_view line);
    RegisterRow row(std::string_view line) const;
    void restart() { m_digits.clear(), m_groups.clear(), m_is_open = true; }

private:
    void read_names(std::string_view line);
    void number_columns();

    std::vector<Group> m_groups;
    std::vector<std::string> m_digits; // the lines of the head that have the numbers
    bool m_is_open = false;
};

void Table::read_names(std::string_view line) {
    for (std::size_t open = line.find('|'); open != std::string_view::npos;) {
        const std::size_t close = line.find('|', open + 1);
        if (close == std::string_view::npos)
            return;
        if (auto kind = kind_called(trimmed(line.substr(open + 1, close - open - 1))))
            m_groups.push_back({*kind, open + 1, close, {}});
        open = close;
    }
}

void Table::number_columns() {
    const std::string& last = m_digits.back();
    for (Group& group : m_groups)
        for (std::size_t at = group.begin; at < std::min(group.end, last.size()); ++at) {
            if (!is_digit(last[at]))
                continue;
            int number = 0;
            for (const std::string& line : m_digits)
                if (at < line.size() && is_digit(line[at]))
                    number = number * 10 + (line[at] - '0');
            group.columns.push_back({at, {group.kind, static_cast<std::uint16_t>(number)}});
        }
}

void Table::head(std::string_view line) {
    if (!m_is_open || m_digits.size() > most_digits)
        return;
    if (m_groups.empty())
        return read_names(line);
    m_digits.emplace_back(line);
    if (line.find('#') == std::string_view::npos)
        return;
    number_columns();
    m_is_open = false;
}

RegisterRow Table::row(std::string_view line) const {
    RegisterRow out;
    for (const Group& group : m_groups) {
        if (group.end > line.size() || group.columns.empty())
            continue;
        std::string_view count = trimmed(line.substr(group.begin, group.columns.front().at - group.begin));
        std::from_chars(count.data(), count.data() + count.size(), out.live[static_cast<std::size_t>(group.kind)]);
        for (const Column& column : group.columns) {
            const char mark = line[column.at];
            if (mark == ' ')
                continue;
            out.all.push_back(column.name);
            if (mark == 'v' || mark == 'x')
                out.reads.push_back(column.name);
            if (mark == '^' || mark == 'x')
                out.writes.push_back(column.name);
        }
    }
    return out;
}

// "/*0010*/" at the start of the line; nothing: no instruction.
std::optional<std::uint32_t> address_in(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with("/*") || line.starts_with("/*0x"))
        return {};
    std::uint32_t address = 0;
    auto [end, failed] = std::from_chars(line.data() + 2, line.data() + line.size(), address, 16);
    if (failed != std::errc())
        return {};
    return address;
}

} // namespace

std::vector<RegisterTable> read_life_ranges(std::string_view text, const std::vector<Function>& functions) {
    std::vector<RegisterTable> out;
    std::map<std::string, std::size_t, std::less<>> by_name;
    for (const Function& function : functions) {
        by_name.emplace(function.name, out.size());
        out.emplace_back(function.code.size());
    }
    Table table;
    std::optional<std::size_t> function; // the one whose lines these are
    std::size_t at = 0;                  // its next instruction
    for (const std::string& line : split(text, '\n')) {
        std::string_view words = trimmed(line);
        if (std::size_t name = words.find(".text."); words.starts_with(".section") && name != std::string_view::npos) {
            std::string_view called = words.substr(name + 6);
            auto found = by_name.find(called.substr(0, called.find(',')));
            function = found == by_name.end() ? std::nullopt : std::optional(found->second);
            at = 0;
            table.restart();
            continue;
        }
        const std::size_t mark = line.rfind(table_mark);
        if (!function || mark == std::string::npos)
            continue;
        std::string_view columns = std::string_view(line).substr(mark);
        const std::vector<Instruction>& code = functions[*function].code;
        std::optional<std::uint32_t> address = address_in(line);
        if (!address)
            table.head(columns);
        else if (at < code.size() && code[at].address == *address)
            out[*function][at++] = table.row(columns);
    }
    return out;
}

} // namespace hidet::test
