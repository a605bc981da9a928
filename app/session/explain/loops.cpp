// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/loops.h"

#include <algorithm>
#include <tuple>

#include "app/session/explain/access_view.h"
#include "app/session/explain/loop_rules.h"
#include "app/session/work/work.h"
#include "compiler/analysis/access/access_map.h"
#include "compiler/ir/rewrite.h"
#include "compiler/perf/waves.h"
#include "compiler/perf/work.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

constexpr std::size_t most_loops = 24;    // of a kernel that are looked at
constexpr std::int64_t most_unrolled = 8; // turns of a loop within another that count as a part of it

struct FoundLoop {
    const ir::ForStmt* loop = nullptr;
    std::int64_t trips = 0; // 0: not known
    std::int64_t turns = 0; // of a block: trips times those of the loops around it; 0: not known
    int depth = 0;
    bool is_inner = true;
};

class LoopFinder : public ir::Walker {
public:
    explicit LoopFinder(const SymbolValues& sizes) : m_sizes(sizes) {}
    std::vector<FoundLoop> found;

protected:
    using Walker::visit;
    void visit(const ir::ForStmt& loop) override {
        FoundLoop of{&loop, access::known_size(loop.extent, m_sizes).value_or(0), 0, m_depth, true};
        of.turns = m_turns * of.trips;
        const bool is_part = m_depth > 0 && of.trips > 0 && of.trips <= most_unrolled;
        const std::size_t at = found.size();
        if (!is_part && of.trips != 1) {
            if (m_open != no_loop)
                found[m_open].is_inner = false;
            found.push_back(of);
        }
        const std::int64_t turns = std::exchange(m_turns, of.turns);
        const std::size_t open = std::exchange(m_open, found.size() > at ? at : m_open);
        ++m_depth;
        walk_children(loop);
        --m_depth;
        m_turns = turns, m_open = open;
    }

    void visit(const ir::WhileStmt& loop) override { // nobody knows how often
        const std::int64_t turns = std::exchange(m_turns, 0);
        walk_children(loop);
        m_turns = turns;
    }

private:
    static constexpr std::size_t no_loop = SIZE_MAX;
    const SymbolValues& m_sizes;
    std::int64_t m_turns = 1;
    std::size_t m_open = no_loop;
    int m_depth = 0;
};

class WithoutLoop : public ir::Rewriter {
public:
    explicit WithoutLoop(const ir::ForStmt& loop) : m_loop(loop) {}

protected:
    using Rewriter::visit;
    ir::StmtRef visit(const ir::ForStmt& loop) override { return &loop == &m_loop ? nullptr : rebuild(loop); }

private:
    const ir::ForStmt& m_loop;
};

// What a kernel does in all blocks of its launch.
struct WorkDone {
    perf::WorkCount work; // of a thread
    std::vector<AccessView> accesses;
};

class LoopLooker {
public:
    LoopLooker(const ExplainedSource& source, const KernelExplained& kernel, const std::atomic<bool>* cancelled)
        : m_source(source), m_kernel(kernel), m_cancelled(cancelled), m_whole(done_by(*source.module, *source.kernel)) {
        const std::vector<std::int64_t>& block = kernel.cost->block;
        m_threads = static_cast<double>(block[0] * block[1] * block[2]);
        m_blocks = static_cast<double>(kernel.cost->grid[0] * kernel.cost->grid[1] * kernel.cost->grid[2]);
    }

    LoopView look_at(const FoundLoop& found) {
        LoopView out;
        out.place = place_of(found.loop->origin.span, *m_source.sources);
        out.variable = perf::name_of_loop(found.loop->var->name);
        out.trips = found.trips;
        out.is_inner = found.is_inner;
        if (found.turns <= 0 || m_blocks <= 0) {
            out.unknown = m_blocks <= 0 ? "the grid is not known" : "how many turns it makes is not known";
            return out;
        }
        const auto turns = static_cast<double>(found.turns);
        const WorkDone rest = without(*found.loop);
        add_flops(rest, turns, out);
        LoopFacts facts{out, accesses_of(rest, turns), m_threads / 32, m_source.target};
        for (const LoopAccess& of : facts.accesses) {
            (of.is_shared() ? out.shared_bytes : out.global_bytes) += of.bytes;
            out.sector_bytes += of.is_shared() ? 0 : of.units * artifact::sector_bytes;
        }
        // Of the arguments each byte once, in the share that the loop has of what moves.
        if (m_kernel.cost->sector_bytes > 0)
            out.distinct_bytes = std::min(out.sector_bytes,
                                          m_kernel.cost->unique_bytes * out.sector_bytes / m_kernel.cost->sector_bytes);
        add_pipes(rest, turns, facts, out);
        out.advice = advice_on(facts);
        return out;
    }

private:
    WorkDone done_by(const ir::Module& module, const ir::Function& kernel) const {
        WorkDone out;
        out.work = perf::count_work(kernel, module, perf::known_parameters(kernel, m_source.sizes), m_source.sizes);
        access::Limits limits;
        limits.cancelled = m_cancelled;
        out.accesses = access_views(access::access_maps(module, kernel, m_source.sizes, limits), *m_source.sources);
        return out;
    }

