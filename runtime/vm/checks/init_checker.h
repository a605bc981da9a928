// SPDX-License-Identifier: Apache-2.0
// Which registers hold something (defined.cpp), and whether what indices are made of fits (overflow.cpp).
#pragma once

#include <vector>

#include "runtime/vm/core/block_view.h"
#include "runtime/vm/core/target.h"

namespace hidet::vm {

class InitChecker : BlockView {
public:
    struct LocalWord {
        std::int32_t reg = 0;
        Mask lanes;
    };
    explicit InitChecker(const BlockView& view);
    void begin();
    bool is_on() const { return !m_undefined.empty(); }
    bool has_nothing(std::int32_t reg, int lane) const {
        const auto row = static_cast<std::size_t>(reg);
        return m_undefined_by[row] && m_undefined[row].test(lane);
    }
    void after_store(const Target& target, int bytes) { // to shared memory
        if (m_stores_nothing)
            forget_stored(target, bytes);
    }
    void track(Group& group, const Step& step);
    const std::vector<LocalWord>& find_local_words(Group& group, const Step& step); // until the next look
    void mark_undefined(std::int32_t reg, const Mask& lanes, std::uint32_t by);

private:
    void forget_stored(const Target& target, int bytes);
    void undefine(Group& group, const Step& step);
    void mark_defined(std::int32_t reg, const Mask& lanes);
    void set_defined(Group& group, std::int32_t reg, const Mask& lanes);
    Mask missing(const Group& group, std::int32_t reg) const; // threads that have nothing in it
    std::uint32_t declared_by(const Group& group, std::int32_t reg) const;
    void track_values(Group& group, const Step& step);
    void track_store(Group& group, const Step& step, const Mask& copied, std::uint32_t copied_by);
    void report_undefined(Group& group, std::uint32_t declared, const Mask& lanes);
    void check_overflow(Group& group, const Step& step);

    struct KnownRange {
        std::uint64_t version = 0, mask_version = 0;
        std::int64_t low = 0, high = 0;
    };
    std::vector<KnownRange> m_ranges;          // of i32 registers, as overflow.cpp has seen them
    std::vector<Mask> m_undefined;             // of each register: threads that have nothing in it
    std::vector<std::uint32_t> m_undefined_by; // and the instruction that says so + 1; 0: all have something
    int m_undefined_count = 0;                 // registers in which somebody has nothing
    std::vector<LocalWord> m_local_words;      // of the instruction
    Mask m_stored_nothing;                     // of the store that runs: threads that store what holds nothing
    bool m_stores_nothing = false;             // there are some
};

} // namespace hidet::vm
