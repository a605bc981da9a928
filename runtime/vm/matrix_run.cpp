// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/matrix_run.h"

#include <algorithm>

#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

constexpr std::size_t most_right = 16; // b of a run, which are kept spread
constexpr int lines_of_lefts = 16;     // of copies under way, which the cache is asked for while two a are multiplied

using RegisterRow = std::vector<std::int32_t>;

bool is_jumped_to(const Function& function, std::uint32_t pc) {
    return std::ranges::any_of(function.code, [&](const Instr& i) {
        return artifact::info(i.op).operands[8] == 't' && i.x == static_cast<std::int32_t>(pc);
    });
}

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
bool add_product_to(MatrixRun& run, const ProductOperands& product, RegisterRow& written) {
    if (have_common(written, product.sums) || have_common(written, product.a) || have_common(written, product.b))
        return false;
    auto right = std::ranges::find(run.right, product.b);
    if (right == run.right.end() && run.right.size() == most_right)
        return false;
    const auto row = static_cast<int>(right - run.right.begin());
    if (right == run.right.end())
        run.right.push_back(product.b);
    auto left = std::ranges::find(run.left, product.a, &MatrixRun::Left::registers);
    if (left == run.left.end())
        left = run.left.insert(left, {product.a, {}, {}, {}});
    left->right.push_back(row);
    left->sums.insert(left->sums.end(), product.sums.begin(), product.sums.end());
    written.insert(written.end(), product.sums.begin(), product.sums.end());
    return true;
}

} // namespace

MatrixRun find_matrix_run(const Program& program, const Function& function, std::uint32_t pc, bool is_alone) {
    const auto name_at = [&](std::uint32_t at) {
        const std::int32_t row = function.code[at].x;
        return function.operands[static_cast<std::size_t>(row)].text;
    };
    MatrixRun run;
    run.shape = find_mma(program.strings[static_cast<std::size_t>(name_at(pc))]);
    if (!run.shape)
        return run;
    RegisterRow written;
    add_product_to(run, product_operands(function, function.code[pc], *run.shape), written);
    for (std::uint32_t at = pc + 1; !is_alone && at < function.code.size(); ++at, ++run.steps) {
        const Instr& i = function.code[at];
        if (i.op != Op::Mma || name_at(at) != name_at(pc) || is_jumped_to(function, at) ||
            !add_product_to(run, product_operands(function, i, *run.shape), written))
            break;
    }
    return run;
}

// The instructions of the run that follow count as if each had been dispatched.
void Block::pass_over_run(Group& group, const MatrixRun& run) {
    for (std::uint32_t i = 1; i < run.steps; ++i) {
        const Step& step = m_context.code->steps[group.pc++];
        if (step.is_tracked)
            track(group, step);
    }
    count_more(group, run.steps - 1);
}

void Block::multiply(Group& group, const Step& step) {
    check_whole_warps(group, "a matrix product");
    m_matrix_runs.resize(m_function.code.size());
    std::unique_ptr<MatrixRun>& known = m_matrix_runs[group.pc - 1];
    if (!known) {
        known = std::make_unique<MatrixRun>(
            find_matrix_run(*m_context.program, m_function, group.pc - 1, !m_counters.empty()));
        for (MatrixRun::Left& left : known->left)
            for (std::int32_t r : left.sums)
                left.at.push_back(reinterpret_cast<std::uint32_t*>(lanes(r)));
    }
    const MatrixRun& run = *known;
    if (!run.shape) {
        const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
        fail(group, FindingKind::BadCall, -1,
             "uses the unknown matrix instruction '" + m_context.program->strings[static_cast<std::size_t>(row.text)] +
                 "'");
    }
    pass_over_run(group, run);
    for (int w = 0; w < m_warps; ++w)
        if (group.active.warp(w))
            multiply_warp(run, w);
    const MmaShape& shape = *run.shape;
    add_flops(group, 2ull * static_cast<std::uint64_t>(shape.m * shape.n * shape.k) * run.steps *
                         static_cast<std::uint64_t>(group.running / 32));
    for (const MatrixRun::Left& left : run.left)
        for (std::int32_t r : left.sums)
            written(group, r);
}

void Block::multiply_warp(const MatrixRun& run, int w) {
    const MmaShape& shape = *run.shape;
    const auto words = [&](std::int32_t r) { return reinterpret_cast<std::uint32_t*>(lanes(r)) + 32 * w; };
    std::uint32_t* const spread = spread_operands();
    const auto right = [&](int row) { return spread + mma_a_words + row * mma_b_words; };
    const std::uint32_t* operands[8];
    for (std::size_t i = 0; i < run.right.size(); ++i) {
        std::ranges::transform(run.right[i], operands, words);
        m_table.spread_mma_b(shape, operands, right(static_cast<int>(i)));
    }
    const void* of_tiles[most_right];
    for (const MatrixRun::Left& left : run.left) {
        std::ranges::transform(left.registers, operands, words);
        m_table.spread_mma_a(shape, operands, spread);
        if ((&left - run.left.data()) % 2 == 0)
            ask_ahead(lines_of_lefts);
        for (std::size_t first = 0; first < left.right.size(); first += most_right) {
            const std::size_t tiles = std::min(left.right.size() - first, most_right);
            for (std::size_t t = 0; t < tiles; ++t)
                of_tiles[t] = right(left.right[first + t]);
            m_table.mma(shape, left.at.data() + first * static_cast<std::size_t>(shape.c_registers),
                        static_cast<std::size_t>(32 * w), spread, of_tiles, static_cast<int>(tiles));
        }
    }
}

// Memory for what is spread of an a, and of as many b as a run or a product of a warp group has.
std::uint32_t* Block::spread_operands() {
    constexpr std::size_t most_tiles = 32, words = mma_a_words + most_tiles * mma_b_words;
    if (m_spread.empty())
        m_spread.resize(words + 16);
    const auto at = reinterpret_cast<std::uintptr_t>(m_spread.data());
    return m_spread.data() + (64 - at % 64) % 64 / sizeof(std::uint32_t);
}

} // namespace hidet::vm
