// SPDX-License-Identifier: Apache-2.0
// A product whose rows are read where they lie. The terms of a row are runs of neighbours in memory: the channels of a pixel,
// for each tap of a convolution, where channels come last. A tile takes a pointer for each of its rows, a run of zeros for
// those that are in the padding, and multiplies single elements of the rows by vectors of the packed columns (Dukhan, "The
// Indirect Convolution Algorithm", 2019). Nothing but the constant columns is packed.
//
// A unit of parallel work is some rows by some tiles of columns. It goes through its rows in blocks, of which it first notes
// where the runs begin. Sums of a block's tiles wait in `sums` from one run to the next.
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/schedule/product_axes.h"
#include "compiler/schedule/running_sums.h"

namespace hidet::graph {

using namespace ir;

namespace {

// What a core computes in the time in which columns come from the third cache.
constexpr std::int64_t terms_ahead = 16;

DType type_of_rows(const ProductForm& form, DType sum) {
    return form.is_of_bytes ? DType::U8 : sum;
}

// The function of a tile: what it adds up is in registers meanwhile.
class TileFunction {
public:
    TileFunction(const ProductForm& form, DType sum, std::int64_t columns)
        : m_form(form), m_running(sum, form.tile_rows, columns, form.lanes) {}

    FunctionRef build(const std::string& name) {
        m_function.name = name;
        m_function.func_kind = FuncKind::CpuInternal;
        m_function.ret = void_type();
        m_function.body = sums_of_run();
        return make<Function>(std::move(m_function));
    }

private:
    VarRef param(const std::string& name, DType dtype, const Shape& shape) {
        m_function.params.push_back(make_var(name, parameter_type(dtype, shape)));
        return m_function.params.back();
    }

    StmtRef products(const VarVec& rows, const VarRef& panel, const ExprRef& k) const {
        return m_running.each([&](const ExprVec& place) {
            const auto row = static_cast<std::size_t>(*constant_of(place[0]));
            return m_running.multiply_add(place, make_element(rows[row], {k}), make_element(panel, {k, place[1]}));
        });
    }

    // Four terms.
    StmtRef products_of_bytes(const VarVec& rows, const VarRef& panel, const ExprRef& k) const {
        const std::int64_t all = m_running.columns(), columns = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : 4;
        IntrinsicAttr attr = default_attr(IntrinsicId::DotBytes);
        attr.values[0] = static_cast<std::int16_t>(columns);
        StmtVec stmts;
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::int64_t column = 0; column < all; column += columns)
                stmts.push_back(make_evaluate(make_intrinsic(attr,
                                                             {m_running.address(static_cast<std::int64_t>(i), column),
                                                              address_of(rows[i], {mul(k, i64(bytes_at_once))}),
                                                              address_of(panel, {k, i64(column), i64(0)})},
                                                             void_type())));
        return make_seq(std::move(stmts));
    }

    // Over one run, added to those of the runs before.
    StmtRef sums_of_run() {
        const std::int64_t run = m_form.in_place->run;
        VarVec rows;
        for (std::int64_t i = 0; i < m_form.tile_rows; ++i)
            rows.push_back(param("row" + std::to_string(i), type_of_rows(m_form, m_running.dtype()), {dim(run)}));
        Shape of_panel = {dim(run), dim(m_form.tile_columns)};
        if (m_form.is_of_bytes)
            of_panel = {dim(run / bytes_at_once), dim(m_form.tile_columns), dim(bytes_at_once)};
        const VarRef panel = param("panel", m_form.is_of_bytes ? DType::I8 : m_running.dtype(), of_panel);
        const VarRef sums = param("sums", m_running.dtype(), {dim(m_form.tile_rows), dim(m_form.tile_columns)});
        const VarRef is_first = make_var("is_first", data_type(DType::Bool));
        m_function.params.push_back(is_first);
        StmtRef terms = loop("k", of_panel[0], [&](const ExprRef& k) {
            StmtVec stmts = {m_form.is_of_bytes ? products_of_bytes(rows, panel, k) : products(rows, panel, k)};
            fetch_ahead(panel, k, stmts);
            return make_seq(std::move(stmts));
        });
        return make_seq({m_running.declared(), make_if(is_first, m_running.from_zero(), m_running.from(sums)),
                         std::move(terms), m_running.to(sums)});
    }

    // The processor itself asks for the next columns too late where they come from the second cache or from further away.
    void fetch_ahead(const VarRef& panel, const ExprRef& k, StmtVec& stmts) const {
        const std::int64_t line = 64 / bytes_of(m_running.dtype());
        for (std::int64_t column = 0; column < m_running.columns(); column += line) {
            ExprVec place = {k, i64(column)};
            std::int64_t ahead = terms_ahead * m_form.tile_columns;
            if (m_form.is_of_bytes) {
                place.push_back(i64(0));
                ahead *= bytes_at_once;
            }
            const ExprRef address = add(address_of(panel, std::move(place)), i64(ahead));
            stmts.push_back(make_evaluate(make_intrinsic(IntrinsicId::CpuPrefetch, {address}, void_type())));
        }
    }

