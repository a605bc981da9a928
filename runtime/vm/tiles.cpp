// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/tiles.h"

#include <algorithm>
#include <iterator>

#include "compiler/artifact/marks.h"
#include "runtime/vm/block_notes.h"
#include "runtime/vm/host.h"
#include "runtime/vm/swizzle.h"

namespace hidet::vm {

// What is kept is there after a launch that fails as well.
TileKeeper HostRunner::tile_keeper(const Function& kernel) {
    TileKeeper out;
    const std::optional<TileRequest>& asked = m_context.options->tiles;
    if (!asked)
        return out;
    std::erase_if(m_statistics->tiles, [&](const KeptTiles& known) { return known.kernel == kernel.name; });
    out.kept = &m_statistics->tiles.emplace_back(KeptTiles{kernel.name, asked->block});
    if (asked->at)
        std::ranges::transform(kernel.origins, std::back_inserter(out.marks), asked->at);
    if (!out.marks.empty())
        out.marks.resize(kernel.code.size());
    return out;
}

bool BlockTiles::is_asked_for(const Block& block) {
    return block.m_context.tiles &&
           artifact::block_number(block.m_context.shape, block.m_context.tiles->kept->block) == block.number();
}

// Whoever has just left the line has done all of it.
void BlockTiles::follow_line(Block& block, Group& group) {
    const std::vector<bool>& marks = block.m_context.tiles->marks;
    if (marks.empty() || !is_asked_for(block))
        return;
    const bool is_there = marks[group.pc - 1];
    if (group.is_at_line && !is_there)
        keep(block);
    group.is_at_line = is_there;
}

void BlockTiles::end(Block& block) {
    if (is_asked_for(block) && block.m_context.tiles->marks.empty())
        keep(block);
}

void BlockTiles::keep(Block& block) {
    if (block.m_shadow)
        block.m_shadow->enter_notes(*block.m_order); // writes that are only noted count
    KeptTiles& kept = *block.m_context.tiles->kept;
    std::ranges::copy(block.m_block, kept.block.begin()); // who asked may have had its number alone
    std::vector<KeptTile>& tiles = kept.tiles;
    tiles.clear();
    for (std::size_t row = 0; row < block.m_shared.size(); ++row)
        tiles.push_back(kept_tile(block, row));
}

// Pieces of 16 bytes that the copy unit has exchanged go back to where the tile has them without that.
std::int64_t BlockTiles::place_in_tile(const Block& block, std::int64_t place) {
    const Swizzled& was = block.m_swizzled[static_cast<std::size_t>(place) / swizzled_bytes];
    const Cell cell = block.m_shadow->last_write(block.m_shadow->granule_of(place));
    const bool is_moved = was.row_bytes > 0 && is_unit(actor_of(cell)) && pc_of(cell) == was.pc;
    return is_moved ? swizzled(place, was.row_bytes) : place;
}

KeptTile BlockTiles::kept_tile(const Block& block, std::size_t row) {
    const artifact::SharedArray& array = block.m_function.shared[row];
    const Block::Memory_& memory = block.m_shared[row];
    KeptTile out{array.name >= 0 ? block.m_context.program->strings[static_cast<std::size_t>(array.name)] : "",
                 array.element,
                 {memory.data, memory.data + memory.bytes},
                 {}};
    if (!block.m_shadow)
        return out;
    out.written.resize(out.bytes.size());
    for (std::int64_t at = 0; at < memory.bytes; ++at) {
        const std::int64_t place = memory.place + at;
        std::int64_t to = place_in_tile(block, place) - memory.place;
        if (to < 0 || to >= memory.bytes)
            to = at;
        const Cell cell = block.m_shadow->last_write(block.m_shadow->granule_of(place));
        out.bytes[static_cast<std::size_t>(to)] = memory.data[at];
        out.written[static_cast<std::size_t>(to)] = cell != 0 && stamp_of(cell) != in_flight;
    }
    return out;
}

} // namespace hidet::vm