    WorkDone without(const ir::ForStmt& loop) const {
        ir::Function rest = *m_source.kernel;
        rest.body = WithoutLoop(loop).rewrite(rest.body);
        if (!rest.body)
            rest.body = ir::make_seq({});
        ir::Module module = *m_source.module;
        const ir::FunctionRef made = ir::make<ir::Function>(std::move(rest));
        for (ir::FunctionRef& function : module.functions)
            if (function.get() == m_source.kernel)
                function = made;
        return done_by(module, *made);
    }

    void add_flops(const WorkDone& rest, double turns, LoopView& out) const {
        out.flops_at_most = m_whole.work.is_upper_bound;
        for (const perf::WorkCount* work : {&rest.work, &m_whole.work})
            out.flops_unknown = work->unknown.empty() ? out.flops_unknown : work->unknown.front().what;
        if (!out.flops_unknown.empty())
            return;
        out.flops = std::max(m_whole.work.flops - rest.work.flops, 0.0) * m_threads / turns;
        out.matrix_flops = std::max(m_whole.work.matrix_flops - rest.work.matrix_flops, 0.0) * m_threads / turns;
    }

    std::vector<LoopAccess> accesses_of(const WorkDone& rest, double turns) const {
        const auto key = [](const AccessView& view) {
            return std::tie(view.place.line, view.place.column, view.memory, view.tensor, view.kind);
        };
        std::vector<LoopAccess> out;
        for (const AccessView& view : m_whole.accesses) {
            const auto left =
                std::ranges::find_if(rest.accesses, [&](const AccessView& each) { return key(each) == key(view); });
            const bool has_left = left != rest.accesses.end();
            const auto part = [&](double all, double AccessView::*member) {
                return std::max(all - (has_left ? (*left).*member : 0), 0.0) / (turns * m_blocks);
            };
            LoopAccess of{nullptr, part(view.requests, &AccessView::requests), part(view.bytes, &AccessView::bytes),
                          part(view.units, &AccessView::units), part(view.least, &AccessView::least)};
            const auto known =
                std::ranges::find_if(m_kernel.accesses, [&](const AccessView& each) { return key(each) == key(view); });
            of.view = known == m_kernel.accesses.end() ? &view : &*known;
            if (of.requests > 0)
                out.push_back(of);
        }
        return out;
    }

    void add_pipes(const WorkDone& rest, double turns, LoopFacts& facts, LoopView& out) const {
        using artifact::Arithmetic;
        const artifact::TargetSpec& target = m_source.target;
        const bool is_double = m_whole.work.sum_type == ir::DType::F64;
        facts.arithmetic_rate = perf::rate_of(target, target.peak(is_double ? Arithmetic::F64 : Arithmetic::F32));
        facts.matrix_rate = is_double ? 0 : perf::rate_of(target, target.peak(Arithmetic::MatrixTf32));
        perf::WorkCount turn = m_whole.work;
        for (const auto count : {&perf::WorkCount::instructions, &perf::WorkCount::doubles, &perf::WorkCount::special})
            turn.*count = std::max(m_whole.work.*count - rest.work.*count, 0.0) / turns;
        perf::PipeWork work = perf::pipe_work(turn, m_threads);
        work.matrix_flops = out.matrix_flops;
        for (const LoopAccess& of : facts.accesses)
            work.memory_cycles += of.cycles();
        work.device_bytes = out.distinct_bytes;
        if (!out.flops_unknown.empty())
            work.matrix_flops = work.instructions = work.doubles = work.special = 0;
        out.pipes = pipes_of(work, target);
        if (!out.pipes.empty())
            out.limiter = out.pipes.front().name;
    }

    const ExplainedSource& m_source;
    const KernelExplained& m_kernel;
    const std::atomic<bool>* m_cancelled;
    double m_threads = 1, m_blocks = 1;
    WorkDone m_whole;
};

} // namespace

std::vector<LoopView> loops_of(const ExplainedSource& source, const KernelExplained& kernel,
                               const std::atomic<bool>* cancelled) {
    std::vector<LoopView> out;
    if (!kernel.cost)
        return out;
    Work work = work_for("loops of " + kernel.name, cancelled);
    work.enter("looking at loops");
    guarded(work, [&] {
        LoopFinder finder(source.sizes);
        finder.walk(source.kernel->body);
        finder.found.resize(std::min(finder.found.size(), most_loops));
        if (finder.found.empty())
            return;
        LoopLooker looker(source, kernel, cancelled);
        for (const FoundLoop& found : finder.found)
            if (!work.stopped())
                out.push_back(looker.look_at(found));
    });
    // Of a loop that does nothing there is nothing to say.
    std::erase_if(out, [](const LoopView& loop) {
        return loop.unknown.empty() && loop.flops + loop.matrix_flops + loop.global_bytes + loop.shared_bytes <= 0;
    });
    std::ranges::stable_sort(out, {}, [](const LoopView& loop) { return loop.place.line; });
    // Lowering repeats bodies: the first stands for its copies.
    const auto copies = std::ranges::unique(out, [](const LoopView& a, const LoopView& b) {
        return a.place.line == b.place.line && a.place.file == b.place.file && a.variable == b.variable;
    });
    out.erase(copies.begin(), copies.end());
    return out;
}

} // namespace hidet::session
