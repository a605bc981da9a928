// SPDX-License-Identifier: Apache-2.0
// From the outside in: one loop over the units of work (all outer axes, rows of a tile together, the last axis perhaps in
// chunks), which threads share; the last axis in blocks of lanes; the reduction; rows and lanes of one term. Loops over
// lanes have constant extents, so the compiler makes vector instructions of them and keeps the running values in registers.
#include "compiler/ir/intrinsic.h"

#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/print.h"
#include "compiler/perf/expression_cost.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/guards.h"
#include "compiler/schedule/product_form.h"
#include "compiler/schedule/reducing.h"
#include <algorithm>

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::int64_t elements_of_part = 1 << 13; // of a loop whose extent is known at run time only

constexpr std::int64_t vectors_of_lanes = 4; // a few, so that additions need not wait for each other
constexpr std::int64_t rows_of_tile = 4;
constexpr std::int64_t elements_of_chunk = 2048;
constexpr double units_of_core = 8;     // of parallel work, so that no core waits long for the last one
constexpr std::int64_t short_axis = 8;  // too few elements for what it costs to find a unit's place
constexpr double enough_work = 1 << 15; // some tens of microseconds

// How a kernel for the CPU runs through the elements of a stage.
//
// Lanes go where memory is contiguous: along the last axis of the result if the operands are, too, else along an axis of
// the reduction. Rows of a tile share the operands that do not depend on the row, which the lanes then read once for all
// of them: that is what makes a product of matrices limited by arithmetic and not by loads.

enum class Lanes : std::uint8_t {
    None,    // one element after the other
    Output,  // neighbours along the last axis of the result
    Reduced, // neighbouring terms of a reduction, summed beside each other
};

struct CpuForm {
    Lanes lanes = Lanes::None;
    std::int64_t width = 1;   // lanes
    std::size_t reduced = 0;  // Lanes::Reduced: the axis of the reduction
    std::size_t inside = 0;   // and one whose few terms a lane takes one after the other; `reduced`: none
    std::size_t tiled = 0;    // this axis of the result, `rows` at a time, which share what they read
    std::int64_t rows = 1;    // 1: none
    std::int64_t chunk = 0;   // Lanes::Output: so many elements of the last axis are a unit of parallel work; 0: all
    bool takes_lines = false; // a unit is all of the last two axes
    bool is_parallel = false; // worth the start of threads, or of unknown size
};

bool any_depends_on(const ir::ExprVec& exprs, const ir::Var& var) {
    return std::ranges::any_of(exprs, [&](const ir::ExprRef& expr) { return depends_on(expr, var); });
}

bool is_long(const Dim& extent, std::int64_t least) {
    const auto constant = constant_of(extent);
    return !constant || *constant >= least;
}

std::int64_t at_most(std::int64_t width, const Dim& extent) {
    const auto constant = constant_of(extent);
    return constant ? std::max<std::int64_t>(std::min(width, *constant), 1) : width;
}

// The best axis of the reduction to have lanes: contiguous in most operands, then the longest.
std::size_t best_reduced(const Stage& stage) {
    const Reduction& reduction = *stage.reduction;
    std::size_t best = reduction.axes.size() - 1;
    const auto rank = [&](std::size_t i) {
        const bool is_short = !is_long(reduction.extents[i], 4);
        return std::pair(walk_of(stage.value, *reduction.axes[i]).far + (is_short ? 100 : 0),
                         -perf::estimate(reduction.extents[i]));
    };
    for (std::size_t i = reduction.axes.size(); i-- > 0;)
        if (rank(i) < rank(best))
            best = i;
    return best;
}

// What lies in memory between neighbours of the lanes' axis is read with them: the parts of a byte are the same byte's.
std::size_t axis_inside(const Stage& stage, std::size_t lanes) {
    const Reduction& reduction = *stage.reduction;
    if (walk_of(stage.value, *reduction.axes[lanes]).far == 0)
        return lanes;
    for (std::size_t i = 0; i < reduction.axes.size(); ++i) {
        const Walk walk = walk_of(stage.value, *reduction.axes[i]);
        const auto extent = constant_of(reduction.extents[i]);
        if (i != lanes && extent && *extent > 1 && *extent <= short_axis && walk.dense > 0 && walk.far == 0)
            return i;
    }
    return lanes;
}

