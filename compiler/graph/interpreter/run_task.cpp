// SPDX-License-Identifier: Apache-2.0
// Stages of a task, one after the other: lanes are elements of the result, and a reduction walks its extents for all of
// them at once. Sums and products of floats run in double and are rounded once.
#include <cmath>
#include <limits>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/interpreter/lanes.h"

namespace hidet::graph {

namespace {

using namespace lanes;
using ir::DType;

struct Extents {
    std::vector<std::int64_t> values;
    std::int64_t count() const {
        std::int64_t count = 1;
        for (std::int64_t each : values)
            count *= each;
        return count;
    }
};

// Rows that hold the index of each lane, by dimension.
class IndexRows {
public:
    explicit IndexRows(const std::vector<std::int64_t>& shape) : m_shape(shape), m_rows(shape.size()) {
        for (Row& row : m_rows)
            row.resize(lane_count);
    }
    void set(std::int64_t first, int lanes) {
        for (int i = 0; i < lanes; ++i) {
            std::int64_t rest = first + i;
            for (std::size_t d = m_shape.size(); d-- > 0;) {
                m_rows[d][static_cast<std::size_t>(i)].i = rest % m_shape[d];
                rest /= m_shape[d];
            }
        }
    }
    Row& row(std::size_t d) { return m_rows[d]; }

private:
    const std::vector<std::int64_t>& m_shape;
    std::vector<Row> m_rows;
};

bool is_arg(ReduceOp op) {
    return op == ReduceOp::ArgMax || op == ReduceOp::ArgMin;
}

// The running values of a reduction, one per lane.
class Accumulator {
public:
    explicit Accumulator(const Reduction& reduction)
        : m_reduction(reduction), m_values(lane_count), m_best(lane_count) {}

    void start() {
        std::fill(m_values.begin(), m_values.end(), neutral());
        std::fill(m_best.begin(), m_best.end(), -1);
    }
    void take(int lanes, const Active& active, const Row& terms, std::int64_t index) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i)
            if (active[i])
                take(i, terms[i], index);
    }
    Cell result(std::size_t lane, DType dtype) const {
        Cell cell = m_values[lane];
        if (is_arg(m_reduction.op)) {
            cell.i = m_best[lane] < 0 ? 0 : m_best[lane];
            return cell;
        }
        if (ir::is_float(m_reduction.accumulate))
            cell.d = ir::round_to(cell.d, m_reduction.accumulate);
        else
            cell.i = ir::wrap_to(cell.i, m_reduction.accumulate);
        return ir::converted(cell, m_reduction.accumulate, dtype);
    }

private:
    bool is_float() const { return ir::is_float(m_reduction.accumulate); }
    Cell neutral() const {
        Cell cell;
        const bool is_max = m_reduction.op == ReduceOp::Max;
        if (is_float()) {
            const double infinity = std::numeric_limits<double>::infinity();
            cell.d = m_reduction.op == ReduceOp::Prod  ? 1
                     : m_reduction.op == ReduceOp::Max ? -infinity
                     : m_reduction.op == ReduceOp::Min ? infinity
                                                       : 0;
            return cell;
        }
        const ir::IntegerRange range = ir::integer_range(m_reduction.accumulate);
        cell.i = m_reduction.op == ReduceOp::Prod || m_reduction.op == ReduceOp::And ? 1
                 : is_max                                                            ? range.lowest
                 : m_reduction.op == ReduceOp::Min ? static_cast<std::int64_t>(range.highest)
                                                   : 0;
        return cell;
    }
    bool is_less(Cell a, Cell b) const {
        if (is_float())
            return a.d < b.d;
        return ir::is_signed(m_reduction.accumulate)
                   ? a.i < b.i
                   : static_cast<std::uint64_t>(a.i) < static_cast<std::uint64_t>(b.i);
    }
    // NaN beats everything, and the first of them stays.
    bool is_better(Cell term, Cell best) const {
        if (is_float() && std::isnan(best.d))
            return false;
        if (is_float() && std::isnan(term.d))
            return true;
        const bool wants_more = m_reduction.op == ReduceOp::Max || m_reduction.op == ReduceOp::ArgMax;
        return wants_more ? is_less(best, term) : is_less(term, best);
    }
    void take(std::size_t lane, Cell term, std::int64_t index) {
        Cell& value = m_values[lane];
        switch (m_reduction.op) {
        case ReduceOp::Sum:
            if (is_float())
                value.d += term.d;
            else
                value.i =
                    static_cast<std::int64_t>(static_cast<std::uint64_t>(value.i) + static_cast<std::uint64_t>(term.i));
            return;
        case ReduceOp::Prod:
            if (is_float())
                value.d *= term.d;
            else
                value.i =
                    static_cast<std::int64_t>(static_cast<std::uint64_t>(value.i) * static_cast<std::uint64_t>(term.i));
            return;
        case ReduceOp::And: value.i = value.i && term.i; return;
        case ReduceOp::Or: value.i = value.i || term.i; return;
        case ReduceOp::Max:
        case ReduceOp::Min:
            if (is_better(term, value))
                value = term;
            return;
        case ReduceOp::ArgMax:
        case ReduceOp::ArgMin: {
            const bool is_tie = m_reduction.last && m_best[lane] >= 0 && !is_better(value, term);
            if (m_best[lane] >= 0 && !is_better(term, value) && !is_tie)
                return;
            value = term;
            m_best[lane] = index;
            return;
        }
        }
    }

    const Reduction& m_reduction;
    Row m_values;
    std::vector<std::int64_t> m_best;
};

