// SPDX-License-Identifier: Apache-2.0
// What is remembered of each granule of a block's shared memory: its last write, the reads and the atomics since. A
// granule is the narrowest element that the kernel accesses there, so an access has whole granules. Three arrays and not
// one, since a plain write followed by an atomic of the same thread must still be seen by others.
//
// Most reads are of tiles that were written before a barrier, and most are forgotten at the next one, so no granule is
// looked at for them. Pages of granules say whether all of them have been written, and up to when. A read of pages that
// were complete before the reader's floor is in order, and only a note is made of it. Notes are entered into the granules
// when somebody comes whom they are not before, and dropped when everybody knows of them.
//
// Copies and products have whole tiles. A page that one copy wrote as a whole has one cell for all of its granules, until somebody
// comes who has to look at single ones; what products read of such pages are notes too.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "runtime/vm/checks/happens_before.h"

namespace hidet::vm {

// A granule of an access, and who of the instruction has it.
struct Touch {
    std::int32_t granule = 0; // from the first one of the access's base
    Actor who = 0;
};

struct GranuleRun {
    std::size_t first = 0, count = 0;
};

enum class Clash : std::uint8_t {
    Unwritten,  // read, and nobody wrote it
    Pending,    // while an asynchronous copy to it is under way
    Barrier,    // a barrier lies there
    AfterWrite, // the first access is a write that nothing orders before this one
    AfterRead,
    AfterUpdate, // ... an atomic
    Unfenced,    // ordered, but by another proxy than this access
};
struct Conflict {
    Clash clash{};
    Actor first = 0;  // a thread or a unit
    Actor second = 0; // a thread
    std::uint32_t first_pc = 0;
    std::size_t granule = 0;
};

enum class Purpose : std::uint8_t { Load, Store, Atomic }; // of an access

// Who looks, and when.
struct Visit {
    Order& order;
    Epoch floor = 0; // of all that take part
    std::uint32_t pc = 0;
    bool by_unit = false;     // an access of the other proxy
    Actor unit = under_way;   // as whom it is recorded then
    bool is_reserved = false; // a write that is under way until arrive()
    bool updates = false;     // an atomic access that reads: it has seen those before it
};

inline Cell reserved_cell(Actor who, const Visit& visit) {
    return cell_of(in_flight, who < first_unit ? who : under_way, visit.pc);
}

// What an instruction touches, in the order of granules.
struct Touches {
    const Touch* all = nullptr;
    const Cell* tags = nullptr; // of each (settle.h), or null
    std::size_t count = 0;
};
// One of several reads that touch the same further on.
struct Repeat {
    std::int64_t bytes = 0;
    std::uint32_t pc = 0;
};

// One that was in order when it was made, and is told later.
struct PastAccess {
    Epoch epoch = 0, floor = 0;
    std::uint32_t pc = 0;
    bool writes = false;
};

inline constexpr int page_shift = 6; // granules of a page
inline constexpr std::size_t page_granules = std::size_t{1} << page_shift;

// The last looks that found a cell in order: runs of a tile have equal ones.
class OrderedCells {
public:
    // Whether the cell is before what `who` does now. If not, the conflict says who did not wait for whom.
    bool is_ok(Cell cell, Actor who, const Visit& visit, Conflict& conflict);

private:
    struct Known {
        Cell cell = 0;
        std::uint64_t version = 0;
        Actor who = 0;
        bool to_unit = false;
        bool operator==(const Known&) const = default;
    };
    std::array<Known, 4> m_known;
};
// Of what threads wrote: whether a unit sees it.
bool is_fenced(Cell cell, Actor who, const Visit& visit, Conflict& conflict);

// The atomics of each granule since its last write.
struct ShadowUpdates {
    std::vector<Cell> cells;     // empty until there are any
    std::vector<Mask> updaters;  // of granules that several threads of the block update
    std::vector<Cell> last_ones; // the last one of each granule, where it reads; 0: it does not
    void begin(std::size_t count) {
        cells.resize(count);
        updaters.resize(count);
        last_ones.assign(count, 0);
    }
    bool is_behind(std::size_t granule, Actor who, const Visit& visit) const;
};

// What units read of whole pages, and is not in the cells yet.
struct ReadTiles {
    struct Tile {
        std::span<const GranuleRun> runs;
        Cell read = 0;
        std::size_t first = 0, last = 0; // granules
    };
    // Pages that were found in order for such a read, since when none of them changed: tiles along k lie in the same ones.
    struct Pages {
        std::size_t first = 0, last = 0;
        Cell read = 0;
        Actor who = 0;
        std::uint64_t version = 0; // of the order
        bool operator==(const Pages&) const = default;
    };
    std::vector<Tile> all;
    std::array<Pages, 8> fine_pages;
};

class Shadow {
public:
    Shadow(std::int64_t bytes, int granule);   // 1, 2, 4, 8, 16
    void set_rank(int rank) { m_rank = rank; } // of the block whose memory it is, or who sees it
    void expect_threads_only() { m_has_threads_only = true; }
    void clear();
    void fill();       // as if everything had been written before all
    void open_again(); // when all that is in it is before what comes
    std::size_t granule_of(std::int64_t place) const { return static_cast<std::size_t>(place >> m_shift); }
    std::size_t granules_of(std::int64_t bytes) const { return bytes > granule_bytes() ? granule_of(bytes) : 1; }
    int granule_bytes() const { return 1 << m_shift; }

