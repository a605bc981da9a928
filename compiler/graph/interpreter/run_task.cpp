// SPDX-License-Identifier: Apache-2.0
// Stages of a task, one after the other: lanes are elements of the result, and a reduction walks its extents for all of
// them at once. Sums and products of floats run in double and are rounded once.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/interpreter/lanes.h"
#include "lang/base/helpers.h"

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
            row.resize(lane_count, Cell{.i = 0});
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (shape[d] != 1)
                m_moving = d;
        m_runs.moving = shape.empty() ? nullptr : &m_rows[m_moving];
    }
    IndexRows(const IndexRows&) = delete;
    IndexRows& operator=(const IndexRows&) = delete;

    void set(std::int64_t first, int lanes) {
        m_runs.all.clear();
        if (m_shape.empty()) {
            m_runs.all.push_back({0, lanes});
            return;
        }
        std::vector<std::int64_t> index(m_moving + 1); // the dimensions behind it have the index 0 alone
        for (std::size_t d = m_moving + 1; d-- > 0; first /= m_shape[d])
            index[d] = first % m_shape[d];
        for (int lane = 0; lane < lanes;) {
            const int count =
                static_cast<int>(std::min<std::int64_t>(lanes - lane, m_shape[m_moving] - index[m_moving]));
            m_runs.all.push_back({lane, count});
            for (std::size_t d = 0; d <= m_moving; ++d) {
                const std::int64_t step = d == m_moving;
                for (int i = 0; i < count; ++i)
                    m_rows[d][static_cast<std::size_t>(lane + i)].i = index[d] + step * i;
            }
            lane += count;
            index[m_moving] += count;
            for (std::size_t d = m_moving; d > 0 && index[d] == m_shape[d]; --d) {
                index[d] = 0;
                ++index[d - 1];
            }
        }
    }
    Row& row(std::size_t d) { return m_rows[d]; }
    const Runs& runs() const { return m_runs; }

private:
    const std::vector<std::int64_t>& m_shape;
    std::vector<Row> m_rows;
    std::size_t m_moving = 0; // the last dimension of more than one index
    Runs m_runs;
};

struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// Calls part(next) on several threads where there is enough to do; next() gives ranges, until all of 0 .. count - 1 are
// given away, that begin at multiples of lane_count. The failure of the first range that fails is thrown.
class Parts {
public:
    template <class Part>
    static void run(std::int64_t count, std::int64_t work_of_one, Part&& part) {
        constexpr std::int64_t worth_a_thread = 1 << 16;
        constexpr std::int64_t most_threads = 16;
        const std::int64_t length =
            std::clamp<std::int64_t>(worth_a_thread / std::max<std::int64_t>(work_of_one, 1) / lane_count, 1, 64) *
            lane_count;
        Parts parts(count, length);
        const std::int64_t pieces = (count + length - 1) / length;
        const std::int64_t threads =
            std::min({pieces, most_threads, std::max<std::int64_t>(std::thread::hardware_concurrency(), 1)});
        const auto work = [&] { parts.work(part); };
        {
            Helpers helpers;
            for (std::int64_t i = 1; i < threads; ++i)
                helpers.start(work);
            work();
        }
        if (parts.m_failure)
            std::rethrow_exception(parts.m_failure);
    }

private:
    Parts(std::int64_t count, std::int64_t length) : m_count(count), m_length(length) {}

    template <class Part>
    void work(Part& part) {
        std::int64_t begin = 0;
        try {
            part([&]() -> std::optional<Range> {
                begin = m_next.fetch_add(m_length, std::memory_order_relaxed);
                if (begin >= m_count)
                    return std::nullopt;
                return Range{begin, std::min(m_count, begin + m_length)};
            });
        } catch (...) {
            const std::lock_guard lock(m_mutex);
            if (!m_failure || begin < m_failed_at) {
                m_failure = std::current_exception();
                m_failed_at = begin;
            }
            m_next = m_count;
        }
    }

    const std::int64_t m_count;
    const std::int64_t m_length;
    std::atomic<std::int64_t> m_next{0};
    std::mutex m_mutex;
    std::exception_ptr m_failure;
    std::int64_t m_failed_at = 0;
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
        if (m_reduction.op == ReduceOp::Sum && is_float()) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i)
                if (active[i])
                    m_values[i].d += terms[i].d;
            return;
        }
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
        return transformed(m_task.outputs, [&](const ir::VarRef& output) { return m_tensors.at(output.get()); });
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
        std::byte* data = result->data();
        const std::int64_t count = extents.count();
        if (count > 0)
            Parts::run(count, work_of_element(stage), [&](const auto& next) {
                IndexRows axes(extents.values);
                Environment names = environment();
                names.runs = &axes.runs();
                for (std::size_t d = 0; d < stage.axes.size(); ++d)
                    names.rows[stage.axes[d].get()] = &axes.row(d);
                if (stage.reduction)
                    reduce(stage, names, axes, next, *result, data);
                else
                    compute(stage, names, axes, next, *result, data);
            });
        keep(stage.tensor, result);
    }

    // Steps of the interpreter, roughly; extents that depend on the element count as some.
    std::int64_t work_of_element(const Stage& stage) const {
        constexpr std::int64_t some = 16;
        double work = stage.value->size;
        if (stage.reduction)
            for (const ir::ExprRef& each : stage.reduction->extents)
                work *= static_cast<double>(std::max<std::int64_t>(constant_of(each).value_or(some), 1));
        return static_cast<std::int64_t>(std::min(work, 1e9));
    }

    static int lanes_at(std::int64_t first, std::int64_t count) {
        return static_cast<int>(std::min<std::int64_t>(lane_count, count - first));
    }

    template <class Next>
    static void compute(const Stage& stage, const Environment& names, IndexRows& axes, const Next& next,
                        const lang::Tensor& result, std::byte* data) {
        Code value(stage.value, names);
        const Active all(lane_count, 1);
        while (const std::optional<Range> range = next())
            for (std::int64_t first = range->begin; first < range->end; first += lane_count) {
                const int lanes = lanes_at(first, range->end);
                axes.set(first, lanes);
                store_run(result.dtype, data, first, lanes, value.run(lanes, all).data());
            }
    }

    template <class Next>
    static void reduce(const Stage& stage, Environment names, IndexRows& axes, const Next& next,
                       const lang::Tensor& result, std::byte* data) {
        const Reduction& reduction = *stage.reduction;
        std::vector<Code> extents =
            transformed(reduction.extents, [&](const ir::ExprRef& each) { return Code(each, names); });
        std::vector<Row> rows(reduction.axes.size(), Row(lane_count));
        for (std::size_t d = 0; d < rows.size(); ++d)
            names.rows[reduction.axes[d].get()] = &rows[d];
        Code value(stage.value, names);
        Accumulator sum(reduction);
        const Active all(lane_count, 1);
        while (const std::optional<Range> range = next())
            for (std::int64_t first = range->begin; first < range->end; first += lane_count) {
                const int lanes = lanes_at(first, range->end);
                axes.set(first, lanes);
                sum.start();
                std::vector<const Row*> ends = transformed(extents, [&](Code& each) { return &each.run(lanes, all); });
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
    if (task.is_opaque)
        throw OpError("'", task.name, "' is opaque: it has kernels, and no definition to evaluate");
    return TaskRun(task, inputs, symbols).run();
}

} // namespace hidet::graph
