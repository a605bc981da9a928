// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/waves.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/analysis/access/access_map.h"
#include "compiler/analysis/access/footprint.h"
#include "lang/base/text.h"

namespace hidet::perf {

namespace access = compiler::access;

namespace {

constexpr std::size_t most_waves = 8;   // that are looked at: the first ones, and the last
constexpr std::int64_t most_tiles = 16; // of a side of the picture

using Block = std::array<std::int64_t, 3>;

// One block in one turn of its loop over tiles, which is -1 where it has none.
struct Turn {
    std::int64_t block = 0, round = -1;
};

// A tensor's bytes of a row, where the script says what shape it has.
std::int64_t row_bytes(const ir::Function& kernel, const ir::Module& script, const std::string& tensor,
                       const SymbolValues& sizes) {
    const auto of = [&](const ir::Function& function) -> std::int64_t {
        for (const ir::VarRef& param : function.params) {
            const ir::TensorType* type = ir::tensor_of(param->type);
            if (param->name != tensor || !type || type->shape.size() < 2)
                continue;
            const auto extent = access::known_size(type->shape.back(), sizes);
            const std::int64_t element = ir::size_in_bytes(type->element);
            return extent && element > 0 ? *extent * element : 0;
        }
        return 0;
    };
    for (const ir::FunctionRef& function : script.functions)
        if (function->name == kernel.name)
            if (const std::int64_t bytes = of(*function))
                return bytes;
    for (const ir::FunctionRef& function : script.functions)
        if (const std::int64_t bytes = of(*function))
            return bytes;
    return 0;
}

double overlap(const access::ByteSet& a, const access::ByteSet& b) {
    std::int64_t out = 0;
    auto next = b.begin();
    for (const access::Bytes& bytes : a) {
        while (next != b.end() && next->end <= bytes.begin)
            ++next;
        for (auto at = next; at != b.end() && at->begin < bytes.end; ++at)
            out += std::min(at->end, bytes.end) - std::max(at->begin, bytes.begin);
    }
    return static_cast<double>(out);
}

class Waves {
public:
    Waves(const access::Footprint& footprint, const Block& grid, WavesView& out)
        : m_footprint(footprint), m_grid(grid), m_out(out) {
        find_rounds();
    }

    const std::string& rounds_of() const { return m_rounds_of; }
    std::int64_t rounds() const { return m_rounds; }
    bool has_work(const Turn& work) {
        const Block block = block_at(work.block);
        for (const access::FootprintPart& part : m_footprint.parts) {
            const bool has_round = work.round < 0 || (work.round >= part.loops.front().begin &&
                                                      work.round < part.loops.front().begin + part.loops.front().count);
            if (has_round && part.has(block))
                return true;
        }
        return false;
    }

    void add_wave(std::int64_t number, const std::vector<Turn>& works) {
        WaveView wave;
        wave.number = number;
        std::map<std::string, Operand> operands;
        for (const access::FootprintPart& part : m_footprint.parts) {
            Operand& operand = operands[part.tensor];
            (part.writes ? operand.writes : operand.reads) = true;
            operand.is_at_most = operand.is_at_most || part.is_guarded;
        }
        double read = 0, from_memory = 0;
        std::map<std::string, access::ByteSet> now;
        for (const auto& [tensor, operand] : operands) {
            access::ByteSet& all = now[tensor];
            WaveOperand row{tensor,
                            operand.reads && operand.writes ? "read and written"
                            : operand.writes                ? "written"
                                                            : "read",
                            0, 0, operand.is_at_most};
            for (const bool writes : {false, true}) {
                std::map<const Shared*, std::int64_t> times;
                for (const Turn& work : works)
                    ++times[&bytes_of_turn(tensor, writes, work)];
                access::ByteSet these;
                for (const auto& [shared, count] : times) {
                    row.requested += static_cast<double>(shared->size * count);
                    read += writes ? 0 : static_cast<double>(shared->size * count);
                    these.insert(these.end(), shared->bytes.begin(), shared->bytes.end());
                }
                access::unite(these);
                if (!writes) {
                    const auto before = m_before.find(tensor);
                    const double kept = before == m_before.end() ? 0 : overlap(these, before->second);
                    from_memory += static_cast<double>(access::bytes_of(these)) - kept;
                    wave.reused += kept;
                }
                all.insert(all.end(), these.begin(), these.end());
            }
            access::unite(all);
            row.distinct = static_cast<double>(access::bytes_of(all));
            wave.requested += row.requested, wave.distinct += row.distinct;
            wave.operands.push_back(std::move(row));
        }
        wave.blocks = static_cast<std::int64_t>(works.size());
        // What the wave before has touched is there while both fit.
        const auto l2 = static_cast<double>(m_out.l2_bytes);
        if (wave.reused > 0 && wave.distinct + m_bytes_before - wave.reused > l2)
            from_memory += std::exchange(wave.reused, 0);
        wave.hits = read > 0 ? (read - from_memory) / read : 0;
        m_out.requested += wave.requested, m_out.distinct += wave.distinct - wave.reused;
        m_out.hits += read > 0 ? read - from_memory : 0; // a sum, until all are there
        m_bytes_before = wave.distinct;
        m_read += read;
        m_before = std::move(now);
        m_out.waves.push_back(std::move(wave));
    }

