// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/shared_reduction.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/perf/expression_cost.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/reducing.h"
#include "compiler/schedule/stages.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::int64_t fewest_terms = 32;   // that are shared at all
constexpr std::int64_t fewest_split = 2048; // that are worth another launch
constexpr std::int64_t terms_each = 4;      // of a lane, at least: fewer are not worth meeting for
constexpr std::int64_t terms_in_part = 8;   // of a lane, where a part is a block's
constexpr std::int64_t side_by_side = 32;   // elements that make a line of memory
constexpr std::int64_t usual_threads = 256;
constexpr std::int64_t warp = 32;

// That run at a time, with registers to spare.
std::int64_t threads_at_a_time(const artifact::TargetSpec& target) {
    return std::int64_t{target.multiprocessors} * target.warps * target.warp_threads / 2;
}

// Are all reads side by side for neighbouring terms, and for neighbouring elements none?
bool lies_by_terms(const Stage& stage) {
    const Walk terms = walk_of(stage.value, *stage.reduction->axes.back());
    if (terms.dense == 0 || terms.still + terms.far > 0)
        return false;
    if (stage.axes.empty())
        return true;
    const Walk elements = walk_of(stage.value, *stage.axes.back());
    return elements.dense + elements.still == 0;
}

bool lies_by_elements(const Stage& stage) {
    return !stage.axes.empty() && walk_of(stage.value, *stage.axes.back()).dense > 0;
}

struct Lane {
    ExprRef lane;
    ExprRef slot; // in shared memory
};

// What two lanes have becomes what the first one has.
class Meeting {
public:
    Meeting(const Reduction& reduction, const TermSharing& sharing) : m_reduction(reduction), m_sharing(sharing) {
        const ExprVec slots = {int_constant(sharing.threads())};
        m_values = make_var("values", tensor_type(data_type(reduction.accumulate), slots));
        if (is_arg(reduction.op))
            m_places = make_var("places", tensor_type(data_type(DType::I64), slots));
    }

    void begin(StmtVec& to, const ExprRef& slot, const VarRef& value, const VarRef& place) const {
        to.push_back(make_declare(m_values, nullptr, Scope::Shared));
        if (m_places)
            to.push_back(make_declare(m_places, nullptr, Scope::Shared));
        to.push_back(make_store(m_values, {slot}, value));
        if (m_places)
            to.push_back(make_store(m_places, {slot}, place));
        to.push_back(wait(m_sharing.lanes));
    }

    void meet(StmtVec& to, const Lane& at) const {
        for (std::int64_t step = m_sharing.lanes / 2; step > 0; step /= 2) {
            const std::int64_t distance = m_sharing.by_terms ? step : step * m_sharing.elements;
            to.push_back(make_if(less(at.lane, i64(step)), take(at.slot, add(at.slot, i64(distance)))));
            to.push_back(wait(step));
        }
    }

    ExprRef result(const ExprRef& slot) const {
        return m_places ? math(IntrinsicId::Max, {make_element(m_places, {slot}), i64(0)})
                        : make_element(m_values, {slot});
    }

private:
    // For those of so many lanes that meet next: a warp has no need of the others.
    StmtRef wait(std::int64_t lanes) const {
        const bool is_warp = m_sharing.by_terms && lanes <= warp;
        return make_evaluate(
            make_intrinsic(is_warp ? IntrinsicId::SyncWarp : IntrinsicId::SyncThreads, {}, void_type()));
    }

    StmtRef take(const ExprRef& slot, const ExprRef& other) const {
        const VarRef mine = make_var("mine", data_type(m_reduction.accumulate));
        const VarRef theirs = make_var("theirs", mine->type);
        StmtVec stmts = {make_let_stmt(mine, make_element(m_values, {slot})),
                         make_let_stmt(theirs, make_element(m_values, {other}))};
        if (!m_places) {
            stmts.push_back(make_store(m_values, {slot}, combined(m_reduction.op, mine, theirs)));
            return make_seq(std::move(stmts));
        }
        // Which of two is at the later index differs, and -1 stands for none.
        const VarRef place = make_var("place", data_type(DType::I64));
        const VarRef their_place = make_var("their_place", place->type);
        stmts.push_back(make_let_stmt(place, make_element(m_places, {slot})));
        stmts.push_back(make_let_stmt(their_place, make_element(m_places, {other})));
        const ExprRef better = select(less(place, their_place), is_better(m_reduction, theirs, mine),
                                      logical_not(is_better(m_reduction, mine, theirs)));
        const ExprRef takes = logical_and(less_equal(i64(0), their_place), logical_or(less(place, i64(0)), better));
        stmts.push_back(make_if(
            takes, make_seq({make_store(m_values, {slot}, theirs), make_store(m_places, {slot}, their_place)})));
        return make_seq(std::move(stmts));
    }

