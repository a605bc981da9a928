// SPDX-License-Identifier: Apache-2.0
#include "app/session/debug/statements.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace hidet::session {

namespace {

bool jumps(artifact::Op op) {
    return artifact::info(op).operands[8] == 't';
}

// Whether one of two instructions that follow each other is of another copy of a loop's body: that has a variable of its own.
bool is_next_copy(const artifact::VariableNotes& notes, std::size_t pc) {
    const std::int32_t before = notes.innermost[pc - 1], here = notes.innermost[pc];
    for (std::int32_t row = here; row >= 0 && before != here; row = notes.values[static_cast<std::size_t>(row)].outer)
        for (std::int32_t other = before; other >= 0; other = notes.values[static_cast<std::size_t>(other)].outer) {
            const artifact::NamedValue& a = notes.values[static_cast<std::size_t>(row)];
            const artifact::NamedValue& b = notes.values[static_cast<std::size_t>(other)];
            if (row != other && a.outer == b.outer && a.name == b.name)
                return true;
        }
    return false;
}

} // namespace

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return a == b || std::filesystem::equivalent(a, b, ignored);
}

Statements::Statements(const artifact::Function& kernel, const artifact::VariableNotes& notes,
                       const SourceMap& sources) {
    const std::size_t count = kernel.code.size();
    m_places.resize(count), m_begins.assign(count, 0), m_is_turn.assign(count, 0), m_is_copy.assign(count, 0);
    std::map<std::pair<FileId, std::uint32_t>, StatementPlace> known;
    StatementPlace last;
    for (std::size_t pc = 0; pc < count; ++pc) {
        const Span span = kernel.origins[pc].span;
        if (!sources.holds(span)) {
            m_places[pc] = last;
            continue;
        }
        const auto [found, is_new] = known.try_emplace({span.file, span.begin});
        if (is_new) {
            const Place place = place_of(span, sources);
            const auto file = std::ranges::find(m_files, place.file);
            found->second = {static_cast<int>(file - m_files.begin()), place.line};
            if (file == m_files.end())
                m_files.push_back(place.file);
        }
        m_is_copy[pc] = pc > 0 && found->second == last && pc < notes.innermost.size() && is_next_copy(notes, pc);
        m_begins[pc] = found->second != last || m_is_copy[pc];
        m_places[pc] = last = found->second;
    }
    for (std::size_t pc = 0; pc < count; ++pc) {
        const auto target = static_cast<std::size_t>(kernel.code[pc].x);
        if (jumps(kernel.code[pc].op) && target < pc && m_places[target].line > 0 && !m_begins[target])
            m_begins[target] = m_is_turn[target] = 1;
    }
}

const std::string& Statements::file_at(std::size_t pc) const {
    static const std::string none;
    const int file = m_places[pc].file;
    return file < 0 ? none : m_files[static_cast<std::size_t>(file)];
}

std::vector<int> Statements::lines_of(const std::string& file) const {
    std::vector<int> out;
    for (std::size_t pc = 0; pc < m_places.size(); ++pc)
        if (m_begins[pc] && !m_is_turn[pc] && is_same_file(file_at(pc), file))
            out.push_back(m_places[pc].line);
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

std::optional<Statements::Line> Statements::line_from(const std::string& file, int line) const {
    const std::vector<int> lines = lines_of(file);
    const auto found = std::ranges::lower_bound(lines, line);
    if (found == lines.end())
        return std::nullopt;
    Line out{*found, {}};
    for (std::size_t pc = 0; pc < m_places.size(); ++pc)
        if (m_begins[pc] && !m_is_turn[pc] && m_places[pc].line == *found && is_same_file(file_at(pc), file))
            out.pcs.push_back(pc);
    return out;
}

} // namespace hidet::session
