// SPDX-License-Identifier: Apache-2.0
// A variable of a thread that one region alone knows stays what it is. One that several know is an array over the threads of
// the block, or over the lanes of the warp where only regions of a warp know it; a region takes a copy of its own element and
// puts it back, so that compilers keep it in registers, but not of what has an address. An array of a thread has rows in an
// array over threads, and is copied where a loop goes over the same elements again and again.
#include "compiler/transform/thread_loops.h"

#include <algorithm>

#include "compiler/analysis/launch_bounds.h"
#include "compiler/ir/family.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/live_across_barriers.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::int64_t most_threads = 1024;             // of a block
constexpr std::int64_t most_dynamic_bytes = 227 * 1024; // of shared memory

// The thread that a region is written for.
struct ThreadPlace {
    ExprRef linear;                // its number in the block
    std::array<ExprRef, 3> thread; // threadIdx
    ExprRef lane;                  // the index into arrays over the lanes of a warp; null outside of a warp
};

class LoopWriter {
public:
    LoopWriter(const Plan& plan, const LaunchShape& shape, const Uses& uses, PassId pass)
        : m_plan(plan), m_shape(shape), m_pass(pass), m_extent(extents(shape)), m_threads(threads_in(m_extent)),
          m_kept(plan, uses, threads_kept()) {}

    StmtRef run() {
        StmtVec body;
        const StmtVec blocks = block_indices();
        StmtVec loops = write(m_plan.regions, nullptr);
        body.insert(body.end(), blocks.begin(), blocks.end());
        for (StmtRef& declare : memory())
            body.push_back(std::move(declare));
        body.insert(body.end(), loops.begin(), loops.end());
        StmtRef parallel =
            make_for(m_block, blocks_in_grid(), {LoopAttr::What::Parallel, 0}, make_seq(std::move(body)));
        if (m_threads)
            return parallel;
        return make_seq({make_assert(less_equal(threads(), int_constant(most_threads)),
                                     cat("a block has at most ", most_threads, " threads")),
                         parallel});
    }

private:
    using Extents = std::array<std::optional<std::int64_t>, 3>;
    static Extents extents(const LaunchShape& shape) {
        return {constant_int(shape.block[0]), constant_int(shape.block[1]), constant_int(shape.block[2])};
    }
    static std::optional<std::int64_t> threads_in(const Extents& extent) {
        if (!extent[0] || !extent[1] || !extent[2])
            return std::nullopt;
        return *extent[0] * *extent[1] * *extent[2];
    }

    // ---- the launch -----------------------------------------------------------------------------------------------