void choose_lanes(const Stage& stage, const artifact::TargetSpec& target, CpuForm& form) {
    const Shape& shape = shape_of(stage.tensor);
    const std::int64_t width =
        vectors_of_lanes * target.vector_bytes /
        std::max(ir::bytes_of(stage.reduction ? stage.reduction->accumulate : dtype_of(stage.tensor)), 1);
    if (!stage.reduction) {
        form.lanes = shape.empty() ? Lanes::None : Lanes::Output;
        return;
    }
    const Reduction& reduction = *stage.reduction;
    if (is_arg(reduction.op) || reduction.axes.empty())
        return;
    const bool output_may = !shape.empty() && !any_depends_on(reduction.extents, *stage.axes.back());
    form.reduced = best_reduced(stage);
    const Walk along_reduced = walk_of(stage.value, *reduction.axes[form.reduced]);
    const int far_of_output = output_may ? walk_of(stage.value, *stage.axes.back()).far : 0;
    const bool reduced_is_better =
        far_of_output > along_reduced.far || !is_long(shape.empty() ? dim(1) : shape.back(), 4);
    if (output_may && (!reduced_is_better || !is_long(reduction.extents[form.reduced], 4))) {
        form.lanes = Lanes::Output;
        form.width = at_most(width, shape.back());
    } else {
        form.lanes = Lanes::Reduced;
        form.inside = axis_inside(stage, form.reduced);
        form.width = at_most(width, reduction.extents[form.reduced]);
    }
}

// The axis whose rows share most.
void choose_rows(const Stage& stage, CpuForm& form) {
    if (!stage.reduction || form.lanes == Lanes::None)
        return;
    const Shape& shape = shape_of(stage.tensor);
    const std::size_t free_axes = shape.size() - (form.lanes == Lanes::Output ? 1 : 0);
    const ir::Var& lane = form.lanes == Lanes::Output ? *stage.axes.back() : *stage.reduction->axes[form.reduced];
    int most_shared = 0;
    for (std::size_t i = 0; i < free_axes; ++i) {
        const ir::Var& axis = *stage.axes[i];
        const int shared = shared_by_rows(stage.value, axis, lane);
        if (shared < std::max(most_shared, 1) || !is_long(shape[i], 2) ||
            any_depends_on(stage.reduction->extents, axis))
            continue;
        most_shared = shared;
        form.tiled = i;
        form.rows = at_most(rows_of_tile, shape[i]);
    }
}

// The last axis is short, and without the one before it there are still units enough.
bool takes_lines(const Stage& stage, const artifact::TargetSpec& target) {
    const Shape& shape = shape_of(stage.tensor);
    if (stage.reduction || shape.size() < 3 || !constant_shape(shape) || is_long(shape.back(), short_axis))
        return false;
    return perf::estimate(ir::ExprVec(shape.begin(), shape.end() - 2)) >= units_of_core * target.cores;
}

double work_of(const Stage& stage) {
    const double terms = stage.reduction ? perf::estimate(stage.reduction->extents) : 1;
    return perf::estimate(shape_of(stage.tensor)) * terms * (1 + perf::cost_of(stage.value));
}

CpuForm cpu_form(const Stage& stage, const artifact::TargetSpec& target) {
    CpuForm form;
    choose_lanes(stage, target, form);
    choose_rows(stage, form);
    const Shape& shape = shape_of(stage.tensor);
    form.is_parallel = !constant_shape(shape) || work_of(stage) > enough_work;
    if (!form.is_parallel || form.lanes != Lanes::Output)
        return form;
    const double others = perf::estimate(ir::ExprVec(shape.begin(), shape.end() - 1)) / static_cast<double>(form.rows);
    form.takes_lines = takes_lines(stage, target);
    const std::int64_t chunk = stage.reduction ? form.width * 4 : elements_of_chunk;
    if (others < units_of_core * target.cores && is_long(shape.back(), 2 * chunk))
        form.chunk = chunk;
    return form;
}