    const ProductForm& m_form;
    const RunningSums m_running;
    Function m_function;
};

class InPlaceBuilder {
public:
    InPlaceBuilder(const ProductAxes& axes, std::string callee)
        : m_frame(axes.frame), m_form(axes.form), m_rows(*m_form.in_place), m_callee(std::move(callee)), m_axes(axes),
          m_taps(m_axes.extents.begin(), m_axes.extents.begin() + static_cast<std::ptrdiff_t>(m_rows.taps)) {
        m_columns = m_frame.packed(m_axes.packing(m_form.of_columns, m_form.constant_columns, Factor::Columns));
        m_places = make_var("places", tensor_type(data_type(DType::I64), shape_of_places()));
        m_sums = make_var("sums", matrix(m_axes.sum, m_form.block_rows, m_form.tile_columns));
        m_outside = make_var("outside", matrix(type_of_rows(m_form, m_axes.sum), 1, m_rows.run));
    }

    StmtRef build() {
        const ExprVec extents = {ceil_div(m_axes.row_count, m_form.unit_rows),
                                 ceil_div(m_axes.column_count, m_form.block_columns)};
        const auto body = [&](const ExprRef& unit) { return this->unit(place_of(unit, extents)); };
        return loop("unit", count_of(extents), body, m_form.is_parallel ? parallel : LoopAttr{});
    }

private:
    ExprVec shape_of_places() const {
        ExprVec shape = m_taps;
        shape.push_back(i64(m_form.block_rows));
        return shape;
    }

    StmtRef unit(const ExprVec& place) {
        StmtVec stmts = {make_declare(m_places, nullptr, Scope::Register),
                         make_declare(m_sums, nullptr, Scope::Register)};
        if (m_rows.inside) {
            const ExprRef value = cast_to(i64(m_rows.outside), type_of_rows(m_form, m_axes.sum));
            stmts.push_back(make_declare(m_outside, nullptr, Scope::Register));
            stmts.push_back(loop("k", i64(m_rows.run), [&](const ExprRef& k) {
                return make_store(m_outside, {i64(0), k}, value);
            }));
        }
        const VarRef first_row = let("row", mul(place[0], i64(m_form.unit_rows)), stmts);
        const VarRef rows = let("rows", least_of(sub(m_axes.row_count, first_row), i64(m_form.unit_rows)), stmts);
        m_first_column = let("column", mul(place[1], i64(m_form.block_columns)), stmts);
        const ExprRef left = sub(m_axes.column_count, m_first_column);
        m_unit_columns = let("columns", least_of(left, i64(m_form.block_columns)), stmts);
        stmts.push_back(loop("block", ceil_div(rows, m_form.block_rows),
                             [&](const ExprRef& block) { return block_of_rows(first_row, rows, block); }));
        return make_seq(std::move(stmts));
    }

    StmtRef block_of_rows(const ExprRef& first_row, const ExprRef& rows, const ExprRef& block) {
        StmtVec stmts;
        const VarRef before = let("before", mul(block, i64(m_form.block_rows)), stmts);
        m_first_row = let("first", add(first_row, before), stmts);
        m_row_count = let("count", least_of(sub(rows, before), i64(m_form.block_rows)), stmts);
        m_tiles = let("tiles", ceil_div(m_row_count, m_form.tile_rows), stmts);
        stmts.push_back(note_places());
        stmts.push_back(
            m_axes.each_tile(m_unit_columns, m_callee, [&](const ExprRef& column, const std::string& callee) {
                return columns_of_tile(column, callee);
            }));
        return make_seq(std::move(stmts));
    }

    // Where the runs of each row of the block begin; of those in the padding, -1. The rows beyond the last one are that one
    // again.
    StmtRef note_places() const {
        const ExprRef count = mul(m_tiles, i64(m_form.tile_rows));
        return loop("i", count, [&](const ExprRef& index) {
            StmtVec stmts;
            const ExprRef row = least_of(add(m_first_row, index), sub(m_axes.row_count, i64(1)));
            const ExprVec place = named("at", place_of(let("of", row, stmts), m_axes.rows), stmts);
            const ExprVec axes = m_axes.of({}, place, ExprVec(m_axes.lines.size(), i64(0)), i64(0));
            stmts.push_back(loops("t", m_taps, [&](ExprVec reduced) {
                ExprVec to = reduced;
                to.push_back(index);
                reduced.resize(m_axes.extents.size(), i64(0));
                ExprRef offset = m_frame.index(m_rows.offset, axes, reduced);
                if (m_rows.inside)
                    offset = select(m_frame.index(m_rows.inside, axes, reduced), offset, i64(-1));
                return make_store(m_places, std::move(to), std::move(offset));
            }));
            return make_seq(std::move(stmts));
        });
    }

