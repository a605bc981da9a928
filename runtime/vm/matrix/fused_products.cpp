// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/matrix/fused_products.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "runtime/vm/block.h"
#include "runtime/vm/checks/live.h"

namespace hidet::vm {

namespace {

constexpr std::size_t most_operands = 16; // a, and b, of a run, which are kept spread
constexpr std::size_t most_shared = 8192; // words of those of all warps, which have to stay in the cache
constexpr int lines_of_left = 8;          // of copies under way, which the cache is asked for while an a is multiplied

using RegisterRow = std::vector<std::int32_t>;

bool have_common(const RegisterRow& a, const RegisterRow& b) {
    return std::ranges::any_of(a, [&](std::int32_t r) { return std::ranges::find(b, r) != b.end(); });
}

struct ProductOperands {
    RegisterRow sums, a, b;
};

ProductOperands product_operands(const Function& function, const Instr& i, const MmaShape& shape) {
    const RegisterRow& items = function.operands[static_cast<std::size_t>(i.x)].items;
    const auto a = items.begin() + shape.c_registers, b = a + shape.a_registers;
    return {{items.begin(), a}, {a, b}, {b, b + shape.b_registers}};
}

// False: it has to wait for one before it, or there is no room.
bool add_product_to(FusedProducts& run, const ProductOperands& product, RegisterRow& written) {
    if (have_common(written, product.sums) || have_common(written, product.a) || have_common(written, product.b))
        return false;
    auto right = std::ranges::find(run.right, product.b, &FusedProducts::Operand::registers);
    const auto has_a = [&](const FusedProducts::Left& left) { return left.a.registers == product.a; };
    auto left = std::ranges::find_if(run.left, has_a);
    if ((right == run.right.end() && run.right.size() == most_operands) ||
        (left == run.left.end() && run.left.size() == most_operands))
        return false;
    const auto row = static_cast<int>(right - run.right.begin());
    if (right == run.right.end())
        run.right.push_back({product.b});
    if (left == run.left.end())
        left = run.left.insert(left, FusedProducts::Left{.a = {.registers = product.a, .is_a = true}});
    left->right.push_back(row);
    left->sums.insert(left->sums.end(), product.sums.begin(), product.sums.end());
    written.insert(written.end(), product.sums.begin(), product.sums.end());
    return true;
}

} // namespace

FusedProducts find_fused_products(const Program& program, const Function& function, std::uint32_t pc, bool is_alone) {
    const auto name_at = [&](std::uint32_t at) {
        const std::int32_t row = function.code[at].x;
        return function.operands[static_cast<std::size_t>(row)].text;
    };
    FusedProducts run;
    run.shape = find_mma(program.strings[static_cast<std::size_t>(name_at(pc))]);
    if (!run.shape)
        return run;
    const std::vector<bool> targets = jump_targets(function);
    RegisterRow written;
    add_product_to(run, product_operands(function, function.code[pc], *run.shape), written);
    for (std::uint32_t at = pc + 1; !is_alone && at < function.code.size(); ++at, ++run.steps) {
        const Instr& i = function.code[at];
        if (i.op != Op::Mma || name_at(at) != name_at(pc) || targets[at] ||
            !add_product_to(run, product_operands(function, i, *run.shape), written))
            break;
    }
    for (FusedProducts::Left& left : run.left) {
        std::vector<int> each(run.right.size());
        std::iota(each.begin(), each.end(), 0);
        left.has_each_right = left.right == each;
    }
    return run;
}

std::uint32_t find_follower(const Program& program, const Code& code, const FusedProducts& run, std::uint32_t pc) {
    RegisterRow sums;
    for (const FusedProducts::Left& left : run.left)
        sums.insert(sums.end(), left.sums.begin(), left.sums.end());
    const auto is_sum = [&](std::int32_t r) { return std::ranges::find(sums, r) != sums.end(); };
    const auto is_same = [](const FusedProducts::Left& a, const FusedProducts::Left& b) {
        return a.sums == b.sums && a.right == b.right;
    };
    for (std::uint32_t at = pc + run.steps; at < code.steps.size(); ++at) {
        const Step& step = code.steps[at];
        if (step.op == Op::Mma) {
            const FusedProducts next = find_fused_products(program, *code.function, at, false);
            return next.shape == run.shape && std::ranges::equal(next.left, run.left, is_same) ? at : 0;
        }
        bool is_apart = step.is_vector || step.is_scalar || step.op == Op::Address || step.op == Op::LdMatrix;
        for_each_register(*code.function, step.instr, [&](std::int32_t r, Role) { // or a pair of them
            is_apart = is_apart && !is_sum(r) && !is_sum(r + 1);
        });
        if (!is_apart)
            return 0;
    }
    return 0;
}

// The instructions of the run that follow count as if each had been dispatched.
void MatrixUnit::pass_over_run(Group& group, const FusedProducts& run) {
    for (std::uint32_t i = 1; i < run.steps; ++i) {
        const Step& step = m_context.code->steps[group.pc++];
        if (step.is_tracked)
            m_block.init.track(group, step);
    }
    m_block.count_more(group, run.steps - 1);
}

void MatrixUnit::multiply(Group& group, const Step& step) {
    m_block.barriers.check_complete_warps(group, "a matrix product");
    m_fused_products.resize(m_function.code.size());
    std::unique_ptr<FusedProducts>& known = m_fused_products[group.pc - 1];
    if (!known) {
        known = std::make_unique<FusedProducts>(
            find_fused_products(*m_context.program, m_function, group.pc - 1, m_counts));
        const auto words = [&](std::int32_t r) { return reinterpret_cast<std::uint32_t*>(lanes(r)); };
        const auto place = [&](FusedProducts::Operand& operand) {
            std::ranges::transform(operand.registers, std::back_inserter(operand.at), words);
        };
        std::ranges::for_each(known->right, place);
        for (FusedProducts::Left& left : known->left) {
            place(left.a);
            std::ranges::transform(left.sums, std::back_inserter(left.at), words);
        }
        if (known->shape && !m_counts)
            known->follower = find_follower(*m_context.program, *m_context.code, *known, group.pc - 1);
    }
    FusedProducts& run = *known;
    if (!run.shape) {
        const artifact::Operands& row = operands_of(step);
        fail(group, FindingKind::BadCall, -1, "uses the unknown matrix instruction '" + string_at(row.text) + "'");
    }
    pass_over_run(group, run);
    multiply_run(group, run, warp_bits(group.active));
    const MmaShape& shape = *run.shape;
    m_block.add_flops(group, 2ull * static_cast<std::uint64_t>(shape.m * shape.n * shape.k) * run.steps *
                                 static_cast<std::uint64_t>(group.running / 32));
    for (const FusedProducts::Left& left : run.left)
        for (std::int32_t r : left.sums)
            written(group, r);
}

static std::size_t spread_words(const FusedProducts& run, const FusedProducts::Operand& operand) {
    constexpr std::size_t a_of_k = 16, b_of_k = 8;
    return (operand.is_a ? a_of_k : b_of_k) * static_cast<std::size_t>(run.shape->k);
}

// What is known of how its registers were loaded.
void MatrixUnit::look_at_operand(const Group& group, FusedProducts::Operand& operand) const {
    const LoadedRegister* first = nullptr;
    bool is_one = true;
    for (std::size_t i = 0; i < operand.registers.size(); ++i) {
        const auto row = static_cast<std::size_t>(operand.registers[i]);
        const bool is_known = row < m_loaded.size() && m_loaded[row].version == group.versions[row];
        const LoadedRegister* const loaded = is_known ? &m_loaded[row] : nullptr;
        operand.deferred.at(i) = loaded && loaded->rows ? loaded : nullptr;
        first = i ? first : loaded;
        is_one = is_one && loaded && loaded->load == first->load;
    }
    operand.alike = is_one ? first->warps.data() : nullptr;
}

// Whether what is spread for all warps stays in the cache.
bool MatrixUnit::are_alike(const Group& group, FusedProducts& run, std::uint32_t warps) const {
    std::size_t words = 0;
    const auto add = [&](FusedProducts::Operand& operand) {
        look_at_operand(group, operand);
        std::uint32_t first = 0;
        for (std::uint32_t rest = operand.alike ? warps : 0; rest; rest &= rest - 1)
            first |= 1u << operand.alike[std::countr_zero(rest)];
        words += first ? static_cast<std::size_t>(std::popcount(first)) * spread_words(run, operand) : most_shared + 1;
    };
    std::ranges::for_each(run.right, add);
    for (FusedProducts::Left& left : run.left)
        add(left.a);
    return words <= most_shared;
}

void MatrixUnit::spread_warp(const MmaShape& shape, const FusedProducts::Operand& operand, std::size_t w,
                             std::uint32_t* out) {
    const std::uint32_t* registers[4] = {};
    const std::byte* const* tiles[4] = {};
    const bool is_turned = operand.deferred[0] && operand.deferred[0]->is_turned;
    bool are_tiles = true;
    for (std::size_t i = 0; i < operand.at.size(); ++i) {
        registers[i] = operand.at[i] + 32 * w;
        const LoadedRegister* const loaded = operand.deferred.at(i);
        are_tiles = are_tiles && loaded && loaded->is_turned == is_turned;
        tiles[i] = loaded ? loaded->rows->of_warp(static_cast<int>(w)) + 8 * loaded->tile : nullptr;
    }
    if (are_tiles)
        return (operand.is_a ? m_table.spread_tiles_a : m_table.spread_tiles_b)(shape, tiles, is_turned, out);
    for (std::size_t i = 0; i < operand.at.size(); ++i)
        if (tiles[i])
            m_table.gather_rows(tiles[i], 1, operand.deferred.at(i)->is_turned, operand.at[i] + 32 * w);
    (operand.is_a ? m_table.spread_mma_a : m_table.spread_mma_b)(shape, registers, out);
}

// Of so many warps; returns what is behind it.
std::uint32_t* MatrixUnit::spread_operand(const FusedProducts& run, FusedProducts::Operand& operand,
                                          std::uint32_t warps, std::uint32_t* next) {
    const std::uint8_t* const alike = std::has_single_bit(warps) ? nullptr : operand.alike;
    const std::size_t words = spread_words(run, operand);
    std::uint32_t done = 0; // warps
    for (std::uint32_t rest = warps; rest; rest &= rest - 1) {
        const auto w = static_cast<std::size_t>(std::countr_zero(rest)), first = alike ? alike[w] : w;
        if (!(done >> first & 1u)) {
            spread_warp(*run.shape, operand, w, next);
            operand.spread.at(first) = next;
            next += words;
            done |= 1u << first;
        }
        operand.spread.at(w) = operand.spread.at(first);
    }
    return next;
}

// Returns what is behind it.
std::uint32_t* MatrixUnit::spread_run(FusedProducts& run, std::uint32_t warps, std::uint32_t* next) {
    for (FusedProducts::Operand& b : run.right)
        next = spread_operand(run, b, warps, next);
    for (FusedProducts::Left& left : run.left)
        next = spread_operand(run, left.a, warps, next);
    return next;
}

// Whether what is spread of the second lies as that of the first does, so many words further on.
static bool lie_alike(const FusedProducts& first, const FusedProducts& second, std::uint32_t warps, std::size_t words) {
    const auto is_alike = [&](const FusedProducts::Operand& a, const FusedProducts::Operand& b) {
        for (std::uint32_t rest = warps; rest; rest &= rest - 1) {
            const auto w = static_cast<std::size_t>(std::countr_zero(rest));
            if (b.spread.at(w) != a.spread.at(w) + words)
                return false;
        }
        return true;
    };
    const auto has_a_alike = [&](const FusedProducts::Left& a, const FusedProducts::Left& b) {
        return is_alike(a.a, b.a);
    };
    return std::ranges::equal(first.right, second.right, is_alike) &&
           std::ranges::equal(first.left, second.left, has_a_alike);
}

void MatrixUnit::multiply_run(const Group& group, FusedProducts& run, std::uint32_t warps) {
    FusedProducts* const before = std::exchange(m_waiting_run, nullptr);
    std::uint32_t* const first = spread_operands();
    if (!are_alike(group, run, warps)) {
        if (before)
            multiply_spread(*before, warps, {});
        for (std::uint32_t rest = warps; rest; rest &= rest - 1) {
            spread_run(run, rest & -rest, first);
            multiply_spread(run, rest & -rest, {});
        }
        return;
    }
    const std::size_t words = before ? before->words : 0;
    run.words = static_cast<std::size_t>(spread_run(run, warps, first + words) - first);
    if (before && lie_alike(*before, run, warps, words))
        return multiply_spread(*before, warps, {2, words, words});
    if (before)
        multiply_spread(*before, warps, {});
    else if (run.follower)
        m_waiting_run = &run;
    if (!m_waiting_run)
        multiply_spread(run, warps, {});
}

void MatrixUnit::multiply_spread(const FusedProducts& run, std::uint32_t warps, const MmaParts& parts) {
    const MmaShape& shape = *run.shape;
    for (std::uint32_t rest = warps; rest; rest &= rest - 1) {
        const auto w = static_cast<std::size_t>(std::countr_zero(rest));
        const void* each[most_operands] = {};
        for (std::size_t i = 0; i < run.right.size(); ++i)
            each[i] = run.right[i].spread[w];
        for (const FusedProducts::Left& left : run.left) {
            m_block.bulk.ask_ahead(lines_of_left * parts.count);
            if (left.has_each_right) {
                m_table.mma(shape, left.at.data(), 32 * w, left.a.spread[w], each, static_cast<int>(run.right.size()),
                            parts);
                continue;
            }
            for (std::size_t first = 0; first < left.right.size(); first += most_operands) {
                const std::size_t tiles = std::min(left.right.size() - first, most_operands);
                const void* of_tiles[most_operands];
                for (std::size_t t = 0; t < tiles; ++t)
                    of_tiles[t] = each[left.right[first + t]];
                m_table.mma(shape, left.at.data() + first * static_cast<std::size_t>(shape.c_registers), 32 * w,
                            left.a.spread[w], of_tiles, static_cast<int>(tiles), parts);
            }
        }
    }
}

// Memory for what is spread of the operands of a run, or of all that the products of a chain have.
std::uint32_t* MatrixUnit::spread_operands() {
    constexpr std::size_t words = chain_a_words + ProductChain::most * most_columns * mma_b_words;
    static_assert(most_operands * (mma_a_words + mma_b_words) <= words && 2 * most_shared <= words);
    if (m_spread.empty())
        m_spread.resize(words + 16);
    const auto at = reinterpret_cast<std::uintptr_t>(m_spread.data());
    return m_spread.data() + (64 - at % 64) % 64 / sizeof(std::uint32_t);
}

} // namespace hidet::vm
