// SPDX-License-Identifier: Apache-2.0
// A product in which each column has rows of its own, which lie beside each other: channels that are convolved for themselves and
// come last. A term is a vector of a row times one of the packed columns; there is one term for each tap of a window.
//
// Neighbours of a line, which is the last axis of rows, read at a constant distance, so a tile of them takes a single pointer, and
// the taps of the line are reached from it at constant distances, too. What lies in the padding is left out: whole lines of taps
// once for each line; along the line the taps of its ends, which are computed one by one. A last tile that would reach beyond the
// others begins earlier instead.
//
// A unit of parallel work is some lines by some tiles of columns. The sums of a part of a line wait in `sums` until they are
// written through the definition.
#include <algorithm>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/schedule/product_axes.h"

namespace hidet::graph {

using namespace ir;

namespace {

std::string single_of(const std::string& callee) {
    return callee + "_single";
}

// The sums of `rows` neighbours of a line: over the lines of taps that `at` and `of_panel` name, and there from tap `begin` on.
class ColumnTile {
public:
    ColumnTile(const ProductForm& form, DType sum, std::int64_t rows, std::int64_t columns)
        : m_form(form), m_sum(sum), m_rows(rows), m_columns(columns),
          m_running(make_var("running", matrix(sum, rows, columns))) {}

    FunctionRef build(const std::string& name, const ExprRef& lines_of_taps) {
        const std::int64_t width = m_form.tile_columns;
        const VarRef x = param("x", m_sum, {dim(width)});
        const VarRef panel = param("panel", m_sum, {dim(width)});
        const VarRef at = param("at", DType::I64, {lines_of_taps});
        const VarRef of_panel = param("of_panel", DType::I64, {lines_of_taps});
        const VarRef count = number("count"), begin = number("begin"), end = number("end");
        const VarRef sums = param("sums", m_sum, {dim(m_rows), dim(width)});
        StmtRef terms = loop("t", count, [&](const ExprRef& line) {
            return loop("v", sub(end, begin), [&](const ExprRef& from_begin) {
                StmtVec stmts;
                const VarRef tap = let("tap", add(begin, from_begin), stmts);
                const ExprRef to_row =
                    add(make_element(at, {line}), mul(tap, i64(m_form.in_place->by_column->tap_step)));
                const VarRef row = pointer("row", add(x, to_row), stmts);
                const VarRef factors =
                    pointer("factors", add(panel, add(make_element(of_panel, {line}), mul(tap, i64(width)))), stmts);
                for (std::int64_t i = 0; i < m_rows; ++i)
                    for (std::int64_t lane = 0; lane < m_columns; lane += lanes())
                        stmts.push_back(multiply_add(row, factors, i, lane));
                return make_seq(std::move(stmts));
            });
        });
        m_function.name = name;
        m_function.func_kind = FuncKind::CpuInternal;
        m_function.ret = void_type();
        m_function.body = make_seq(
            {make_declare(m_running, nullptr, Scope::Register),
             each([&](const ExprVec& place) { return make_store(m_running, place, zero(m_sum)); }), std::move(terms),
             each([&](const ExprVec& place) { return make_store(sums, place, make_element(m_running, place)); })});
        return make<Function>(std::move(m_function));
    }

private:
    VarRef param(const char* name, DType dtype, const Shape& shape) {
        m_function.params.push_back(make_var(name, parameter_type(dtype, shape)));
        return m_function.params.back();
    }
    VarRef number(const char* name) {
        m_function.params.push_back(index_var(name));
        return m_function.params.back();
    }
    static VarRef pointer(const char* name, ExprRef value, StmtVec& stmts) {
        const VarRef var = make_var(name, value->type);
        stmts.push_back(make_let_stmt(var, std::move(value)));
        return var;
    }
    StmtRef each(const std::function<StmtRef(const ExprVec& place)>& body) const {
        return loop("row", i64(m_rows), [&](const ExprRef& row) {
            return loop("lane", i64(m_columns), [&](const ExprRef& lane) { return body({row, lane}); });
        });
    }
    std::int64_t lanes() const { return std::min(m_form.in_place->by_column->lanes, m_columns); }
    // A vector each: GCC leaves the sums in memory where the body of a loop over several reads two of them.
    StmtRef multiply_add(const VarRef& row, const VarRef& factors, std::int64_t i, std::int64_t first) const {
        const std::int64_t from = i * m_form.in_place->by_column->step;
        return loop("lane", i64(lanes()), [&](const ExprRef& index) {
            const ExprRef lane = add(index, i64(first));
            const ExprVec place = {int_constant(i), lane};
            const ExprRef before = make_element(m_running, place);
            const ExprRef a = make_element(row, {add(lane, i64(from))}), b = make_element(factors, {lane});
            return make_store(m_running, place, make_intrinsic(IntrinsicId::Fma, {a, b, before}, before->type));
        });
    }