    StmtRef columns_of_tile(const ExprRef& column, const std::string& callee) {
        StmtVec stmts;
        const VarRef first = let("first_column", column, stmts);
        const ExprRef tile = floor_div(add(m_first_column, first), i64(m_form.tile_columns));
        const VarRef panel = let("panel", tile, stmts);
        if (m_rows.group)
            m_shift = let("shift", shift_of_group(add(m_first_column, first)), stmts);
        stmts.push_back(loops("t", m_taps, [&](const ExprVec& tap) {
            return loop("r", m_tiles, [&](const ExprRef& rows) { return run(tap, rows, panel, callee); });
        }));
        stmts.push_back(write(first));
        return make_seq(std::move(stmts));
    }

    // By how much the runs of this column's group lie behind those of the first one: the same for all rows and taps.
    ExprRef shift_of_group(const ExprRef& column) const {
        const ExprVec row(m_axes.rows.size(), i64(0)), tap(m_axes.extents.size(), i64(0));
        const auto offset = [&](const ExprRef& of) {
            return m_frame.index(m_rows.offset, m_axes.of({}, row, {}, of), tap);
        };
        return sub(offset(column), offset(i64(0)));
    }

    StmtRef run(const ExprVec& tap, const ExprRef& rows, const ExprRef& panel, const std::string& callee) const {
        StmtVec stmts;
        ExprVec args;
        for (std::int64_t i = 0; i < m_form.tile_rows; ++i) {
            ExprVec place = tap;
            place.push_back(add(mul(rows, i64(m_form.tile_rows)), i64(i)));
            const VarRef at = let("at", make_element(m_places, std::move(place)), stmts);
            ExprRef pointer = add(m_frame.param(*m_rows.tensor), m_rows.group ? add(at, m_shift) : at);
            if (m_rows.inside)
                pointer = select(less(at, i64(0)), address_of(m_outside, {i64(0), i64(0)}), pointer);
            args.push_back(std::move(pointer));
        }
        ExprVec of_panel = {panel};
        of_panel.insert(of_panel.end(), tap.begin(), tap.end());
        of_panel.resize(m_axes.extents.size() + (m_form.is_of_bytes ? 3 : 2), i64(0));
        args.push_back(address_of(m_columns, std::move(of_panel)));
        args.push_back(address_of(m_sums, {mul(rows, i64(m_form.tile_rows)), i64(0)}));
        ExprRef is_first = bool_constant(true);
        for (const ExprRef& index : tap)
            is_first = logical_and(is_first, equal(index, i64(0)));
        args.push_back(std::move(is_first));
        stmts.push_back(make_evaluate(make_call(callee, std::move(args), void_type())));
        return make_seq(std::move(stmts));
    }

    // The results of a tile of columns, row by row and there line by line. A line is the last axis of the result.
    StmtRef write(const ExprRef& first) const {
        return loop("w", m_row_count, [&](const ExprRef& index) {
            StmtVec stmts;
            const ExprVec row = named("row", place_of(add(m_first_row, index), m_axes.rows), stmts);
            const ExprRef column = let("to", add(m_first_column, first), stmts);
            stmts.push_back(m_axes.write_line(row, column, sub(m_unit_columns, first), m_sums, index));
            return make_seq(std::move(stmts));
        });
    }

    KernelFrame& m_frame;
    const ProductForm& m_form;
    const RowsInPlace& m_rows;
    const std::string m_callee;
    const ProductAxes& m_axes;
    const ExprVec m_taps; // extents
    VarRef m_columns, m_places, m_sums, m_outside;
    // Of the unit and the block that are being built.
    ExprRef m_first_row, m_row_count, m_tiles, m_first_column, m_unit_columns, m_shift;
};

} // namespace

ScheduledKernel in_place_product_kernel(KernelFrame& frame, const ProductForm& form, const std::string& name) {
    frame.order_terms(form.in_place->order);
    const DType sum = frame.stage().reduction->accumulate;
    const std::string callee = name + "_tile";
    const ProductAxes axes(frame, form);
    InPlaceBuilder builder(axes, callee);
    Function function;
    function.name = name;
    function.func_kind = FuncKind::CpuKernel;
    function.body = builder.build();
    ScheduledKernel kernel = frame.finish(std::move(function));
    const auto add_tile = [&](std::int64_t columns, const std::string& of) {
        kernel.callees.push_back(TileFunction(form, sum, columns).build(of));
    };
    add_tile(form.tile_columns, callee);
    if (axes.has_half())
        add_tile(form.tile_columns / 2, half_of(callee));
    return kernel;
}

} // namespace hidet::graph
