// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <map>
#include <set>

#include "app/session/view/edit_script.h"
#include "app/session/view/structure.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// "smem_a_1" is another "smem_a": printers number names as they come.
std::string without_numbers(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins =
            text[i] == '_' && i > 0 && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]));
        std::size_t end = i + 1;
        while (begins && end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))
            ++end;
        const bool is_whole =
            end == text.size() || !(std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_');
        if (begins && is_whole)
            i = end - 1;
        else
            out += text[i];
    }
    return out;
}

std::size_t end_of_row(const Structure& rows, std::size_t at) {
    std::size_t end = at + 1;
    while (end < rows.size() && rows[end].depth > rows[at].depth)
        ++end;
    return end;
}

class StructureComparison {
public:
    StructureComparison(const Structure& before, const Structure& after) : m_before(before), m_after(after) {}

    Structure compare() {
        level(children(m_before, 0, m_before.size()), children(m_after, 0, m_after.size()));
        return std::move(m_out);
    }

private:
    using Rows = std::vector<std::size_t>;

    static Rows children(const Structure& rows, std::size_t begin, std::size_t end) {
        Rows out;
        for (std::size_t at = begin; at < end; at = end_of_row(rows, at))
            out.push_back(at);
        return out;
    }

    enum class Of { Name, Whole };

    // Equal rows have equal numbers.
    std::vector<int> numbers_of(const Structure& rows, const Rows& which, Of of) {
        std::vector<int> out;
        for (std::size_t at : which) {
            const StructureRow& row = rows[at];
            const std::string name = cat(structure_kind_name(row.kind), "|", without_numbers(row.name));
            const std::string key = of == Of::Name ? name : cat(name, "|", without_numbers(row.detail));
            std::map<std::string, int>& numbers = of == Of::Name ? m_names : m_numbers;
            out.push_back(numbers.emplace(key, static_cast<int>(numbers.size())).first->second);
        }
        return out;
    }

    void level(const Rows& before, const Rows& after) {
        const EditScript script =
            edit_script(numbers_of(m_before, before, Of::Whole), numbers_of(m_after, after, Of::Whole));
        std::size_t left = 0, right = 0;
        while (left < before.size() || right < after.size()) {
            Rows gone, come;
            while (left < before.size() && script.removed[left])
                gone.push_back(before[left++]);
            while (right < after.size() && script.added[right])
                come.push_back(after[right++]);
            between(gone, come);
            if (left < before.size() && right < after.size())
                pair(before[left++], after[right++], StructureChange::Same);
        }
    }

    // What stands between rows that are equal: the same by name was altered.
    void between(const Rows& gone, const Rows& come) {
        const std::vector<int> gone_names = numbers_of(m_before, gone, Of::Name);
        const std::vector<int> come_names = numbers_of(m_after, come, Of::Name);
        const std::set<int> known(come_names.begin(), come_names.end());
        std::size_t next = 0;
        for (std::size_t i = 0; i < come.size(); ++i) {
            for (; next < gone.size() && !known.contains(gone_names[next]); ++next)
                whole(m_before, gone[next], StructureChange::Removed);
            std::size_t found = next;
            while (found < gone.size() && gone_names[found] != come_names[i])
                ++found;
            if (found == gone.size()) {
                whole(m_after, come[i], StructureChange::Added);
                continue;
            }
            for (; next < found; ++next)
                whole(m_before, gone[next], StructureChange::Removed);
            pair(gone[next++], come[i], StructureChange::Altered);
        }
        for (; next < gone.size(); ++next)
            whole(m_before, gone[next], StructureChange::Removed);
    }

    void pair(std::size_t before, std::size_t after, StructureChange change) {
        m_out.push_back(m_after[after]);
        m_out.back().change = change;
        if (change == StructureChange::Altered)
            m_out.back().before = m_before[before].detail;
        level(children(m_before, before + 1, end_of_row(m_before, before)),
              children(m_after, after + 1, end_of_row(m_after, after)));
    }

    void whole(const Structure& rows, std::size_t at, StructureChange change) {
        const std::size_t end = end_of_row(rows, at);
        for (std::size_t i = at; i < end; ++i) {
            m_out.push_back(rows[i]);
            m_out.back().change = change;
        }
    }

    const Structure& m_before;
    const Structure& m_after;
    std::map<std::string, int> m_numbers, m_names;
    Structure m_out;
};

} // namespace

Structure structure_changes(const Structure& before, const Structure& after) {
    return StructureComparison(before, after).compare();
}

} // namespace hidet::session