    const ProductForm& m_form;
    const DType m_sum;
    const std::int64_t m_rows, m_columns;
    const VarRef m_running;
    Function m_function;
};

class ByColumnBuilder {
public:
    ByColumnBuilder(KernelFrame& frame, const ProductForm& form, std::string callee)
        : m_frame(frame), m_form(form), m_in_place(*form.in_place), m_callee(std::move(callee)), m_axes(frame, form),
          m_outer(m_axes.rows.begin(), m_axes.rows.end() - 1),
          m_taps(m_axes.extents.begin(), m_axes.extents.end() - 1) {
        m_columns = m_frame.packed(m_axes.packing(form.of_columns, form.constant_columns, Factor::Columns));
        const TypeRef places = tensor_type(data_type(DType::I64), {lines_of_taps()});
        m_at = make_var("at", places);
        m_of_panel = make_var("of_panel", places);
        m_sums = make_var("sums", matrix(m_axes.sum, form.block_rows, form.tile_columns));
    }

    ExprRef lines_of_taps() const { return count_of(m_taps); }
    bool has_half() const { return m_axes.half_columns() > 0; }

    StmtRef build() {
        const ExprVec extents = {ceil_div(count_of(m_outer), m_form.unit_rows),
                                 ceil_div(m_axes.column_count, m_form.block_columns)};
        const auto body = [&](const ExprRef& unit) { return this->unit(place_of(unit, extents)); };
        return loop("unit", count_of(extents), body, m_form.is_parallel ? parallel : LoopAttr{});
    }

private:
    ExprRef extent_of_line() const { return cast_to(m_axes.rows.back(), DType::I64); }
    ExprRef extent_of_taps() const { return cast_to(m_axes.extents.back(), DType::I64); }

    // Something of the term at this place of the lines, this place along one, and this tap.
    ExprRef at_term(const ExprRef& of, const ExprVec& line, const ExprRef& x, ExprVec taps, const ExprRef& tap) const {
        ExprVec row = line;
        row.push_back(x);
        taps.push_back(tap);
        return m_frame.index(of, m_axes.of({}, row, {}, i64(0)), taps);
    }
    ExprRef is_inside(const ExprRef& x, const ExprRef& tap) const {
        return at_term(m_in_place.by_column->inside, ExprVec(m_outer.size(), i64(0)), x, ExprVec(m_taps.size(), i64(0)),
                       tap);
    }

    StmtRef unit(const ExprVec& place) {
        StmtVec stmts;
        for (const VarRef& array : {m_at, m_of_panel, m_sums})
            stmts.push_back(make_declare(array, nullptr, Scope::Register));
        const VarRef first = let("line", mul(place[0], i64(m_form.unit_rows)), stmts);
        const VarRef lines = let("lines", least_of(sub(count_of(m_outer), first), i64(m_form.unit_rows)), stmts);
        m_first_column = let("column", mul(place[1], i64(m_form.block_columns)), stmts);
        m_unit_columns =
            let("columns", least_of(sub(m_axes.column_count, m_first_column), i64(m_form.block_columns)), stmts);
        find_ends(stmts);
        stmts.push_back(loop("l", lines, [&](const ExprRef& index) { return line(add(first, index)); }));
        return make_seq(std::move(stmts));
    }

    VarRef moving(const char* name, const ExprRef& start, StmtVec& stmts) const {
        const VarRef var = index_var(name);
        stmts.push_back(make_declare(var, start));
        return var;
    }
    static StmtRef moved(const VarRef& var, std::int64_t by) { return make_assign(var, add(var, i64(by))); }

