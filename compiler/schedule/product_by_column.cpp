// SPDX-License-Identifier: Apache-2.0
// A product in which each column has rows of its own, which lie beside each other: channels that are convolved for themselves and
// come last. A term is a vector of a row times one of the packed columns; there is one term for each tap of a window.
//
// Neighbours of a line, which is the last axis of rows, read at a constant distance, so a tile of them takes a single pointer, and
// the taps of the line are reached from it at constant distances, too. What lies in the padding is left out: whole lines of taps
// once for each line; along the line the taps of its ends, which are computed one by one. A last tile that would reach beyond the
// others begins earlier instead.
//
// A unit of parallel work is some lines by some tiles of columns. It goes along a line once, and takes all of its columns at each
// place: so it reads and writes memory in its order. Sums wait in `sums` until they are written through the definition, each once.
#include <algorithm>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/schedule/product_axes.h"
#include "compiler/schedule/running_sums.h"

namespace hidet::graph {

using namespace ir;

namespace {

std::string single_of(const std::string& callee) {
    return callee + "_single";
}

// The sums of neighbours of a line: over the lines of taps that `at` and `of_panel` name. A single one may have taps in the padding
// and is told which it has; of several, all have all.
enum class TapsOf : std::uint8_t { One, Several };

class ColumnTile {
public:
    ColumnTile(const ProductForm& form, DType sum, std::int64_t rows, std::int64_t columns)
        : m_form(form), m_running(sum, rows, columns, form.lanes) {}

    FunctionRef build(const std::string& name, TapsOf which, const ExprRef& lines_of_taps, std::int64_t taps) {
        const Shape vectors = {dim(m_form.tile_columns)};
        const VarRef x = param("x", m_running.dtype(), vectors);
        const VarRef panel = param("panel", m_running.dtype(), vectors);
        const VarRef at = param("at", DType::I64, {lines_of_taps});
        const VarRef of_panel = param("of_panel", DType::I64, {lines_of_taps});
        const VarRef count = number("count");
        const VarRef sums = param("sums", m_running.dtype(), {dim(m_running.rows()), vectors[0]});
        const Taps each_tap = which == TapsOf::One ? some_taps() : all_taps(taps);
        StmtRef terms = loop("t", count, [&](const ExprRef& line) {
            StmtVec stmts;
            const VarRef row = pointer("row", add(x, make_element(at, {line})), stmts);
            const VarRef factors = pointer("factors", add(panel, make_element(of_panel, {line})), stmts);
            stmts.push_back(each_tap([&](const ExprRef& tap) { return term(row, factors, tap); }));
            return make_seq(std::move(stmts));
        });
        m_function.name = name;
        m_function.func_kind = FuncKind::CpuInternal;
        m_function.ret = void_type();
        // A loop that is known to run leaves the sums in registers before it and behind it, too.
        StmtRef nothing =
            m_running.each([&](const ExprVec& place) { return make_store(sums, place, zero(m_running.dtype())); });
        m_function.body =
            make_if(equal(count, i64(0)), std::move(nothing),
                    make_seq({m_running.declared(), m_running.from_zero(), std::move(terms), m_running.to(sums)}));
        return make<Function>(std::move(m_function));
    }

private:
    using Body = std::function<StmtRef(const ExprRef& tap)>;
    using Taps = std::function<StmtRef(const Body&)>;

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

    Taps some_taps() {
        const VarRef begin = number("begin"), end = number("end");
        return [begin, end](const Body& body) {
            return loop("v", sub(end, begin), [&](const ExprRef& index) {
                StmtVec stmts;
                const VarRef tap = let("tap", add(begin, index), stmts);
                stmts.push_back(body(tap));
                return make_seq(std::move(stmts));
            });
        };
    }
    static Taps all_taps(std::int64_t taps) {
        constexpr std::int64_t most_copies = 8;
        return [taps](const Body& body) {
            if (taps > most_copies)
                return loop("v", i64(taps), body);
            StmtVec stmts;
            for (std::int64_t tap = 0; tap < taps; ++tap)
                stmts.push_back(body(i64(tap)));
            return make_seq(std::move(stmts));
        };
    }
    StmtRef term(const VarRef& row, const VarRef& factors, const ExprRef& tap) const {
        const ByColumn& by_column = *m_form.in_place->by_column;
        return m_running.each([&](const ExprVec& place) {
            const ExprRef from = add(mul(tap, i64(by_column.tap_step)), i64(*constant_of(place[0]) * by_column.step));
            return m_running.multiply_add(place, make_element(row, {add(place[1], from)}),
                                          make_element(factors, {add(place[1], mul(tap, i64(m_form.tile_columns)))}));
        });
    }

    const ProductForm& m_form;
    const RunningSums m_running;
    Function m_function;
};

class ByColumnBuilder {
public:
    ByColumnBuilder(const ProductAxes& axes, std::string callee)
        : m_frame(axes.frame), m_form(axes.form), m_in_place(*m_form.in_place), m_callee(std::move(callee)),
          m_axes(axes), m_outer(m_axes.rows.begin(), m_axes.rows.end() - 1),
          m_taps(m_axes.extents.begin(), m_axes.extents.end() - 1) {
        m_columns = m_frame.packed(m_axes.packing(m_form.of_columns, m_form.constant_columns, Factor::Columns));
        const TypeRef places = tensor_type(data_type(DType::I64), {lines_of_taps()});
        m_at = make_var("at", places);
        m_of_panel = make_var("of_panel", places);
        m_sums = make_var("sums", matrix(m_axes.sum, m_form.tile_rows, m_form.tile_columns));
    }

