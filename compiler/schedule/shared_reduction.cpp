// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/shared_reduction.h"

#include <algorithm>
#include <functional>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/perf/expression_cost.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/reducing.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::int64_t fewest_terms = 32; // that are shared at all
constexpr std::int64_t terms_each = 4;    // of a lane, at least: fewer are not worth meeting for
constexpr std::int64_t side_by_side = 32; // elements that make a line of memory
constexpr std::int64_t usual_threads = 256;
constexpr std::int64_t warp = 32;

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

} // namespace

std::int64_t threads_at_a_time(const artifact::TargetSpec& target) {
    return std::int64_t{target.multiprocessors} * target.warps * target.warp_threads / 2;
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