    // From `low` to `high` along a line no tap is in the padding.
    void find_ends(StmtVec& stmts) {
        m_low = moving("low", i64(0), stmts);
        m_high = moving("high", extent_of_line(), stmts);
        if (!m_in_place.by_column->inside)
            return;
        const ExprRef last = sub(extent_of_taps(), i64(1));
        const auto has_padding = [&](const ExprRef& x) {
            return logical_not(logical_and(is_inside(x, i64(0)), is_inside(x, last)));
        };
        const ExprRef is_left = less(m_low, m_high);
        stmts.push_back(make_while(logical_and(is_left, has_padding(m_low)), moved(m_low, 1)));
        stmts.push_back(make_while(logical_and(is_left, has_padding(sub(m_high, i64(1)))), moved(m_high, -1)));
    }

    StmtRef line(const ExprRef& index) {
        StmtVec stmts;
        m_line = named("at", place_of(let("of", index, stmts), m_outer), stmts);
        m_count = moving("count", i64(0), stmts);
        stmts.push_back(loops("t", m_taps, [&](const ExprVec& taps) { return note_taps(taps); }));
        const std::int64_t most = m_form.block_rows;
        stmts.push_back(loop("b", ceil_div(extent_of_line(), most), [&](const ExprRef& block) {
            StmtVec inner;
            m_from = let("from", mul(block, i64(most)), inner);
            m_to = let("to", least_of(add(m_from, i64(most)), extent_of_line()), inner);
            // Without any neighbour that has all taps, `begin` is `end`, and both are in this block.
            m_begin = let("begin", least_of(greatest_of(m_from, m_low), m_to), inner);
            m_end = let("end", greatest_of(least_of(m_to, m_high), m_begin), inner);
            inner.push_back(
                m_axes.each_tile(m_unit_columns, m_callee, [&](const ExprRef& column, const std::string& callee) {
                    return tile_of_columns(column, callee);
                }));
            return make_seq(std::move(inner));
        }));
        return make_seq(std::move(stmts));
    }
    static ExprRef greatest_of(const ExprRef& a, const ExprRef& b) { return math(IntrinsicId::Max, {a, b}); }

    // A line of taps that is not in the padding.
    StmtRef note_taps(const ExprVec& taps) const {
        const ExprRef offset = at_term(m_in_place.offset, m_line, i64(0), taps, i64(0));
        ExprRef of_panel = i64(0);
        for (std::size_t i = 0; i < taps.size(); ++i)
            of_panel = add(mul(of_panel, cast_to(m_taps[i], DType::I64)), taps[i]);
        of_panel = mul(of_panel, mul(extent_of_taps(), i64(m_form.tile_columns)));
        StmtRef noted = make_seq(
            {make_store(m_at, {m_count}, offset), make_store(m_of_panel, {m_count}, of_panel), moved(m_count, 1)});
        if (!m_in_place.inside)
            return noted;
        return make_if(at_term(m_in_place.inside, m_line, i64(0), taps, i64(0)), std::move(noted));
    }

    StmtRef tile_of_columns(const ExprRef& column, const std::string& callee) const {
        StmtVec stmts;
        const VarRef first = let("first_column", add(m_first_column, column), stmts);
        const VarRef panel = let("panel", floor_div(first, i64(m_form.tile_columns)), stmts);
        const auto sums_of = [&](const std::string& name, const ExprRef& x, const ExprRef& begin, const ExprRef& end) {
            ExprVec of_panel(m_taps.size() + 3, i64(0));
            of_panel[0] = panel;
            const ExprRef row = add(mul(x, i64(m_in_place.by_column->step)), first);
            return make_evaluate(
                make_call(name,
                          {add(m_frame.param(*m_in_place.tensor), row), address_of(m_columns, of_panel),
                           address_of(m_at, {i64(0)}), address_of(m_of_panel, {i64(0)}), m_count, begin, end,
                           address_of(m_sums, {sub(x, m_from), i64(0)})},
                          void_type()));
        };
        const auto single = [&](const ExprRef& x) { return one_by_one(x, single_of(callee), sums_of); };
        const auto singles = [&](const ExprRef& from, const ExprRef& to) {
            return loop("x", sub(to, from), [&](const ExprRef& index) { return single(add(from, index)); });
        };
        const std::int64_t rows = m_form.tile_rows;
        const ExprRef inner = sub(m_end, m_begin);
        StmtRef tiles = loop("r", ceil_div(inner, rows), [&](const ExprRef& tile) {
            const ExprRef x = least_of(add(m_begin, mul(tile, i64(rows))), sub(m_end, i64(rows)));
            return sums_of(callee, x, i64(0), extent_of_taps());
        });
        stmts.push_back(singles(m_from, m_begin));
        stmts.push_back(make_if(less(inner, i64(rows)), singles(m_begin, m_end), std::move(tiles)));
        stmts.push_back(singles(m_end, m_to));
        stmts.push_back(write(first));
        return make_seq(std::move(stmts));
    }

