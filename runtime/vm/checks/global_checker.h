// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory: their order among blocks (race_global.cpp) and in a block (race_within.cpp), and whether what
// they read has been written (unwritten.cpp).
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/vm/checks/global_notes.h"
#include "runtime/vm/core/block_view.h"
#include "runtime/vm/core/target.h"

namespace hidet::vm {

class GlobalChecker : BlockView {
public:
    explicit GlobalChecker(const BlockView& view) : BlockView(view) {}
    void begin_launch();
    void begin();
    void join(); // a cluster
    void check_within_bytes(Group& group, std::uint64_t pointer, std::int64_t bytes, int lane, Purpose purpose);
    GlobalShadow* global_shadow(std::uint32_t id, std::int64_t bytes);
    void check_global(Group& group, const Step& step, const Target& target, Purpose purpose);
    struct Shadowed { // of the memory with that number here
        GlobalShadow& shadow;
        std::uint32_t id = 0;
    };
    void check_global_lane(Group& group, const Step& step, const Shadowed& memory, std::int64_t place, int bytes,
                           int lane, Purpose purpose, const std::byte* address);
    void check_global_bytes(Group& group, std::uint64_t pointer, std::int64_t bytes, int lane, Purpose purpose);
    void check_unwritten(Group& group, const Step& step, const Target& target, Purpose purpose);
    void check_unwritten_lane(Group& group, const Step& step, InitBitmap& written, std::int64_t begin, int bytes,
                              int lane, Purpose purpose);
    bool is_watched(std::uint64_t pointer);

private:
    Shadow& global_page(std::uint32_t id, std::int64_t page);
    Shadow& entered_page(Group& group, std::uint32_t id, std::int64_t place, std::int64_t bytes, Purpose purpose);
    template <class F>
    void for_each_page(std::uint32_t id, const Touches& touches, std::int64_t base, F&& f);
    void enter_global_notes();
    void note_global(const GlobalNotes::Note& note);
    GlobalNotes::Pass passing(Group& group, std::uint32_t id, Purpose purpose);
    void check_within(Group& group, const Step& step, const Target& target, Purpose purpose);
    void check_within_lane(Group& group, const Step& step, std::uint32_t id, std::int64_t place, int bytes, int lane,
                           Purpose purpose);
    const std::vector<LanePart::Run>& runs_of(Group& group, const LanePart& part, int bytes) const;
    bool is_behind_trace(const Trace& first, const Trace& self, GlobalKind kind, const Mask& lanes) const;
    Mask lanes_there(Group& group, const Step& step, const Target& target, const GlobalConflict& conflict) const;
    void touch_global(Group& group, GlobalShadow& shadow, GlobalKind kind, std::int64_t begin, std::int64_t bytes,
                      int lane, const Step* step, const Target* target);
    template <class ForEachLine>
    void touch_lines(Group& group, GlobalShadow& shadow, GlobalKind kind, ForEachLine&& for_each_line, int lane,
                     const Step* step, const Target* target);
    std::string trace_text(const Trace& trace) const;
    std::array<std::int64_t, 3> index_of(const Trace& trace) const; // of its block
    template <class ForEachLine>
    void touch_history(Group& group, const GlobalShadow& shadow, GlobalKind kind, ForEachLine&& for_each_line, int lane,
                       const Step* step);
    void report_earlier(Group& group, const Step* step, const RankHistory::Earlier& earlier, bool writes, int lane);
    const char* cure(const GlobalConflict& conflict, GlobalKind kind) const;
    void report_global(Group& group, const Step* step, const GlobalConflict& conflict, GlobalKind kind, int lane);
    int lane_at(const Group& group, const Target& target, std::int64_t byte, int bytes) const;
    void check_unwritten_bytes(Group& group, const Allocation& allocation, std::int64_t place, std::int64_t bytes,
                               int lane, Purpose purpose);
    void report_unwritten(Group& group, const Step* step, const std::string& what, int lane, Purpose purpose);

    std::vector<GlobalConflict> m_global_conflicts;
    std::unordered_map<std::uint64_t, std::unique_ptr<Shadow>> m_global_pages; // of global memory that it touched
    std::array<std::vector<std::unique_ptr<Shadow>>, 5> m_spare_pages;         // by bytes of a granule
    GlobalNotes m_global_notes;
    std::uint64_t m_least_version = 0; // of the order, of which the next was computed
    Epoch m_least_floor = 0;
    std::vector<std::pair<std::uint32_t, GlobalShadow*>> m_global_shadows; // that it asked for
    Shadow* m_last_page = nullptr;
    std::uint64_t m_last_page_key = 0;
};

} // namespace hidet::vm