    // Conflicts are added to `found`; after one the granule is as if there had been none.
    void read(const Touches& touches, std::size_t base, const Visit& visit, std::vector<Conflict>& found);
    void write(const Touches& touches, std::size_t base, const Visit& visit, std::vector<Conflict>& found);
    // Reads of what has been written before all that may conflict, with tags; they and the repeats (none: one read) stay
    // where they are until clear() or open_again(). False: the pages do not say that, and nothing has been recorded.
    bool note(const Touches& touches, std::size_t base, std::span<const Repeat> repeats, const Visit& visit);
    // The same of a write, each granule of it by one thread. Not where units access the memory too: they may not know of a
    // write that all threads know of.
    bool note_write(const Touches& touches, std::size_t base, const Visit& visit);
    void enter_notes(Order& order); // so that nothing is referred to
    void enter_past(const Touches& touches, std::size_t base, const PastAccess& past, Order& order);
    void update(std::size_t granule, Actor who, const Visit& visit, bool reads, std::vector<Conflict>& found);
    // The same by one actor, or a set, of neighbouring granules.
    void read_run(std::size_t first, std::size_t count, Actor who, const Visit& visit, std::vector<Conflict>& found);
    void write_run(std::size_t first, std::size_t count, Actor who, const Visit& visit, std::vector<Conflict>& found);
    // Of pages that were written as a whole, by a unit: noted. The runs stay where they are until enter_tiles(). False: nothing has
    // been recorded (shadow_tiles.cpp).
    bool note_tile(std::span<const GranuleRun> runs, Actor who, const Visit& visit);
    void enter_tiles(Order& order);
    // Of many, by one actor (shadow_runs.cpp); a write that is under way until arrive().
    void read_runs(std::span<const GranuleRun> runs, Actor who, const Visit& visit, std::vector<Conflict>& found);
    void reserve_run(GranuleRun run, Actor who, const Visit& visit, std::vector<Conflict>& found);
    void touch_run(Purpose purpose, std::size_t first, std::size_t count, Actor who, const Visit& visit,
                   std::vector<Conflict>& found) {
        purpose == Purpose::Load ? read_run(first, count, who, visit, found)
                                 : write_run(first, count, who, visit, found);
    }
    // A write that was under way is over; from now on it is one by `actor`.
    void forget(std::size_t first, std::size_t count, Order& order); // as if nobody had written there
    void arrive(std::size_t first, std::size_t count, Cell write, Order& order);
    void arrive(const Touches& touches, std::size_t base, Epoch epoch, std::uint32_t pc, Order& order);
    Cell last_write(std::size_t granule) const {
        const Page& page = m_pages[granule >> page_shift];
        return page.is_whole ? page.all : m_writes[granule];
    }

private:
    template <class Look>
    void look_at_run(std::size_t first, std::size_t count, std::vector<Conflict>& found, Look&& look);
    template <Purpose purpose>
    void touch(const Touches& touches, std::size_t base, const Visit& visit, std::vector<Conflict>& found);
    void look(Purpose purpose, std::size_t granule, Actor who, const Visit& visit, std::vector<Conflict>& found);
    bool is_settled_update(std::size_t granule, Actor who, const Visit& visit);

    struct Page {
        Epoch last = 0;          // no write is later
        Epoch noted = 0;         // nor a read that is noted
        Epoch stored = 0;        // nor a write that is noted
        Epoch read = 0;          // nor another read
        bool is_known = false;   // nothing has been written since it was looked through
        bool is_written = false; // all of it
        bool is_whole = true; // all of it has the write `all`, and reads of tiles only; what cells say is out of date
        Cell all = 0;
    };
    struct Note {
        Touches touches; // none: `count` granules from the base, by `who`
        std::size_t base = 0;
        std::span<const Repeat> repeats;
        Epoch epoch = 0, floor = 0;
        std::uint32_t pc = 0;
        Actor who = 0;
        bool writes = false;
    };
    bool are_pages_fine(const ReadTiles::Pages& pages, const Visit& visit);
    enum class Pages : std::uint8_t { Unsettled, Settled, Written }; // the second: but some of it may hold nothing
    Pages look_at_pages(std::size_t first, std::size_t last, const Visit& visit);
    bool are_reads_past(std::size_t first, std::size_t last, Epoch floor) const;
    bool reserve_past(const Touches& touches, std::size_t base, const Visit& visit);
    void add_note(const Note& note, std::size_t first, std::size_t last, const Visit& visit);
    void expect(std::size_t first, std::size_t last, const Visit& visit, bool writes);
    void changed(std::size_t first, std::size_t last, Order& order);
    void enter(const Note& note, std::size_t base, std::uint32_t pc, Order& order);
    void enter(std::size_t granule, Cell read, Epoch floor, Order& order);
    // So that cells of the pages are up to date.
    void open(std::size_t first, std::size_t last, Order& order) {
        for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p)
            if (m_pages[p].is_whole)
                open_page(p, order);
    }
    void open_page(std::size_t p, Order& order);
    bool reserve_pages(std::size_t first, std::size_t last, Actor who, const Visit& visit);
    void reserve_each(GranuleRun run, Actor who, const Visit& visit, std::vector<Conflict>& found);

    int m_shift = 2;
    std::vector<Page> m_pages;
    std::vector<Note> m_notes;
    ReadTiles m_tiles;
    std::vector<Cell> m_writes, m_reads;
    ShadowUpdates m_updates;
    int m_rank = 0;
    bool m_has_histories = false;
    bool m_has_threads_only = false;
    OrderedCells m_ordered;
};

} // namespace hidet::vm