bool is_tiled(const CpuForm& form, std::size_t axis) {
    return form.rows > 1 && axis == form.tiled;
}

// How many units along each axis of the result, but for that of the lanes, and its chunks.
ExprVec unit_extents(const Shape& shape, const CpuForm& form) {
    ExprVec extents;
    const std::size_t outer = shape.size() - (form.lanes == Lanes::Output ? 1 : 0);
    for (std::size_t i = 0; i < outer; ++i)
        extents.push_back(is_tiled(form, i) ? ceil_div(shape[i], form.rows) : shape[i]);
    if (form.chunk)
        extents.push_back(ceil_div(shape.back(), form.chunk));
    return extents;
}

class CpuBuilder {
public:
    CpuBuilder(const KernelFrame& frame, const artifact::TargetSpec& target)
        : m_frame(frame), m_form(cpu_form(frame.stage(), target)) {
        if (frame.stage().reduction)
            m_accumulate = frame.stage().reduction->accumulate;
    }

    StmtRef build() const {
        ExprVec extents = unit_extents(m_frame.shape(), m_form);
        if (!m_form.takes_lines)
            return over_units(extents, [&](const ExprVec& unit) { return tile(unit); });
        const ExprRef line = extents.back();
        extents.pop_back();
        return over_units(extents, [&](const ExprVec& unit) {
            return loop("w", cast_to(line, DType::I64), [&](const ExprRef& index) {
                ExprVec axes = unit;
                axes.push_back(index);
                return tile(axes);
            });
        });
    }

private:
    using Body = std::function<StmtRef(const ExprVec&)>;
    using Rows = std::vector<ExprVec>; // the outer axes of the result, by row of the tile

    // ---- units of work ----------------------------------------------------------------------------------------------
    StmtRef over_units(const ExprVec& extents, const Body& body) const {
        const Dim count = element_count(extents);
        if (!m_form.is_parallel || is_constant(count, 1))
            return loops("i", extents, body);
        if (constant_of(count))
            return loop(
                "unit", count, [&](const ExprRef& unit) { return body(unflatten(unit, extents)); }, parallel);
        return over_parts(count, [&](const ExprRef& unit) { return body(unflatten(unit, extents)); });
    }
    // How much there is to do is known when it runs; a single part runs where it is, without waking a thread.
    StmtRef over_parts(const Dim& count, const std::function<StmtRef(const ExprRef&)>& body) const {
        VarRef units = index_var("units");
        VarRef parts = index_var("parts");
        const ExprRef work = mul(units, work_of_unit());
        const auto part_of = [&](const ExprRef& part) {
            VarRef begin = index_var("begin");
            VarRef end = index_var("end");
            const auto at = [&](const ExprRef& which) { return floor_div(mul(which, units), parts); };
            StmtRef inner = loop("u", sub(end, begin), [&](const ExprRef& i) { return body(add(begin, i)); });
            return make_seq(
                {make_let_stmt(begin, at(part)), make_let_stmt(end, at(add(part, i64(1)))), std::move(inner)});
        };
        VarRef part = index_var("part");
        StmtRef inner = part_of(part);
        return make_seq(
            {make_let_stmt(units, count),
             make_let_stmt(parts, math(IntrinsicId::Max, {i64(1), least_of(units, ceil_div(work, elements_of_part))})),
             make_for(part, parts, parallel, std::move(inner))});
    }
    ExprRef work_of_unit() const {
        ExprRef work = i64(m_form.rows);
        if (m_form.lanes == Lanes::Output)
            work = mul(work, m_form.chunk ? i64(m_form.chunk) : m_frame.shape().back());
        if (m_frame.stage().reduction)
            for (const ExprRef& extent : m_frame.reduced())
                if (is_free_of_axes(extent))
                    work = mul(work, extent);
        return work;
    }
    bool is_free_of_axes(const ExprRef& extent) const {
        return std::ranges::none_of(m_frame.stage().axes,
                                    [&](const VarRef& axis) { return depends_on(extent, *axis); });
    }