class TaskRun {
public:
    TaskRun(const Task& task, const Tensors& inputs, const SymbolValues& symbols) : m_task(task), m_symbols(symbols) {
        HIDET_CHECK(inputs.size() == task.inputs.size(), "a task with other inputs");
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            bind_symbols(shape_of(task.inputs[i]), inputs[i]->shape, m_symbols, task.name);
            keep(task.inputs[i], inputs[i]);
        }
    }

    Tensors run() {
        for (const Stage& stage : m_task.stages)
            run(stage);
        Tensors results;
        for (const ir::VarRef& output : m_task.outputs)
            results.push_back(m_tensors.at(output.get()));
        return results;
    }

private:
    void keep(const ir::VarRef& var, const lang::TensorRef& tensor) {
        m_tensors[var.get()] = tensor;
        m_elements[var.get()] = {tensor->dtype, tensor->shape, tensor->read()};
    }

    Environment environment() const {
        Environment result;
        for (const auto& [var, elements] : m_elements)
            result.tensors[var] = &elements;
        result.symbols = &m_symbols;
        return result;
    }

    void run(const Stage& stage) {
        Extents extents;
        for (const Dim& each : shape_of(stage.tensor))
            extents.values.push_back(value_of(each, m_symbols));
        const lang::TensorRef result = make_tensor(dtype_of(stage.tensor), extents.values);
        IndexRows axes(extents.values);
        Environment names = environment();
        for (std::size_t d = 0; d < stage.axes.size(); ++d)
            names.rows[stage.axes[d].get()] = &axes.row(d);
        if (extents.count() > 0) {
            if (stage.reduction)
                reduce(stage, names, axes, extents.count(), *result);
            else
                compute(stage, names, axes, extents.count(), *result);
        }
        keep(stage.tensor, result);
    }

    static int lanes_at(std::int64_t first, std::int64_t count) {
        return static_cast<int>(std::min<std::int64_t>(lane_count, count - first));
    }

    void compute(const Stage& stage, const Environment& names, IndexRows& axes, std::int64_t count,
                 lang::Tensor& result) {
        Code value(stage.value, names);
        const Active all(lane_count, 1);
        std::byte* data = result.data();
        for (std::int64_t first = 0; first < count; first += lane_count) {
            const int lanes = lanes_at(first, count);
            axes.set(first, lanes);
            const Row& row = value.run(lanes, all);
            for (int i = 0; i < lanes; ++i)
                store(result.dtype, data, first + i, row[static_cast<std::size_t>(i)]);
        }
    }

    void reduce(const Stage& stage, Environment names, IndexRows& axes, std::int64_t count, lang::Tensor& result) {
        const Reduction& reduction = *stage.reduction;
        std::vector<Code> extents;
        for (const ir::ExprRef& each : reduction.extents)
            extents.emplace_back(each, names);
        std::vector<Row> rows(reduction.axes.size(), Row(lane_count));
        for (std::size_t d = 0; d < rows.size(); ++d)
            names.rows[reduction.axes[d].get()] = &rows[d];
        Code value(stage.value, names);
        Accumulator sum(reduction);
        const Active all(lane_count, 1);
        std::byte* data = result.data();
        for (std::int64_t first = 0; first < count; first += lane_count) {
            const int lanes = lanes_at(first, count);
            axes.set(first, lanes);
            sum.start();
            std::vector<const Row*> ends;
            for (Code& each : extents)
                ends.push_back(&each.run(lanes, all));
            walk(rows, ends, lanes, [&](const Active& active, std::int64_t index) {
                sum.take(lanes, active, value.run(lanes, active), index);
            });
            for (int i = 0; i < lanes; ++i)
                store(result.dtype, data, first + i, sum.result(static_cast<std::size_t>(i), result.dtype));
        }
    }

    // Calls `step` for every index below the largest extents, with the lanes that have it.
    template <class Step>
    static void walk(std::vector<Row>& rows, const std::vector<const Row*>& ends, int lanes, Step&& step) {
        const std::size_t rank = rows.size();
        std::vector<std::int64_t> index(rank, 0);
        std::vector<std::int64_t> largest(rank, 0);
        bool is_ragged = false;
        for (std::size_t d = 0; d < rank; ++d)
            for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i) {
                is_ragged |= (*ends[d])[i].i != (*ends[d])[0].i;
                largest[d] = std::max(largest[d], (*ends[d])[i].i);
            }
        for (std::int64_t each : largest)
            if (each <= 0)
                return;
        for (Row& row : rows)
            for (Cell& cell : row)
                cell.i = 0;
        Active active(lane_count, 1);
        std::int64_t linear = 0;
        while (true) {
            if (is_ragged)
                for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i) {
                    active[i] = 1;
                    for (std::size_t d = 0; d < rank; ++d)
                        active[i] = active[i] && index[d] < (*ends[d])[i].i;
                }
            step(active, linear++);
            std::size_t d = rank;
            while (d > 0 && ++index[d - 1] == largest[d - 1])
                index[--d] = 0;
            if (d == 0)
                return;
            for (std::size_t moved = d - 1; moved < rank; ++moved)
                for (Cell& cell : rows[moved])
                    cell.i = index[moved];
        }
    }

    const Task& m_task;
    SymbolValues m_symbols;
    std::map<const ir::Var*, lang::TensorRef> m_tensors;
    std::map<const ir::Var*, Elements> m_elements;
};

} // namespace

Tensors run_task(const Task& task, const Tensors& inputs, const SymbolValues& symbols) {
    return TaskRun(task, inputs, symbols).run();
}

} // namespace hidet::graph