    void add_tiles(std::int64_t number, const std::vector<Turn>& works, std::int64_t row) {
        const access::FootprintPart* part = written();
        for (const Turn& work : works) {
            const Block block = block_at(work.block);
            if (!part || row <= 0) {
                m_tiles.push_back({block[1] + m_grid[1] * block[2], block[0], number});
                continue;
            }
            const Shared& shared = bytes_of_turn(part->tensor, true, work);
            if (!shared.bytes.empty())
                m_tiles.push_back({shared.bytes.front().begin / row, shared.bytes.front().begin % row, number});
        }
    }

    // Tiles by where they begin.
    void fill_grid() {
        std::vector<std::int64_t> rows, columns;
        for (const Tile& tile : m_tiles)
            rows.push_back(tile.row), columns.push_back(tile.column);
        for (std::vector<std::int64_t>* each : {&rows, &columns}) {
            std::ranges::sort(*each);
            each->erase(std::unique(each->begin(), each->end()), each->end());
        }
        m_out.rows = static_cast<std::int64_t>(rows.size()), m_out.columns = static_cast<std::int64_t>(columns.size());
        const auto shown = [](std::int64_t count) { return static_cast<std::size_t>(std::min(count, most_tiles)); };
        m_out.grid.assign(shown(m_out.rows), std::vector<std::int64_t>(shown(m_out.columns), 0));
        for (const Tile& tile : m_tiles) {
            const auto r = static_cast<std::size_t>(std::ranges::lower_bound(rows, tile.row) - rows.begin());
            const auto c = static_cast<std::size_t>(std::ranges::lower_bound(columns, tile.column) - columns.begin());
            if (r < m_out.grid.size() && c < m_out.grid[r].size() && m_out.grid[r][c] == 0)
                m_out.grid[r][c] = tile.wave;
        }
    }

    const access::FootprintPart* written() const {
        const auto found = std::ranges::find_if(m_footprint.parts, &access::FootprintPart::writes);
        return found == m_footprint.parts.end() ? nullptr : &*found;
    }

    double read() const { return m_read; } // bytes, by all waves so far

private:
    struct Shared { // what some blocks touch, all the same of a tensor
        access::ByteSet bytes;
        std::int64_t size = 0;
    };
    struct Operand {
        bool reads = false, writes = false, is_at_most = false;
    };
    Block block_at(std::int64_t linear) const {
        return {linear % m_grid[0], linear / m_grid[0] % m_grid[1], linear / m_grid[0] / m_grid[1]};
    }

    // A loop that is the outermost one around all that blocks touch, and that moves what they write.
    void find_rounds() {
        bool is_moved = false;
        for (const access::FootprintPart& part : m_footprint.parts) {
            if (part.loops.empty() || (!m_rounds_of.empty() && part.loops.front().variable != m_rounds_of)) {
                m_rounds_of.clear();
                return;
            }
            m_rounds_of = part.loops.front().variable;
            m_rounds = std::max(m_rounds, part.loops.front().begin + part.loops.front().count);
            is_moved = is_moved || (part.writes && (part.loops.front().begin > 0 || part.loops.front().count > 1));
        }
        if (!is_moved)
            m_rounds_of.clear(), m_rounds = 1;
    }

    const Shared& bytes_of_turn(const std::string& tensor, bool writes, const Turn& work) {
        const Block block = block_at(work.block);
        std::vector<std::uint64_t> keys;
        std::vector<const access::FootprintPart*> parts;
        for (const access::FootprintPart& part : m_footprint.parts)
            if (part.tensor == tensor && part.writes == writes && part.has(block)) {
                keys.push_back(access::key_of(part, block, work.round));
                parts.push_back(&part);
            }
        std::ranges::sort(keys);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        const auto [at, is_new] = m_known.try_emplace(std::move(keys));
        if (is_new) {
            for (const access::FootprintPart* part : parts)
                access::add_bytes(*part, block, work.round, at->second.bytes);
            access::unite(at->second.bytes);
            at->second.size = access::bytes_of(at->second.bytes);
        }
        return at->second;
    }