    // One element of a line, of which some taps may be in the padding.
    template <class Sums>
    StmtRef one_by_one(const ExprRef& x, const std::string& callee, const Sums& sums_of) const {
        StmtVec stmts;
        const VarRef at = let("x_of", x, stmts);
        const VarRef begin = moving("begin_tap", i64(0), stmts);
        const VarRef end = moving("end_tap", extent_of_taps(), stmts);
        if (m_in_place.by_column->inside) {
            const ExprRef is_left = less(begin, end);
            stmts.push_back(make_while(logical_and(is_left, logical_not(is_inside(at, begin))), moved(begin, 1)));
            stmts.push_back(
                make_while(logical_and(is_left, logical_not(is_inside(at, sub(end, i64(1))))), moved(end, -1)));
        }
        stmts.push_back(sums_of(callee, at, begin, end));
        return make_seq(std::move(stmts));
    }

    StmtRef write(const VarRef& first_column) const {
        const ExprRef left = sub(add(m_first_column, m_unit_columns), first_column);
        const bool is_even = *constant_of(m_axes.column_count) % m_form.tile_columns == 0;
        const ExprRef many = is_even ? i64(m_form.tile_columns) : least_of(left, i64(m_form.tile_columns));
        return loop("w", sub(m_to, m_from), [&](const ExprRef& index) {
            StmtVec stmts;
            ExprVec row = m_line;
            row.push_back(let("x_of", add(m_from, index), stmts));
            stmts.push_back(loop("lane", many, [&](const ExprRef& lane) {
                return m_frame.store(m_axes.of({}, row, {}, add(first_column, lane)),
                                     make_element(m_sums, {index, lane}));
            }));
            return make_seq(std::move(stmts));
        });
    }

    KernelFrame& m_frame;
    const ProductForm& m_form;
    const RowsInPlace& m_in_place;
    const std::string m_callee;
    const ProductAxes m_axes;
    const ExprVec m_outer, m_taps; // extents: of the lines, and of the taps but for those along a line
    VarRef m_columns, m_at, m_of_panel, m_sums;
    // Of the unit, the line and the part of it that are being built.
    VarRef m_first_column, m_unit_columns, m_low, m_high, m_count, m_from, m_to, m_begin, m_end;
    ExprVec m_line;
};

} // namespace

ScheduledKernel by_column_product_kernel(KernelFrame& frame, const ProductForm& form, const std::string& name) {
    frame.order_terms(form.in_place->order);
    const DType sum = frame.stage().reduction->accumulate;
    const std::string callee = name + "_tile";
    ByColumnBuilder builder(frame, form, callee);
    Function function;
    function.name = name;
    function.func_kind = FuncKind::CpuKernel;
    function.body = builder.build();
    ScheduledKernel kernel = frame.finish(std::move(function));
    const auto add_tiles = [&](std::int64_t columns, const std::string& of) {
        for (const auto& [rows, as] : {std::pair(form.tile_rows, of), std::pair(std::int64_t{1}, single_of(of))})
            kernel.callees.push_back(ColumnTile(form, sum, rows, columns).build(as, builder.lines_of_taps()));
    };
    add_tiles(form.tile_columns, callee);
    if (builder.has_half())
        add_tiles(form.tile_columns / 2, half_of(callee));
    return kernel;
}

} // namespace hidet::graph