    ExprRef lines_of_taps() const { return count_of(m_taps); }
    std::int64_t taps_of_line() const { return *constant_of(m_axes.extents.back()); }

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
        const std::int64_t rows = m_form.tile_rows;
        const VarRef inner = let("inner", greatest_of(sub(m_high, m_low), i64(0)), stmts);
        const VarRef in_tiles = let("in_tiles", select(less(inner, i64(rows)), i64(0), inner), stmts);
        stmts.push_back(loop("s", sub(extent_of_line(), in_tiles), [&](const ExprRef& which) {
            return single(select(less(which, m_low), which, add(which, in_tiles)));
        }));
        stmts.push_back(loop("r", ceil_div(in_tiles, rows), [&](const ExprRef& which) {
            return tile(mul(which, i64(rows)), sub(in_tiles, i64(rows)));
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

    // Neighbours of a line from `from` on, or from `last` on if that is earlier, where some were computed before.
    StmtRef tile(const ExprRef& from, const ExprRef& last) const {
        StmtVec stmts;
        const VarRef wanted = let("wanted", from, stmts);
        const VarRef begin = let("begin", least_of(wanted, last), stmts);
        const VarRef x = let("x_of", add(m_low, begin), stmts);
        const VarRef done = let("done", sub(wanted, begin), stmts);
        stmts.push_back(m_axes.each_tile(m_unit_columns, m_callee, [&](const ExprRef& column, const std::string& of) {
            return columns(column, of, {x, done, i64(m_form.tile_rows)}, {});
        }));
        return make_seq(std::move(stmts));
    }

    // One element of a line, of which some taps may be in the padding.
    StmtRef single(const ExprRef& x) const {
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
        stmts.push_back(m_axes.each_tile(m_unit_columns, m_callee, [&](const ExprRef& column, const std::string& of) {
            return columns(column, single_of(of), {at, i64(0), i64(1)}, {begin, end});
        }));
        return make_seq(std::move(stmts));
    }

    struct Neighbours {
        ExprRef x, done, count; // the first one; how many are not written; how many there are
    };
    StmtRef columns(const ExprRef& column, const std::string& callee, const Neighbours& of, const ExprVec& taps) const {
        StmtVec stmts;
        const VarRef first = let("first_column", add(m_first_column, column), stmts);
        ExprVec of_panel(m_taps.size() + 3, i64(0));
        of_panel[0] = floor_div(first, i64(m_form.tile_columns));
        const ExprRef row = add(mul(of.x, i64(m_in_place.by_column->step)), first);
        ExprVec args = {add(m_frame.param(*m_in_place.tensor), row),
                        address_of(m_columns, of_panel),
                        address_of(m_at, {i64(0)}),
                        address_of(m_of_panel, {i64(0)}),
                        m_count,
                        address_of(m_sums, {i64(0), i64(0)})};
        args.insert(args.end(), taps.begin(), taps.end());
        stmts.push_back(make_evaluate(make_call(callee, std::move(args), void_type())));
        stmts.push_back(write(first, of));
        return make_seq(std::move(stmts));
    }

    StmtRef write(const VarRef& first_column, const Neighbours& of) const {
        const ExprRef left = sub(add(m_first_column, m_unit_columns), first_column);
        return loop("w", sub(of.count, of.done), [&](const ExprRef& index) {
            StmtVec stmts;
            const VarRef at = let("of_sums", add(of.done, index), stmts);
            ExprVec row = m_line;
            row.push_back(let("x_to", add(of.x, at), stmts));
            stmts.push_back(m_axes.write_line(row, first_column, left, m_sums, at));
            return make_seq(std::move(stmts));
        });
    }

    KernelFrame& m_frame;
    const ProductForm& m_form;
    const RowsInPlace& m_in_place;
    const std::string m_callee;
    const ProductAxes& m_axes;
    const ExprVec m_outer, m_taps; // extents: of the lines, and of the taps but for those along a line
    VarRef m_columns, m_at, m_of_panel, m_sums;
    // Of the unit, the line and the part of it that are being built.
    VarRef m_first_column, m_unit_columns, m_low, m_high, m_count;
    ExprVec m_line;
};

} // namespace

ScheduledKernel by_column_product_kernel(KernelFrame& frame, const ProductForm& form, const std::string& name) {
    frame.order_terms(form.in_place->order);
    const DType sum = frame.stage().reduction->accumulate;
    const std::string callee = name + "_tile";
    const ProductAxes axes(frame, form);
    ByColumnBuilder builder(axes, callee);
    Function function;
    function.name = name;
    function.func_kind = FuncKind::CpuKernel;
    function.body = builder.build();
    ScheduledKernel kernel = frame.finish(std::move(function));
    const auto add_tile = [&](std::int64_t columns, TapsOf which, const std::string& as) {
        const std::int64_t rows = which == TapsOf::One ? 1 : form.tile_rows;
        kernel.callees.push_back(
            ColumnTile(form, sum, rows, columns).build(as, which, builder.lines_of_taps(), builder.taps_of_line()));
    };
    const auto add_tiles = [&](std::int64_t columns, const std::string& of) {
        add_tile(columns, TapsOf::Several, of);
        add_tile(columns, TapsOf::One, single_of(of));
    };
    add_tiles(form.tile_columns, callee);
    if (axes.has_half())
        add_tiles(form.tile_columns / 2, half_of(callee));
    return kernel;
}

} // namespace hidet::graph