    // ---- rows of a tile ---------------------------------------------------------------------------------------------
    StmtRef tile(ExprVec unit) const {
        ExprRef chunk;
        if (m_form.chunk) {
            chunk = unit.back();
            unit.pop_back();
        }
        if (m_form.rows == 1)
            return lanes({unit}, chunk);
        const Dim& extent = m_frame.shape()[m_form.tiled];
        const ExprRef first = mul(unit[m_form.tiled], i64(m_form.rows));
        const auto row = [&](const ExprRef& index) {
            ExprVec axes = unit;
            axes[m_form.tiled] = add(first, index);
            return axes;
        };
        Rows rows;
        for (std::int64_t i = 0; i < m_form.rows; ++i)
            rows.push_back(row(i64(i)));
        const auto constant = constant_of(extent);
        if (constant && *constant % m_form.rows == 0)
            return lanes(rows, chunk);
        VarRef left = index_var("left");
        StmtRef one_by_one = loop("row", left, [&](const ExprRef& index) { return lanes({row(index)}, chunk); });
        return make_seq({make_let_stmt(left, sub(extent, first)),
                         make_if(less(left, i64(m_form.rows)), one_by_one, lanes(rows, chunk))});
    }

    // ---- lanes ------------------------------------------------------------------------------------------------------
    StmtRef lanes(const Rows& rows, const ExprRef& chunk) const {
        switch (m_form.lanes) {
        case Lanes::None: return element_in_order(m_frame, rows[0]);
        case Lanes::Reduced: return sums_in_lanes(rows);
        case Lanes::Output: break;
        }
        const Dim& extent = m_frame.shape().back();
        if (!chunk)
            return along_last(rows, i64(0), extent);
        VarRef begin = index_var("begin");
        VarRef count = index_var("count");
        return make_seq({make_let_stmt(begin, mul(chunk, i64(m_form.chunk))),
                         make_let_stmt(count, least_of(sub(extent, begin), i64(m_form.chunk))),
                         along_last(rows, begin, count)});
    }
    // Elements begin .. begin + count - 1 of the last axis.
    StmtRef along_last(const Rows& rows, const ExprRef& begin, const ExprRef& count) const {
        if (!m_frame.stage().reduction)
            return loop("lane", count, [&](const ExprRef& lane) {
                const ExprVec axes = with_last(rows[0], add(begin, lane));
                return m_frame.store(axes, m_frame.value(axes));
            });
        const ExprRef blocks = floor_div(count, i64(m_form.width));
        const auto block = [&](const ExprRef& index) {
            return block_of_lanes(rows, add(begin, mul(index, i64(m_form.width))), i64(m_form.width));
        };
        StmtVec stmts;
        if (!is_constant(blocks, 0))
            stmts.push_back(loop("block", blocks, block));
        const ExprRef rest = floor_mod(count, i64(m_form.width));
        if (!is_constant(rest, 0))
            stmts.push_back(block_of_lanes(rows, add(begin, sub(count, rest)), rest));
        return make_seq(std::move(stmts));
    }
    static ExprVec with_last(ExprVec axes, const ExprRef& last) {
        axes.push_back(last);
        return axes;
    }

