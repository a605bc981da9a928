// SPDX-License-Identifier: Apache-2.0
// Compiled for what processors have and chosen at run time, as the leaves of the interpreter are (vector/table.h); it is of
// no use to those who do not check, so it stands alone.
#include "runtime/vm/async/settle.h"

#include "runtime/vm/machine.h"

namespace hidet::vm {

namespace {

constexpr std::size_t words_at_once = 4;
using Cells [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = Cell;

[[gnu::always_inline]] inline std::size_t settle_all(const Settling& run) {
    constexpr Cell actors = Cell{0xFFFF} << actor_shift;
    const Cell least = run.needs_value ? Cell{1} << epoch_shift : 0;
    const Cell limit = (Cell{run.floor} + 1) << epoch_shift, flying = Cell{in_flight} << epoch_shift;
    std::size_t i = 0;
    for (; i + words_at_once <= run.count; i += words_at_once) {
        const Cells written = *reinterpret_cast<const Cells*>(run.written + i);
        const Cells read = *reinterpret_cast<const Cells*>(run.read + i);
        const Cells tags = *reinterpret_cast<const Cells*>(run.tags + i);
        const auto is_own = (((written ^ tags) & actors) == 0) & (written - least < flying - least);
        const auto is_ordered = (written - least < limit - least) | is_own;
        const auto is_last = (read < limit) | (((read ^ tags) & actors) == 0);
        const auto fine = is_ordered & is_last;
        if (!(fine[0] & fine[1] & fine[2] & fine[3]))
            break;
        *reinterpret_cast<Cells*>(run.recorded + i) = tags | run.head;
    }
    return i;
}

[[gnu::always_inline]] inline Survey survey_all(const Cell* written, std::size_t count) {
    Cells highest{}, lowest = ~highest;
    std::size_t i = 0;
    for (; i + words_at_once <= count; i += words_at_once) {
        const Cells cells = *reinterpret_cast<const Cells*>(written + i);
        highest = cells > highest ? cells : highest;
        lowest = cells < lowest ? cells : lowest;
    }
    Survey out;
    for (std::size_t k = 0; k < words_at_once; ++k) {
        out.highest = highest[k] > out.highest ? highest[k] : out.highest;
        out.has_none = out.has_none || lowest[k] == 0;
    }
    for (; i < count; ++i) {
        out.highest = written[i] > out.highest ? written[i] : out.highest;
        out.has_none = out.has_none || written[i] == 0;
    }
    return out;
}

[[gnu::always_inline]] inline void record_all(Cell* recorded, const Cell* tags, std::size_t count, Cell head) {
    std::size_t i = 0;
    for (; i + words_at_once <= count; i += words_at_once)
        *reinterpret_cast<Cells*>(recorded + i) = *reinterpret_cast<const Cells*>(tags + i) | head;
    for (; i < count; ++i)
        recorded[i] = tags[i] | head;
}

[[gnu::target("arch=x86-64-v3")]] void record_v3(Cell* recorded, const Cell* tags, std::size_t count, Cell head) {
    record_all(recorded, tags, count, head);
}

[[gnu::target("arch=x86-64-v4")]] Survey survey_v4(const Cell* written, std::size_t count) {
    return survey_all(written, count);
}
[[gnu::target("arch=x86-64-v3")]] Survey survey_v3(const Cell* written, std::size_t count) {
    return survey_all(written, count);
}

[[gnu::target("arch=x86-64-v4")]] std::size_t settle_v4(const Settling& run) {
    return settle_all(run);
}
[[gnu::target("arch=x86-64-v3")]] std::size_t settle_v3(const Settling& run) {
    return settle_all(run);
}

} // namespace

void record(Cell* recorded, const Cell* tags, std::size_t count, Cell head) {
    static const auto chosen = has_isa(VectorIsa::V3) ? record_v3 : record_all;
    chosen(recorded, tags, count, head);
}

Survey survey(const Cell* written, std::size_t count) {
    static const auto chosen = has_isa(VectorIsa::V4) ? survey_v4 : has_isa(VectorIsa::V3) ? survey_v3 : survey_all;
    return chosen(written, count);
}

std::size_t settle(const Settling& run) {
    static const auto chosen = has_isa(VectorIsa::V4) ? settle_v4 : has_isa(VectorIsa::V3) ? settle_v3 : settle_all;
    return chosen(run);
}

} // namespace hidet::vm