    const access::Footprint& m_footprint;
    const Block m_grid;
    WavesView& m_out;
    std::string m_rounds_of;
    std::int64_t m_rounds = 1;
    std::map<std::vector<std::uint64_t>, Shared> m_known;
    std::map<std::string, access::ByteSet> m_before; // of each tensor, that the wave before has touched
    double m_bytes_before = 0, m_read = 0;
    struct Tile {
        std::int64_t row = 0, column = 0, wave = 0;
    };
    std::vector<Tile> m_tiles;
};

} // namespace

std::string name_of_loop(const std::string& variable) {
    constexpr std::string_view suffix = "_trip";
    return variable.ends_with(suffix) ? variable.substr(0, variable.size() - suffix.size()) : variable;
}

WavesView waves_of(const ir::Module& module, const ir::Function& kernel, const ir::Module& script,
                   const SymbolValues& sizes, const artifact::TargetSpec& target, const KernelCost& cost,
                   const std::atomic<bool>* cancelled) {
    WavesView out;
    out.l2_bytes = target.l2_bytes;
    out.blocks = cost.grid[0] * cost.grid[1] * cost.grid[2];
    if (!cost.occupancy || !cost.occupancy->impossible.empty() || out.blocks <= 0 || cost.occupancy->blocks <= 0) {
        out.unknown = out.blocks <= 0 ? "the grid is not known" : "no block fits the GPU";
        return out;
    }
    out.multiprocessors = target.multiprocessors, out.of_each = cost.occupancy->blocks;
    out.resident = out.multiprocessors * out.of_each;
    if (out.resident <= 0) {
        out.unknown = "how many multiprocessors the GPU has is not known";
        return out;
    }

    const std::int64_t waves = (out.blocks + out.resident - 1) / out.resident;
    std::vector<std::int64_t> numbers;
    for (std::int64_t wave = 0; wave < waves; ++wave)
        if (numbers.size() + 1 < most_waves || wave == waves - 1)
            numbers.push_back(wave);
    access::FootprintRequest request;
    request.cancelled = cancelled;
    for (std::int64_t wave : numbers)
        for (std::int64_t b = wave * out.resident; b < std::min((wave + 1) * out.resident, out.blocks); ++b)
            request.blocks.push_back(b);
    const access::Footprint footprint = access::footprint_of(module, kernel, sizes, request);
    for (const std::string& tensor : footprint.unknown)
        out.left_out.push_back(tensor.empty() ? "memory that has no name" : tensor);
    Waves all(footprint, {cost.grid[0], cost.grid[1], cost.grid[2]}, out);
    const bool has_rounds = waves == 1 && !all.rounds_of().empty() && all.rounds() > 1;
    if (has_rounds)
        out.rounds_of = name_of_loop(all.rounds_of());
    out.count = has_rounds ? all.rounds() : waves;

    if (footprint.is_cut_short)
        out.left_out = {"all, whose blocks take too long to follow"};
    const access::FootprintPart* written = all.written();
    const std::int64_t row = !written                                            ? 0
                             : written->box && written->box->strides.size() == 2 ? written->box->strides[1]
                             : written->box                                      ? 0
                                            : row_bytes(kernel, script, written->tensor, sizes);
    out.grid_of = written && row > 0 ? written->tensor : "";
    const auto works_of = [&](std::int64_t wave) {
        std::vector<Turn> works;
        const std::int64_t first = has_rounds ? 0 : wave * out.resident;
        for (std::int64_t b = first; b < std::min(first + out.resident, out.blocks); ++b)
            if (const Turn work{b, has_rounds ? wave : -1}; !has_rounds || all.has_work(work))
                works.push_back(work);
        return works;
    };
    if (has_rounds) {
        numbers.clear();
        for (std::int64_t round = 0; round < out.count; ++round)
            if (numbers.size() + 1 < most_waves || round == out.count - 1)
                numbers.push_back(round);
    }
    for (std::int64_t number : numbers) {
        const std::vector<Turn> works = works_of(number);
        all.add_tiles(number + 1, works, row);
        all.add_wave(number + 1, works);
        out.last = static_cast<double>(works.size()) / static_cast<double>(has_rounds ? out.blocks : out.resident);
    }
    out.hits = all.read() > 0 ? out.hits / all.read() : 0;
    all.fill_grid();
    // All but the last wave are full, so what is idle is idle in it.
    out.lost = (1 - out.last) / static_cast<double>(out.count);
    if (cost.predicted_seconds > 0 && out.lost > 0)
        out.lost_seconds = cost.predicted_seconds * out.lost;
    return out;
}

} // namespace hidet::perf
