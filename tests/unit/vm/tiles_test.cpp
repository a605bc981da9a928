// SPDX-License-Identifier: Apache-2.0
// Tiles of copies and products are watched as whole pages; here the same is shown to a shadow that looks at single granules.
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "runtime/vm/checks/shadow.h"

using namespace hidet::vm;

namespace {

constexpr int traced_lanes = 64, traced_bytes = 8;
constexpr std::size_t tile_granules = 128, tiles = 2, piece = 32; // a piece is less than a page

bool are_equal(const Conflict& a, const Conflict& b) {
    return a.clash == b.clash && a.first == b.first && a.second == b.second && a.first_pc == b.first_pc &&
           a.granule == b.granule;
}

struct Trace {
    Order order{1, traced_lanes};
    Shadow whole{tiles * tile_granules * traced_bytes, traced_bytes};
    Shadow single{tiles * tile_granules * traced_bytes, traced_bytes};
    std::vector<std::vector<GranuleRun>> parts; // of tile and half, which stay where they are
    std::array<Actor, 2> barriers{}, products{};
    std::mt19937 random;
    std::uint32_t pc = 0;
    int noted = 0, conflicts = 0;

    explicit Trace(std::uint32_t seed) : random(seed) {
        order.start(0);
        for (std::size_t i = 0; i < 2; ++i)
            barriers.at(i) = order.new_unit(), products.at(i) = order.new_unit();
        for (std::size_t part = 0; part < 2 * tiles; ++part) {
            auto& runs = parts.emplace_back();
            for (std::size_t g = part % 2 * 4; g < tile_granules; g += 8)
                runs.push_back({part / 2 * tile_granules + g, 4});
        }
    }
    std::size_t below(std::size_t n) { return random() % n; }
    static Mask warp(std::size_t w) {
        Mask out;
        out.set_warp(static_cast<int>(w), ~0u);
        return out;
    }
    Visit visit(const Mask& who) { return {.order = order, .floor = order.floor(0, who), .pc = pc}; }

    void reserve(std::size_t tile, std::size_t w, std::vector<Conflict>& a, std::vector<Conflict>& b) {
        Mask one;
        one.set(static_cast<int>(32 * w));
        Visit now = visit(one);
        now.by_unit = now.is_reserved = true;
        const Actor who = order.set_of(0, one);
        const std::size_t first = tile * tile_granules;
        whole.reserve_run({first, tile_granules}, who, now, a);
        for (std::size_t g = 0; g < tile_granules; g += piece)
            single.reserve_run({first + g, piece}, who, now, b);
    }
    void arrive(std::size_t tile, std::size_t barrier) {
        const Actor unit = barriers.at(barrier);
        const Cell cell = cell_of(order.epoch_now(unit), unit, pc);
        whole.arrive(tile * tile_granules, tile_granules, cell, order);
        for (std::size_t g = 0; g < tile_granules; g += piece)
            single.arrive(tile * tile_granules + g, piece, cell, order);
        order.step();
    }
    void multiply(std::size_t part, std::size_t w, std::vector<Conflict>& a, std::vector<Conflict>& b) {
        Visit now = visit(warp(w));
        now.by_unit = true, now.unit = products.at(w);
        const Actor who = order.set_of(0, warp(w));
        const bool is_noted = whole.note_tile(parts[part], who, now);
        noted += is_noted;
        if (!is_noted)
            whole.read_runs(parts[part], who, now, a);
        single.read_runs(parts[part], who, now, b);
    }
    void touch(std::size_t w, std::vector<Conflict>& a, std::vector<Conflict>& b) {
        Mask one;
        one.set(static_cast<int>(32 * w + 1));
        const Visit now = visit(one);
        const Touch each{0, order.set_of(0, one)};
        const std::size_t granule = below(tiles * tile_granules);
        if (below(2)) {
            whole.read({&each, nullptr, 1}, granule, now, a);
            single.read({&each, nullptr, 1}, granule, now, b);
        } else {
            whole.write({&each, nullptr, 1}, granule, now, a);
            single.write({&each, nullptr, 1}, granule, now, b);
        }
    }
    void know(std::size_t w, Actor unit) {
        Clock known;
        known.seen.add(unit, order.epoch_now(unit));
        order.acquire(0, warp(w), known);
        order.step();
    }
    void meet() {
        Mask all = warp(0);
        all.add(warp(1), traced_lanes / 16);
        order.sync_block(0, all, all);
    }
    bool step(bool touches) {
        std::vector<Conflict> a, b;
        ++pc;
        const std::size_t what = below(20), w = below(2), tile = below(tiles);
        if (what < 2)
            reserve(tile, w, a, b);
        else if (what < 4)
            arrive(tile, below(2));
        else if (what < 10)
            multiply(2 * tile + below(2), w, a, b);
        else if (what < 16)
            know(w, barriers.at(below(2)));
        else if (what < 18)
            know(w, products.at(below(2)));
        else if (what < 19)
            meet();
        else if (touches && below(4) == 0)
            touch(w, a, b);
        conflicts += !a.empty();
        return std::ranges::equal(a, b, are_equal);
    }
};

} // namespace

TEST_CASE("whole pages of tiles tell what single granules tell") {
    int noted = 0, conflicts = 0;
    for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
        Trace trace(seed);
        for (int i = 0; i < 200; ++i) {
            INFO("seed ", seed, " step ", i);
            REQUIRE(trace.step(seed % 2));
        }
        noted += trace.noted, conflicts += trace.conflicts;
    }
    CHECK(noted > 2000);
    CHECK(conflicts > 500);
}