    const Reduction& m_reduction;
    const TermSharing& m_sharing;
    VarRef m_values, m_places;
};

// Each lane takes every so many-th of the terms in the order of their axes.
StmtRef terms_of_lane(const KernelFrame& frame, const ExprVec& axes, const ExprRef& lane, std::int64_t lanes,
                      const std::function<StmtRef(const ExprRef&, const ExprVec&)>& take) {
    const ExprVec extents = frame.extents(axes);
    const ExprRef count = element_count(extents);
    const auto constant = constant_int(count);
    const ExprRef turns =
        constant && *constant % lanes == 0 ? i64(*constant / lanes) : ceil_div(sub(count, lane), lanes);
    const auto term = [&](const ExprRef& turn) {
        const VarRef index = index_var("term_index");
        const ExprVec reduced = extents.size() == 1 ? ExprVec{index} : unflatten(index, extents);
        return make_seq({make_let_stmt(index, add(mul(turn, i64(lanes)), lane)), take(index, reduced)});
    };
    return loop("turn", turns, term, {LoopAttr::What::Unroll, terms_each});
}

bool mentions_any(const ExprVec& exprs, const VarVec& vars) {
    return std::ranges::any_of(exprs, [&](const ExprRef& expr) {
        return std::ranges::any_of(vars, [&](const VarRef& var) { return depends_on(expr, *var); });
    });
}

// How many blocks get a part of each element's terms; one where the block that has them all is fast enough.
std::int64_t parts_of(const Stage& stage, const artifact::TargetSpec& target) {
    const auto shape = constant_shape(shape_of(stage.tensor));
    if (!shape || !stage.reduction || is_arg(stage.reduction->op) || mentions_any(stage.reduction->extents, stage.axes))
        return 1;
    const auto extents = constant_shape(stage.reduction->extents);
    if (!extents)
        return 1;
    const auto product = [](const std::vector<std::int64_t>& of) {
        return std::accumulate(of.begin(), of.end(), std::int64_t{1}, std::multiplies<>());
    };
    const std::int64_t running = product(*shape) * sharing_of(stage, target).lanes;
    const std::int64_t terms_of_lane = product(*extents) * product(*shape) / std::max<std::int64_t>(running, 1);
    if (running == 0 || product(*extents) < fewest_split || terms_of_lane < 2 * terms_in_part)
        return 1;
    return std::max<std::int64_t>(std::min(terms_of_lane / terms_in_part, threads_at_a_time(target) / running), 1);
}

VarVec fresh_axes(const VarVec& axes) {
    return transformed(axes, [](const VarRef& axis) { return index_var(axis->name); });
}

// The stage's terms in runs of `each`, in the order of their axes. Parts come first, so that neighbours stay neighbours.
Stage part_of(const Stage& stage, std::int64_t terms, std::int64_t each) {
    const VarVec axes = fresh_axes(stage.axes);
    const VarRef part = index_var("part");
    const VarRef term = index_var("term_index");
    const ExprRef first = mul(part, i64(each));
    const ExprRef extent = terms % each == 0 ? i64(each) : least_of(i64(each), sub(i64(terms), first));
    Stage made = stage;
    made.value = value_at(stage, {axes.begin(), axes.end()}, unflatten(add(first, term), stage.reduction->extents));
    made.axes = {part};
    made.axes.insert(made.axes.end(), axes.begin(), axes.end());
    Shape shape = {i64((terms + each - 1) / each)};
    shape.insert(shape.end(), shape_of(stage.tensor).begin(), shape_of(stage.tensor).end());
    made.tensor = make_var(stage.tensor->name + "_parts", tensor_type(data_type(stage.reduction->accumulate), shape));
    made.reduction->axes = {term};
    made.reduction->extents = {extent};
    return made;
}

Stage sum_of(const Stage& parts, Stage stage) {
    const VarRef part = index_var("part");
    ExprVec indices = {part};
    indices.insert(indices.end(), stage.axes.begin(), stage.axes.end());
    stage.value = make_element(parts.tensor, indices);
    stage.reduction->axes = {part};
    stage.reduction->extents = {shape_of(parts.tensor)[0]};
    return stage;
}

} // namespace

