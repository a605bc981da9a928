// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/matrix/tiles.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "compiler/artifact/marks.h"
#include "runtime/vm/async/swizzle.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/host.h"

namespace hidet::vm {

namespace {

std::vector<TileKeeper::Declaration> declared_arrays(const Code& code) {
    std::vector<TileKeeper::Declaration> out;
    for (const Step& step : code.steps) {
        const Instr& i = step.instr;
        const bool is_declared = step.op == Op::Undefine && step.is_tracked && artifact::is_v(i.dst);
        const auto begins_there = [&](const artifact::LocalArray& array) { return array.first == i.dst; };
        if (is_declared && std::ranges::any_of(code.function->locals, begins_there))
            out.push_back({static_cast<std::uint32_t>(&step - code.steps.data()), i.dst, i.c});
    }
    return out;
}

} // namespace

// What is kept is there after a launch that fails as well.
TileKeeper HostRunner::tile_keeper(const LaunchContext& launch) {
    TileKeeper out;
    const Function& kernel = *launch.kernel;
    const std::optional<TileRequest>& asked = m_context.options->tiles;
    if (!asked)
        return out;
    std::erase_if(m_statistics->tiles, [&](const KeptTiles& known) { return known.kernel == kernel.name; });
    out.kept = &m_statistics->tiles.emplace_back(KeptTiles{kernel.name, asked->block});
    out.number = artifact::block_number(launch.shape, asked->block);
    out.declarations = declared_arrays(*launch.code);
    if (asked->at)
        std::ranges::transform(kernel.origins, std::back_inserter(out.marks), asked->at);
    if (!out.marks.empty())
        out.marks.resize(kernel.code.size());
    return out;
}

bool BlockTiles::is_asked_for(const Block& block) {
    return block.context.tiles && block.context.tiles->number == block.number;
}

// Whoever has just left the line has done all of it.
void BlockTiles::follow_line(Block& block, Group& group) {
    const std::vector<bool>& marks = block.context.tiles->marks;
    if (marks.empty() || !is_asked_for(block))
        return;
    const bool is_there = marks[group.pc - 1];
    if (group.is_at_line && !is_there)
        keep(block);
    group.is_at_line = is_there;
}

void BlockTiles::end(Block& block) {
    if (is_asked_for(block) && block.context.tiles->marks.empty())
        keep(block);
}

void BlockTiles::keep(Block& block) {
    KeptTiles& kept = *block.context.tiles->kept;
    std::ranges::copy(block.index, kept.block.begin()); // who asked may have had its number alone
    kept.tiles = taken(block);
}

void BlockTiles::found(Block& block, Finding& finding) {
    if (!block.context.tiles || finding.left || finding.kind == FindingKind::Cancelled)
        return;
    KeptTiles left{block.function.name, {}, taken(block)};
    std::ranges::copy(block.index, left.block.begin());
    left.is_asked = is_asked_for(block);
    finding.left = std::make_shared<const KeptTiles>(std::move(left));
}

std::vector<KeptTile> BlockTiles::taken(Block& block) {
    if (block.shadow)
        block.shadow->enter_notes(*block.order); // writes that are only noted count
    std::vector<KeptTile> out;
    for (std::size_t row = 0; row < block.shared.size(); ++row)
        out.push_back(kept_tile(block, row));
    for (const artifact::LocalArray& array : block.function.locals)
        if (array.first >= 0)
            out.push_back(kept_local(block, array));
    return out;
}

// Where a thread never comes to a declaration its array has nothing, as between the declaration and the first value.
void BlockTiles::begin(Block& block) {
    if (!block.context.tiles || !block.init.is_on())
        return;
    Mask threads;
    for (int lane = 0; lane < block.threads; ++lane)
        threads.set(lane);
    for (const auto& [pc, first, count] : block.context.tiles->declarations)
        for (std::int32_t r = first; r < first + count; ++r)
            block.init.mark_undefined(r, threads, pc + 1);
}

// A thread's elements follow each other as in memory.
KeptTile BlockTiles::kept_local(Block& block, const artifact::LocalArray& array) {
    const int width = artifact::scalar_bytes(array.element),
              words = array.packed ? 1 : artifact::scalar_words(array.element);
    const int unit = array.packed ? 4 : width; // bytes of a register, or of a pair
    const std::int64_t bytes = array.count * width;
    KeptTile out{name_in(*block.context.program, array.name),
                 array.element,
                 std::vector<std::byte>(static_cast<std::size_t>(bytes * block.threads)),
                 {},
                 block.threads};
    if (block.init.is_on())
        out.written.resize(out.bytes.size());
    for (std::int64_t at = 0; at < bytes; at += unit) {
        const auto reg = array.first + static_cast<std::int32_t>(at / unit) * words;
        const auto piece = static_cast<std::size_t>(std::min<std::int64_t>(unit, bytes - at));
        const std::byte* const lanes = block.lanes(reg);
        for (int lane = 0; lane < block.threads; ++lane) {
            const auto to = static_cast<std::size_t>(lane * bytes + at);
            std::memcpy(out.bytes.data() + to,
                        lanes + static_cast<std::size_t>(lane) * 4 * static_cast<std::size_t>(words), piece);
            if (out.written.empty())
                continue;
            std::fill_n(out.written.begin() + static_cast<std::ptrdiff_t>(to), piece,
                        static_cast<std::uint8_t>(!block.init.has_nothing(reg, lane)));
        }
    }
    return out;
}

// Pieces of 16 bytes that the copy unit has exchanged go back to where the tile has them without that.
std::int64_t BlockTiles::place_in_tile(const Block& block, std::int64_t place) {
    const Swizzled& was = block.bulk.swizzle_at(place);
    const Cell cell = block.shadow->last_write(block.shadow->granule_of(place));
    const bool is_moved = was.row_bytes > 0 && is_unit(actor_of(cell)) && pc_of(cell) == was.pc;
    return is_moved ? swizzled(place, was.row_bytes) : place;
}

KeptTile BlockTiles::kept_tile(const Block& block, std::size_t row) {
    const artifact::SharedArray& array = block.function.shared[row];
    const MemoryArea& memory = block.shared[row];
    KeptTile out{
        name_in(*block.context.program, array.name), array.element, {memory.data, memory.data + memory.bytes}, {}};
    if (!block.shadow)
        return out;
    out.written.resize(out.bytes.size());
    for (std::int64_t at = 0; at < memory.bytes; ++at) {
        const std::int64_t place = memory.place + at;
        std::int64_t to = place_in_tile(block, place) - memory.place;
        if (to < 0 || to >= memory.bytes)
            to = at;
        const Cell cell = block.shadow->last_write(block.shadow->granule_of(place));
        out.bytes[static_cast<std::size_t>(to)] = memory.data[at];
        out.written[static_cast<std::size_t>(to)] = cell != 0 && epoch_of(cell) != in_flight;
    }
    return out;
}

} // namespace hidet::vm
