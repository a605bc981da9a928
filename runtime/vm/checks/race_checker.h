// SPDX-License-Identifier: Apache-2.0
// The order of accesses to shared memory (race.cpp), and how long it is there (lifetime.cpp).
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "runtime/vm/core/block_view.h"
#include "runtime/vm/core/target.h"

namespace hidet::vm {

// What another block did to a block's shared memory last.
struct RemoteUse {
    Block* by = nullptr;
    Epoch epoch = 0;
    std::uint32_t pc = 0;
    int lane = 0;
};

// What runs beside the threads, by what a wait for it is about.
enum class UnitKind : std::uint8_t { Barrier, Stores, Products };
struct Unit {
    UnitKind kind{};
    std::string name; // of a barrier
    int lane = 0;     // Stores: whose; Products: the first of the warp group
};

class RaceChecker : BlockView {
public:
    explicit RaceChecker(const BlockView& view) : BlockView(view) {}
    void begin() {
        m_units.clear();
        m_remote_uses.clear();
    }
    Visit visit(Group& group);
    Actor who(Group& group);
    Actor warp_set(int w);
    const TouchList& touches(Group& group, const LanePart& part, int bytes, int granule) const;
    void watch(Group& group, const Step& step, const Target& target, Purpose purpose);
    void check_lane(Group& group, const Step& step, Shadow& shadow, std::int64_t place, int bytes, int lane,
                    Purpose purpose);
    void check_together(Group& group, const Step& step, const std::vector<Touch>& touches,
                        std::vector<Conflict>& found);
    bool check_updates(Group& group, const Step& step, const Target& target);
    void check_bytes(Group& group, std::uint64_t pointer, std::int64_t bytes, int lane, Purpose purpose,
                     bool is_reserved);
    void forgive_equal_writes(Group& group, const Step& step, const Target& target, std::vector<Conflict>& found);
    bool writes_what_is_there(Group& group, const Step& step, const Target& target, int lane) const;
    // Shows an access to a shadow, by touch(found): what it conflicts with is told. Of an element that the step has ...
    template <class F>
    void look(Group& group, const Step& step, Purpose purpose, F&& touch) {
        m_conflicts.clear();
        touch(m_conflicts);
        if (!m_conflicts.empty())
            tell(group, &step, nullptr, purpose);
    }
    // ... or of bytes.
    template <class F>
    void look(Group& group, const Shadow& shadow, Purpose purpose, F&& touch) {
        m_conflicts.clear();
        touch(m_conflicts);
        if (!m_conflicts.empty())
            tell(group, nullptr, &shadow, purpose);
    }
    std::string granule_text(const Shadow& shadow, std::size_t granule) const;
    Actor new_unit(UnitKind kind, std::string name, int lane);
    void fence(Group& group, const Step& step);
    void note_remote(Group& group, Block& owner, Actor actor, int lane);
    void check_end();

private:
    void check_strong(Group& group, const Step& step, const Target& target, Purpose purpose);
    void tell(Group& group, const Step* step, const Shadow* shadow, Purpose purpose);
    std::string cure(const Conflict& conflict) const;
    int reach_of(const Conflict& conflict) const;
    void note_owner(Group& group, const Shadow& shadow, Actor actor, int lane); // the same of its shadow
    void check_loads();
    bool is_known_at_end(Actor actor, Epoch epoch) const;

    std::array<Actor, max_threads / 32> m_warp_sets{};
    std::vector<Conflict> m_conflicts;        // of the instruction
    std::map<Actor, RemoteUse> m_remote_uses; // by who did it
    std::map<Actor, Unit> m_units;            // that are this block's
};

} // namespace hidet::vm