std::vector<Stage> split_by_terms(std::vector<Stage> stages, const artifact::TargetSpec& target) {
    std::vector<Stage> split;
    for (Stage& stage : stages) {
        const std::int64_t parts = parts_of(stage, target);
        if (parts == 1) {
            split.push_back(std::move(stage));
            continue;
        }
        const std::int64_t terms = *constant_int(element_count(stage.reduction->extents));
        split.push_back(part_of(stage, terms, (terms + parts - 1) / parts));
        Stage whole = sum_of(split.back(), std::move(stage));
        split.push_back(std::move(whole));
    }
    return split;
}

TermSharing sharing_of(const Stage& stage, const artifact::TargetSpec& target) {
    const double elements = perf::estimate(shape_of(stage.tensor));
    const double terms = perf::estimate(stage.reduction->extents);
    const std::int64_t most = std::min<std::int64_t>(target.threads_per_block, 1024);
    TermSharing sharing;
    sharing.by_terms = !lies_by_elements(stage);
    const std::int64_t lanes = sharing.by_terms ? most : most / side_by_side;
    const double wanted = static_cast<double>(threads_at_a_time(target));
    const std::int64_t together = lies_by_terms(stage) ? target.warp_threads : 1;
    const auto is_worth_it = [&](std::int64_t more) {
        const auto each = static_cast<double>(more);
        return terms >= fewest_terms && terms >= each * terms_each &&
               (elements * each / 2 < wanted || more <= together);
    };
    while (sharing.lanes < lanes && is_worth_it(sharing.lanes * 2))
        sharing.lanes *= 2;
    sharing.elements = sharing.by_terms ? std::max<std::int64_t>(usual_threads / sharing.lanes, 1)
                                        : std::max(usual_threads / sharing.lanes, side_by_side);
    while (sharing.elements > 1 && static_cast<double>(sharing.elements / 2) >= elements &&
           sharing.threads() > target.warp_threads)
        sharing.elements /= 2;
    return sharing;
}

Function shared_reduction(const KernelFrame& frame, const TermSharing& sharing) {
    const Reduction& reduction = *frame.stage().reduction;
    const ExprRef count = element_count(frame.shape());
    const ExprRef thread = cast_to(make_builtin(Builtin::ThreadIdxX), DType::I64);
    const std::int64_t inner = sharing.by_terms ? sharing.lanes : sharing.elements;
    const VarRef slow = index_var(sharing.by_terms ? "group" : "lane");
    const VarRef fast = index_var(sharing.by_terms ? "lane" : "group");
    const VarRef element = index_var("element");
    const VarRef running = make_var("running", data_type(reduction.accumulate));
    const VarRef place = is_arg(reduction.op) ? make_var("where", data_type(DType::I64)) : nullptr;
    const ExprRef block = cast_to(make_builtin(Builtin::BlockIdxX), DType::I64);
    const Lane at = {sharing.by_terms ? fast : slow, thread};
    const ExprRef is_there = less(element, count);

    const ExprVec axes = unflatten(element, frame.shape());
    const auto take = [&](const ExprRef& index, const ExprVec& reduced) {
        const ExprRef value = frame.value(axes, reduced);
        if (place)
            return take_if_better(reduction, value, index, running, place);
        return reduce_term(reduction.op, value, running,
                           [&](const ExprRef& result) { return make_assign(running, result); });
    };
    StmtVec body = {make_let_stmt(slow, floor_div(thread, i64(inner))),
                    make_let_stmt(fast, floor_mod(thread, i64(inner))),
                    make_let_stmt(element, add(mul(block, i64(sharing.elements)), sharing.by_terms ? slow : fast)),
                    make_declare(running, neutral_of(reduction.op, reduction.accumulate))};
    if (place)
        body.push_back(make_declare(place, i64(-1)));
    body.push_back(make_if(is_there, terms_of_lane(frame, axes, at.lane, sharing.lanes, take)));
    const Meeting meeting(reduction, sharing);
    meeting.begin(body, at.slot, running, place);
    meeting.meet(body, at);
    body.push_back(make_if(logical_and(equal(at.lane, i64(0)), is_there), frame.store(axes, meeting.result(at.slot))));

    Function function;
    function.func_kind = FuncKind::CudaKernel;
    function.body = make_seq(std::move(body));
    function.grid_dim = {cast_to(ceil_div(count, sharing.elements), DType::I32), int_constant(1), int_constant(1)};
    function.block_dim = {int_constant(sharing.threads()), int_constant(1), int_constant(1)};
    return function;
}

} // namespace hidet::graph