    VarRef running_values(const Rows& rows) const {
        const auto count = static_cast<std::int64_t>(rows.size());
        return make_var("running",
                        tensor_type(data_type(m_accumulate), {int_constant(count), int_constant(m_form.width)}));
    }
    StmtRef each_lane(const ExprRef& count, const std::function<StmtRef(const ExprRef&)>& body) const {
        return loop("lane", count, body);
    }
    // For each row, for each lane. A row is an index of the tile and what it is in the result.
    StmtRef each_running(const Rows& rows, const ExprRef& count,
                         const std::function<StmtRef(const ExprRef&, const ExprVec&, const ExprRef&)>& body) const {
        StmtVec stmts;
        for (std::size_t i = 0; i < rows.size(); ++i)
            stmts.push_back(each_lane(count, [&](const ExprRef& lane) {
                return body(int_constant(static_cast<std::int64_t>(i)), rows[i], lane);
            }));
        return make_seq(std::move(stmts));
    }
    StmtRef start(const VarRef& running, const Rows& rows) const {
        const Reduction& reduction = *m_frame.stage().reduction;
        StmtRef fill =
            each_running(rows, i64(m_form.width), [&](const ExprRef& row, const ExprVec&, const ExprRef& lane) {
                return make_store(running, {row, lane}, neutral_of(reduction.op, m_accumulate));
            });
        return make_seq({make_declare(running, nullptr, Scope::Register), fill});
    }
    StmtRef combine(const VarRef& running, const ExprRef& row, const ExprRef& lane, const ExprRef& term) const {
        return reduce_term(m_frame.stage().reduction->op, term, make_element(running, {row, lane}),
                           [&](const ExprRef& result) {
                               return make_store(running, {row, lane}, result);
                           });
    }

    // Conditional loads that are the same for all rows, as arrays that are filled before.
    VarVec shared_parts(const Rows& rows, const ExprRef& base, const ExprRef& count, const ExprVec& reduced,
                        StmtVec& stmts) const {
        if (rows.size() < 2 || is_constant(count, 1))
            return {};
        const VarRef lane = index_var("lane");
        const auto parts_of = [&](const ExprVec& row) {
            return guarded_parts(m_frame.value(with_last(row, add(base, lane)), reduced), lane);
        };
        const ExprVec parts = parts_of(rows[0]);
        for (const ExprVec& row : rows) {
            const ExprVec others = parts_of(row);
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (to_string(others[i]) != to_string(parts[i]))
                    return {};
        }
        VarVec arrays;
        for (const ExprRef& part : parts) {
            arrays.push_back(make_var("part", tensor_type(part->type, {int_constant(m_form.width)})));
            stmts.push_back(make_declare(arrays.back(), nullptr, Scope::Register));
            stmts.push_back(filled(arrays.back(), *as<Select>(part), lane, count));
        }
        return arrays;
    }

    // What is the same for all lanes is asked once, so that what is left is a mask.
    StmtRef filled(const VarRef& array, const Select& part, const VarRef& lane, const ExprRef& count) const {
        const auto fill = [&](const ExprRef& value) {
            return each_lane(count, [&](const ExprRef& index) {
                Rewriter at_index(0, Rewriter::Definitions::Copy);
                at_index.replace(lane, index);
                return make_store(array, {index}, at_index.rewrite(value));
            });
        };
        const SplitCondition condition = split_condition(part.condition, *lane);
        if (!condition.common || part.b->kind != Kind::Constant)
            return fill(self(part));
        return make_if(condition.common, fill(make_select(condition.by_lane, part.a, part.b)), fill(part.b));
    }

    // The reduction of `count` neighbours of the result.
    StmtRef block_of_lanes(const Rows& rows, const ExprRef& first, const ExprRef& count) const {
        VarRef running = running_values(rows);
        VarRef base = index_var("first");
        const auto terms = [&](const ExprVec& reduced) {
            StmtVec stmts;
            const VarVec parts = shared_parts(rows, base, count, reduced, stmts);
            stmts.push_back(
                each_running(rows, count, [&](const ExprRef& row, const ExprVec& axes, const ExprRef& lane) {
                    ExprRef value = m_frame.value(with_last(axes, add(base, lane)), reduced);
                    ExprVec elements =
                        transformed(parts, [&](const VarRef& part) { return make_element(part, {lane}); });
                    if (!parts.empty())
                        value = with_parts(value, cast<Var>(lane), elements);
                    return combine(running, row, lane, value);
                }));
            return make_seq(std::move(stmts));
        };
        const ExprVec extents = m_frame.extents(with_last(rows[0], base));
        StmtRef stores = each_running(rows, count, [&](const ExprRef& row, const ExprVec& axes, const ExprRef& lane) {
            return m_frame.store(with_last(axes, add(base, lane)), make_element(running, {row, lane}));
        });
        return make_seq(
            {make_let_stmt(base, first), start(running, rows), loops("r", extents, terms), std::move(stores)});
    }