    static ExprRef wide(const ExprRef& number) { return cast_to(number, DType::I64); }
    ExprRef blocks_in_grid() const {
        return mul(mul(wide(m_shape.grid[0]), wide(m_shape.grid[1])), wide(m_shape.grid[2]));
    }
    StmtVec block_indices() {
        ExprRef rest = m_block;
        StmtVec lets;
        constexpr const char* names[] = {"block_x", "block_y", "block_z"};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const ExprRef extent = wide(m_shape.grid[axis]);
            const bool is_last = axis == 2 || (axis == 1 && is_constant(m_shape.grid[2], 1)) ||
                                 (is_constant(m_shape.grid[1], 1) && is_constant(m_shape.grid[2], 1));
            if (is_constant(extent, 1)) {
                m_block_index[axis] = int_constant(0);
                continue;
            }
            VarRef index = make_var(names[axis], data_type(DType::I32));
            lets.push_back(make_let_stmt(index, cast_to(is_last ? rest : truncating_mod(rest, extent), DType::I32)));
            m_block_index[axis] = index;
            rest = div(rest, extent);
        }
        return lets;
    }
    ExprRef threads() const {
        return m_threads ? int_constant(*m_threads) : mul(mul(m_shape.block[0], m_shape.block[1]), m_shape.block[2]);
    }
    // Whole warps, so that what a lane that is not there would give can be read.
    std::int64_t threads_kept() const {
        return (m_threads.value_or(most_threads) + warp_threads - 1) / warp_threads * warp_threads;
    }

    StmtVec memory() {
        StmtVec declares;
        for (const StmtRef& shared : m_plan.shared)
            declares.push_back(shared_array(*as<DeclareStmt>(shared)));
        declares.insert(declares.end(), m_shared.begin(), m_shared.end());
        if (m_dynamic)
            declares.push_back(make_declare(m_dynamic));
        declares.insert(declares.end(), m_of_block.begin(), m_of_block.end());
        return declares;
    }
    StmtRef shared_array(const DeclareStmt& shared) const {
        StmtRef declare = make_declare(shared.var);
        set_origin(declare, shared.origin);
        return declare;
    }

    // ---- regions --------------------------------------------------------------------------------------------------

    bool is_row() const { return m_extent[1] == 1 && m_extent[2] == 1; }

    // `warp`: the number of the warp that they are of; null: of the block.
    StmtVec write(const std::vector<Region>& regions, const ExprRef& warp) {
        StmtVec stmts;
        for (const Region& region : regions)
            write(region, warp, stmts);
        return stmts;
    }
    void write(const Region& region, const ExprRef& warp, StmtVec& stmts) {
        switch (region.kind) {
        case Region::Kind::Threads: return stmts.push_back(threads_of(region, warp));
        case Region::Kind::Warps: return stmts.push_back(warps(region));
        case Region::Kind::Tally: return tally(region, warp, stmts);
        case Region::Kind::Once:
            return control(*region.stmt, *region.stmt, warp, stmts,
                           [&](KeptRewriter& rewriter) { return rewriter.rewrite(region.stmt); });
        case Region::Kind::For: {
            const auto& loop = *as<ForStmt>(region.stmt);
            return control(loop, *loop.extent, warp, stmts, [&](KeptRewriter& rewriter) {
                ExprRef extent = rewriter.rewrite(loop.extent);
                return make_for(loop.var, extent, loop.attr, make_seq(write(region.body, warp)));
            });
        }
        case Region::Kind::While: return repeat(region, warp, stmts);
        case Region::Kind::If: {
            const auto& branch = *as<IfStmt>(region.stmt);
            return control(branch, *branch.condition, warp, stmts, [&](KeptRewriter& rewriter) {
                ExprRef condition = rewriter.rewrite(branch.condition);
                StmtVec otherwise = write(region.otherwise, warp);
                return make_if(condition, make_seq(write(region.body, warp)),
                               otherwise.empty() ? nullptr : make_seq(std::move(otherwise)));
            });
        }
        }
    }

    // What all threads do together, said with the variables of the first of them; `asks` is what is evaluated.
    template <class F>
    void control(const Stmt& stmt, const Node& asks, const ExprRef& warp, StmtVec& stmts, F&& f) {
        KeptRewriter rewriter = rewriter_at(first_of(warp));
        rewriter.bring_lets(asks, stmts);
        StmtRef written = f(rewriter);
        set_origin(written, {stmt.origin.span, m_pass});
        stmts.push_back(std::move(written));
    }
    // The condition needs lets of its own in every trip.
    void repeat(const Region& region, const ExprRef& warp, StmtVec& stmts) {
        const auto& loop = *as<WhileStmt>(region.stmt);
        StmtVec body;
        KeptRewriter rewriter = rewriter_at(first_of(warp));
        rewriter.bring_lets(*loop.condition, body);
        ExprRef condition = rewriter.rewrite(loop.condition);
        const bool is_plain = body.empty();
        if (!is_plain)
            body.push_back(make_if(logical_not(condition), make_break()));
        StmtVec inner = write(region.body, warp);
        body.insert(body.end(), inner.begin(), inner.end());
        StmtRef written = make_while(is_plain ? condition : bool_constant(true), make_seq(std::move(body)));
        set_origin(written, {loop.origin.span, m_pass});
        stmts.push_back(std::move(written));
    }

    StmtRef warps(const Region& region) {
        const ExprRef count = div(add(threads(), int_constant(warp_threads - 1)), int_constant(warp_threads));
        const bool is_one = is_constant(count, 1);
        VarRef warp = make_var("warp", data_type(DType::I32));
        StmtVec outer = std::exchange(m_of_warp, {});
        StmtVec body = write(region.body, is_one ? int_constant(0) : ExprRef(warp));
        body.insert(body.begin(), m_of_warp.begin(), m_of_warp.end());
        m_of_warp = std::move(outer);
        return is_one ? make_seq(std::move(body)) : make_for(warp, count, {}, make_seq(std::move(body)));
    }

    StmtRef threads_of(const Region& region, const ExprRef& warp) {
        return over_threads(warp, [&](const ThreadPlace& place) {
            StmtVec body;
            KeptRewriter rewriter = rewriter_at(place);
            for (const StmtRef& stmt : region.stmts)
                rewriter.bring_lets(*stmt, body);
            rewriter.write(region, body);
            for (StmtRef& shared : rewriter.shared)
                m_shared.push_back(shared_array(*as<DeclareStmt>(shared)));
            if (!region.guard)
                return make_seq(std::move(body));
            return make_if(rewriter.rewrite(ExprRef(region.guard)), make_seq(std::move(body)));
        });
    }

    void tally(const Region& region, const ExprRef& warp, StmtVec& stmts) {
        const bool is_of_warp = warp != nullptr;
        const bool counts_no =
            region.vote->id == IntrinsicId::AllSync || region.vote->id == IntrinsicId::SyncThreadsAnd;
        const DType dtype = is_of_warp ? DType::U32 : DType::I32;
        stmts.push_back(make_declare(region.var, int_constant(0, dtype)));
        StmtRef loop = over_threads(warp, [&](const ThreadPlace& place) {
            KeptRewriter rewriter = rewriter_at(place);
            ExprRef says = rewriter.rewrite(ExprRef(region.given));
            if (counts_no)
                says = logical_not(says);
            if (region.guard)
                says = logical_and(rewriter.rewrite(ExprRef(region.guard)), says);
            ExprRef one = int_constant(1, dtype);
            ExprRef sum =
                is_of_warp ? bit_or(region.var, shift_left(one, cast_to(place.lane, dtype))) : add(region.var, one);
            return make_if(says, make_assign(region.var, sum));
        });
        stmts.push_back(std::move(loop));
        set_origin(stmts.back(), {region.stmt->origin.span, m_pass});
        set_origin(stmts[stmts.size() - 2], {region.stmt->origin.span, m_pass});
    }

    // ---- places ---------------------------------------------------------------------------------------------------

    static std::array<ExprRef, 3> thread_at(const ExprRef& linear, const LaunchShape& shape, bool is_row) {
        if (is_row)
            return {linear, int_constant(0), int_constant(0)};
        return {truncating_mod(linear, shape.block[0]), truncating_mod(div(linear, shape.block[0]), shape.block[1]),
                div(linear, mul(shape.block[0], shape.block[1]))};
    }
    ThreadPlace first_of(const ExprRef& warp) const {
        const ExprRef linear = warp ? mul(warp, int_constant(warp_threads)) : int_constant(0);
        return {linear, thread_at(linear, m_shape, is_row()), warp ? int_constant(0) : nullptr};
    }

    template <class F>
    StmtRef over_threads(const ExprRef& warp, F&& body) {
        if (warp) {
            VarRef lane = make_var("lane", data_type(DType::I32));
            const ExprRef first = mul(warp, int_constant(warp_threads));
            const bool are_whole = m_threads && *m_threads % warp_threads == 0;
            ExprRef count = int_constant(warp_threads);
            if (!are_whole)
                count = math(IntrinsicId::Min, {count, sub(threads(), first)});
            const ExprRef linear = add(first, lane);
            StmtRef inner = body(ThreadPlace{linear, thread_at(linear, m_shape, is_row()), lane});
            return make_for(lane, count, {}, std::move(inner));
        }
        VarRef index[3];
        std::array<ExprRef, 3> thread;
        constexpr const char* names[] = {"thread_x", "thread_y", "thread_z"};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            index[axis] = make_var(is_row() ? "thread" : names[axis], data_type(DType::I32));
            thread[axis] = m_extent[axis] == 1 ? int_constant(0) : ExprRef(index[axis]);
        }
        const ExprRef row = add(mul(thread[2], m_shape.block[1]), thread[1]);
        StmtRef loop = body(ThreadPlace{add(mul(row, m_shape.block[0]), thread[0]), thread, nullptr});
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (m_extent[axis] != 1)
                loop = make_for(index[axis], m_shape.block[axis], {}, std::move(loop));
        return loop;
    }

    KeptRewriter rewriter_at(const ThreadPlace& place) {
        KeptRewriter rewriter(m_pass, m_kept, m_plan);
        rewriter.linear = place.linear;
        rewriter.lane = place.lane;
        rewriter.of_block = &m_of_block;
        rewriter.of_warp = &m_of_warp;
        rewriter.dynamic_memory = [this] { return dynamic_memory(); };
        for (std::size_t axis = 0; axis < 3; ++axis) {
            rewriter.builtins[thread_builtins[axis]] = place.thread[axis];
            rewriter.builtins[block_builtins[axis]] = m_block_index[axis];
            rewriter.builtins[block_dim_builtins[axis]] = m_shape.block[axis];
            rewriter.builtins[grid_dim_builtins[axis]] = m_shape.grid[axis];
        }
        rewriter.builtins[Builtin::ClusterThreadRank] = place.linear;
        rewriter.builtins[Builtin::ClusterBlockRank] = int_constant(0);
        rewriter.builtins[Builtin::ClusterDimThreads] = threads();
        rewriter.builtins[Builtin::ClusterDimBlocks] = int_constant(1);
        return rewriter;
    }
    VarRef dynamic_memory() {
        if (!m_dynamic) {
            const auto bytes = constant_int(m_shape.dynamic_bytes);
            const std::int64_t count =
                bytes ? std::clamp<std::int64_t>(*bytes, 64, most_dynamic_bytes) : most_dynamic_bytes;
            m_dynamic = make_var("dynamic_shared", tensor_type(data_type(DType::U8), {int_constant(count)}));
        }
        return m_dynamic;
    }

    const Plan& m_plan;
    const LaunchShape& m_shape;
    const PassId m_pass;
    const Extents m_extent;
    const std::optional<std::int64_t> m_threads; // of a block
    const KeptVariables m_kept;
    const VarRef m_block = make_var("block", data_type(DType::I64));
    std::array<ExprRef, 3> m_block_index;
    VarRef m_dynamic;
    StmtVec m_shared, m_of_block, m_of_warp; // declarations
};

} // namespace

StmtRef thread_loops(const Plan& plan, const LaunchShape& shape, const Uses& uses, PassId pass) {
    return LoopWriter(plan, shape, uses, pass).run();
}

} // namespace hidet::compiler
