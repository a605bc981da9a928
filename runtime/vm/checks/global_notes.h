// SPDX-License-Identifier: Apache-2.0
// Accesses of a block to global memory that met nothing. Most tensors are read and written once, by threads that each have
// places of their own; so of each line of 64 granules it is remembered which of them were read and written since all threads
// knew of it, and of each access only a note. What meets something is looked at exactly (race_within.cpp), after the notes have
// been entered where it looks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/vm/checks/shadow.h"

namespace hidet::vm {

struct TouchList;

class GlobalNotes {
public:
    struct Note {
        Touches touches;
        std::uint32_t id = 0;  // of the allocation
        std::int64_t base = 0; // granule
        Epoch epoch = 0, floor = 0;
        std::uint32_t pc = 0;
        bool writes = false;
    };
    // An access that passes by. `floor`: what all that take part know of, `least`: what all threads do.
    struct Pass {
        std::uint32_t id = 0;
        Epoch now = 0, floor = 0, least = 0;
        bool reads = false, writes = false;
        const Touch* own = nullptr; // each granule by one thread; null: it is not so
    };
    struct Met {
        bool reads = false, writes = false;
    };
    // What the granules meet that others did; they are remembered.
    Met pass(const Pass& pass, const TouchList& touches, std::int64_t base);
    Met pass(const Pass& pass, std::int64_t first, std::int64_t count);

    static constexpr std::size_t most = 1024;
    void add(const Note& note) { m_notes.push_back(note); }
    std::vector<Note>& all() { return m_notes; }
    void forget_lines() { m_tables.clear(); }

private:
    struct Line {
        std::uint64_t reads = 0, writes = 0; // granules
        Epoch read = 0, written = 0;         // the last ones
        const Touch* own = nullptr;          // of all that is remembered
        std::int64_t base = 0;
    };
    static constexpr std::size_t lines_of_page = 256;
    using Page = std::array<Line, lines_of_page>;
    struct Table { // of an allocation
        std::uint32_t id = 0;
        std::vector<std::unique_ptr<Page>> pages;
    };
    Table& table_of(std::uint32_t id);
    static Line& line_of(Table& table, std::int64_t line);
    static void look(Line& line, std::uint64_t mask, const Pass& pass, std::int64_t base, Met& met);

    std::vector<Note> m_notes;
    std::vector<Table> m_tables;
};

} // namespace hidet::vm