    // The elements of the rows, each as the sum of what its lanes have summed.
    StmtRef sums_in_lanes(const Rows& rows) const {
        VarRef running = running_values(rows);
        const ExprVec extents = m_frame.extents(rows[0]);
        const ExprRef width = i64(m_form.width);
        const bool has_inside = m_form.inside != m_form.reduced;
        const std::int64_t inside = has_inside ? *constant_of(extents[m_form.inside]) : 1;
        const auto terms_at = [&](ExprVec reduced, const ExprRef& first, const ExprRef& count) {
            return each_running(rows, count, [&](const ExprRef& row, const ExprVec& axes, const ExprRef& lane) {
                reduced[m_form.reduced] = add(first, lane);
                StmtVec terms;
                for (std::int64_t i = 0; i < inside; ++i) {
                    if (has_inside)
                        reduced[m_form.inside] = i64(i);
                    terms.push_back(combine(running, row, lane, m_frame.value(axes, reduced)));
                }
                return make_seq(std::move(terms));
            });
        };
        ExprVec other_extents = extents; // but one for the axes that loops of their own walk along
        other_extents[m_form.reduced] = other_extents[m_form.inside] = i64(1);
        const ExprRef& extent = extents[m_form.reduced];
        const ExprRef steps = floor_div(extent, width);
        const ExprRef rest = floor_mod(extent, width);
        StmtRef all = loops("r", other_extents, [&](const ExprVec& others) {
            StmtVec stmts;
            if (!is_constant(steps, 0))
                stmts.push_back(loop("step", steps,
                                     [&](const ExprRef& step) { return terms_at(others, mul(step, width), width); }));
            if (!is_constant(rest, 0))
                stmts.push_back(terms_at(others, sub(extent, rest), rest));
            return make_seq(std::move(stmts));
        });
        StmtVec stmts = {start(running, rows), std::move(all)};
        for (std::size_t i = 0; i < rows.size(); ++i)
            stmts.push_back(total_of_lanes(running, int_constant(static_cast<std::int64_t>(i)), rows[i]));
        return make_seq(std::move(stmts));
    }
    StmtRef total_of_lanes(const VarRef& running, const ExprRef& row, const ExprVec& axes) const {
        const ReduceOp op = m_frame.stage().reduction->op;
        VarRef total = make_var("total", data_type(m_accumulate));
        StmtRef sum = each_lane(i64(m_form.width), [&](const ExprRef& lane) {
            return reduce_term(op, make_element(running, {row, lane}), total,
                               [&](const ExprRef& result) { return make_assign(total, result); });
        });
        return make_seq(
            {make_declare(total, neutral_of(op, m_accumulate)), std::move(sum), m_frame.store(axes, total)});
    }

    const KernelFrame& m_frame;
    CpuForm m_form;
    DType m_accumulate = DType::F32;
};

} // namespace

ScheduledKernel cpu_kernel(KernelFrame& frame, const artifact::TargetSpec& target, const std::string& name) {
    if (const auto product = product_form(frame.stage(), target, frame.constants()))
        return product_kernel(frame, *product, name);
    Function function;
    function.name = name;
    function.func_kind = FuncKind::CpuKernel;
    function.body = is_constant(element_count(frame.shape()), 0) ? make_seq({}) : CpuBuilder(frame, target).build();
    return frame.finish(std::move(function));
}

CpuUnits units_on_cpu(const Stage& stage, const artifact::TargetSpec& target, const ir::VarVec& constants) {
    const double units = perf::estimate(unit_extents(shape_of(stage.tensor), cpu_form(stage, target)));
    const CpuUnits made{static_cast<std::int64_t>(units), static_cast<std::int64_t>(work_of(stage) / enough_work)};
    const bool has_too_few = made.count < target.cores && made.most_parts > 1;
    return has_too_few && product_form(stage, target, constants) ? CpuUnits() : made; // the form is the dearest to ask
}

} // namespace hidet::graph
