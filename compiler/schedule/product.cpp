// SPDX-License-Identifier: Apache-2.0
// A product of matrices on a CPU. A unit of parallel work is some rows by a block of columns. For each block of terms it
// packs the factor of the columns, term by term; then, for each block of rows, it packs their factor, tile by tile, and
// computes tiles, whose running sums are in registers. Packing reads the factors through the definition, so that windows,
// paddings, transposed operands and fused prologues are its business alone, and each element is computed once for many
// products. What a block of terms has summed waits in `partial` for the next one.
//
// A factor that is a constant is packed once, when the plan is made: all of its tiles, one behind the other, and in each all
// terms. Kernels take tiles from there as they would from what they pack themselves.
//
// Columns run through lines, which are the last axis of the result: inside of one, neighbours are neighbours in memory.
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/guards.h"
#include "compiler/schedule/product_axes.h"
#include "compiler/schedule/running_sums.h"
#include "compiler/schedule/stages.h"

namespace hidet::graph {

using namespace ir;

namespace {

// The sums of a tile, added to what the blocks of terms before have summed: a function, as compilers keep arrays in
// registers through the loops of a small one.
FunctionRef sums_of_tile(const ProductForm& form, DType sum, std::int64_t columns, const std::string& name) {
    const auto param = [&](const char* of, std::int64_t rows, std::int64_t columns) {
        return make_var(of, parameter_type(sum, {dim(rows), dim(columns)}));
    };
    const VarRef tile = param("tile", form.block_terms(), form.tile_rows);
    const VarRef panel =
        param("panel", form.block_terms(), form.constant_columns ? form.tile_columns : form.block_columns);
    const VarRef sums = param("sums", form.tile_rows, form.block_columns);
    const VarRef terms = index_var("terms");
    const VarRef first_term = index_var("first_term");
    const RunningSums running(sum, form.tile_rows, columns, form.lanes);
    StmtRef start = running.from_zero();
    if (!form.is_whole)
        start = make_if(equal(first_term, i64(0)), std::move(start), running.from(sums));
    const ExprRef count = form.is_whole ? i64(form.block_terms()) : ExprRef(terms);
    StmtRef all = loop("k", count, [&](const ExprRef& term) {
        return running.each([&](const ExprVec& place) {
            return running.multiply_add(place, make_element(tile, {term, place[0]}),
                                        make_element(panel, {term, place[1]}));
        });
    });
    Function function;
    function.name = name;
    function.func_kind = FuncKind::CpuInternal;
    function.params = {tile, panel, sums};
    if (!form.is_whole)
        function.params.insert(function.params.end(), {terms, first_term});
    function.ret = void_type();
    function.body = make_seq({running.declared(), std::move(start), std::move(all), running.to(sums)});
    return make<Function>(std::move(function));
}

// What is the same for all lanes is asked once.
using Fill = std::function<StmtRef(const ExprRef& lane, const ExprRef& element)>;
StmtRef filled(const ExprRef& value, const VarRef& lane, const ExprRef& count, const Fill& fill) {
    const auto lanes = [&](const ExprRef& of) {
        return loop("lane", count, [&](const ExprRef& index) {
            Rewriter at_index(0, Rewriter::Definitions::Copy);
            at_index.replace(lane, index);
            return fill(index, at_index.rewrite(of));
        });
    };
    const auto* part = as<Select>(value);
    if (!part || part->b->kind != Kind::Constant)
        return lanes(value);
    const SplitCondition condition = split_condition(part->condition, *lane);
    if (!condition.common)
        return lanes(value);
    const ExprRef rest = condition.by_lane ? make_select(condition.by_lane, part->a, part->b) : part->a;
    return make_if(condition.common, lanes(rest), lanes(part->b));
}

class ProductBuilder {
public:
    ProductBuilder(const ProductAxes& axes, std::string callee)
        : m_frame(axes.frame), m_form(axes.form), m_callee(std::move(callee)), m_axes(axes) {}

    StmtRef build() {
        ExprVec extents = m_axes.others;
        extents.push_back(ceil_div(m_axes.row_count, m_form.unit_rows));
        extents.push_back(ceil_div(m_axes.column_count, m_form.block_columns));
        const Dim units = count_of(extents);
        if (m_form.constant_columns)
            m_panel = m_frame.packed(m_axes.packing(m_form.of_columns, m_form.constant_columns, Factor::Columns));
        else
            m_panel = array("panel", {m_form.block_terms(), m_form.block_columns});
        if (m_form.constant_rows)
            m_tiles = m_frame.packed(m_axes.packing(m_form.of_rows, m_form.constant_rows, Factor::Rows));
        else
            m_tiles = array("tiles", {m_form.block_rows / m_form.tile_rows, m_form.block_terms(), m_form.tile_rows});
        if (m_form.is_whole)
            m_partial = array("sums", {m_form.block_rows, m_form.block_columns});
        else
            m_partial =
                m_frame.scratch("partial", m_axes.sum, {units, dim(m_form.unit_rows), dim(m_form.block_columns)});
        const auto body = [&](const ExprRef& unit) { return this->unit(unit, place_of(unit, extents)); };
        return loop("unit", units, body, m_form.is_parallel ? parallel : LoopAttr{});
    }

private:
    VarRef array(const char* name, const std::vector<std::int64_t>& shape) const {
        ExprVec extents = transformed(shape, [&](std::int64_t extent) { return int_constant(extent); });
        return make_var(name, tensor_type(data_type(m_axes.sum), std::move(extents)));
    }
    ExprVec axes(const ExprVec& row, const ExprVec& line, const ExprRef& column) const {
        return m_axes.of(m_other, row, line, column);
    }

    // ---- a unit: rows from m_row, columns from m_column ---------------------------------------------------------------
    StmtRef unit(const ExprRef& index, ExprVec place) {
        StmtVec stmts;
        place = named("at", std::move(place), stmts);
        m_unit = index;
        m_first_column = let("column", mul(place.back(), i64(m_form.block_columns)), stmts);
        place.pop_back();
        m_first_row = let("row", mul(place.back(), i64(m_form.unit_rows)), stmts);
        place.pop_back();
        m_other = std::move(place);
        m_columns =
            let("columns", least_of(sub(m_axes.column_count, m_first_column), i64(m_form.block_columns)), stmts);
        if (!m_form.constant_columns)
            stmts.push_back(make_declare(m_panel, nullptr, Scope::Register));
        if (!m_form.constant_rows)
            stmts.push_back(make_declare(m_tiles, nullptr, Scope::Register));
        if (m_form.is_whole)
            stmts.push_back(make_declare(m_partial, nullptr, Scope::Register));
        stmts.push_back(loop("block", ceil_div(m_axes.extents[0], m_form.stretch),
                             [&](const ExprRef& block) { return block_of_terms(block); }));
        return make_seq(std::move(stmts));
    }
    StmtRef block_of_terms(const ExprRef& block) {
        StmtVec stmts;
        m_first_term = let("term", mul(block, i64(m_form.stretch)), stmts);
        m_stretch =
            m_form.is_whole
                ? i64(m_form.stretch)
                : ExprRef(let("stretch", least_of(sub(m_axes.extents[0], m_first_term), i64(m_form.stretch)), stmts));
        m_terms = m_form.is_whole ? i64(m_form.block_terms())
                                  : ExprRef(let("terms", mul(m_stretch, i64(m_form.inner)), stmts));
        if (!m_form.constant_columns)
            stmts.push_back(pack_columns());
        const ExprRef left = least_of(sub(m_axes.row_count, m_first_row), i64(m_form.unit_rows));
        stmts.push_back(
            loop("rows", ceil_div(left, m_form.block_rows), [&](const ExprRef& rows) { return block_of_rows(rows); }));
        return make_seq(std::move(stmts));
    }
    StmtRef block_of_rows(const ExprRef& rows) {
        StmtVec stmts;
        const VarRef offset = let("offset", mul(rows, i64(m_form.block_rows)), stmts);
        const VarRef first = let("first", add(m_first_row, offset), stmts);
        const VarRef count = let("count", least_of(sub(m_axes.row_count, first), i64(m_form.block_rows)), stmts);
        m_offset = m_form.is_whole ? i64(0) : ExprRef(offset);
        const ExprRef tiles = ceil_div(count, m_form.tile_rows);
        if (m_form.constant_rows)
            m_first_tile = let("first_tile", floor_div(first, i64(m_form.tile_rows)), stmts);
        else
            stmts.push_back(loop("t", tiles, [&](const ExprRef& tile) { return pack_rows(tile, first); }));
        stmts.push_back(m_axes.each_tile(m_columns, m_callee, [&](const ExprRef& column, const std::string& callee) {
            return loop("r", tiles, [&](const ExprRef& tile) { return tile_of_sums(tile, column, callee); });
        }));
        StmtRef store = write(first, count);
        if (!m_form.is_whole)
            store = make_if(less_equal(m_axes.extents[0], add(m_first_term, m_stretch)), std::move(store));
        stmts.push_back(std::move(store));
        return make_seq(std::move(stmts));
    }

    // The first term of the block, of the first row or column of a tile.
    ExprVec place_in_packing(const ExprRef& factor, const ExprRef& tile) const {
        ExprVec place;
        for (std::size_t i = 0; i < m_axes.others.size(); ++i)
            if (m_axes.moves_along(factor, i))
                place.push_back(m_other[i]);
        place.insert(place.end(), {tile, m_first_term});
        place.resize(place.size() + m_axes.extents.size(), i64(0));
        return place;
    }

    // ---- packing ----------------------------------------------------------------------------------------------------------
    // All terms of the block: their indices, and which of the block they are.
    StmtRef each_term(const std::function<StmtRef(const ExprVec&, const ExprRef&)>& body) const {
        ExprVec extents = m_axes.extents;
        extents[0] = m_stretch;
        ExprVec within = m_axes.extents;
        within[0] = i64(m_form.stretch);
        return loops("k", extents, [&](ExprVec reduced) {
            const ExprRef term = cast_to(flatten(reduced, within), DType::I64);
            reduced[0] = add(m_first_term, reduced[0]);
            return body(reduced, term);
        });
    }
    // The columns of the unit, line by line: the line, its first column of the unit, how many there are, and where they are
    // among those of the block.
    using Line =
        std::function<StmtRef(const ExprVec& line, const ExprRef& first, const ExprRef& count, const ExprRef& at)>;
    StmtRef each_line(const Line& body) const {
        if (is_constant(count_of(m_axes.lines), 1))
            return body(ExprVec(m_axes.lines.size(), i64(0)), m_first_column, m_columns, i64(0));
        StmtVec stmts;
        const ExprRef end = add(m_first_column, m_columns);
        const VarRef first_line = let("first_line", floor_div(m_first_column, m_axes.line_extent), stmts);
        stmts.push_back(loop("l", sub(ceil_div_by(end, m_axes.line_extent), first_line), [&](const ExprRef& index) {
            StmtVec inner;
            const VarRef line = let("line", add(first_line, index), inner);
            const VarRef start = let("start", mul(line, m_axes.line_extent), inner);
            const VarRef first = let("from", math(IntrinsicId::Max, {sub(m_first_column, start), i64(0)}), inner);
            const VarRef count = let("many", sub(least_of(sub(end, start), m_axes.line_extent), first), inner);
            const VarRef at = let("to", sub(add(start, first), m_first_column), inner);
            const ExprVec place = named("of_line", place_of(line, m_axes.lines), inner);
            inner.push_back(body(place, first, count, at));
            return make_seq(std::move(inner));
        }));
        return make_seq(std::move(stmts));
    }

    StmtRef pack_columns() const {
        const ExprVec no_row(m_axes.rows.size(), i64(0));
        StmtRef pack =
            each_line([&](const ExprVec& line, const ExprRef& first, const ExprRef& count, const ExprRef& at) {
                return each_term([&](const ExprVec& reduced, const ExprRef& term) {
                    const VarRef lane = index_var("lane");
                    const ExprRef value =
                        m_frame.part(m_form.of_columns, axes(no_row, line, add(first, lane)), reduced);
                    return filled(value, lane, count, [&](const ExprRef& index, const ExprRef& element) {
                        return make_store(m_panel, {term, add(at, index)}, element);
                    });
                });
            });
        // Sums of columns beyond the last one are computed and thrown away.
        const ExprRef rest = sub(mul(ceil_div(m_columns, m_form.tile_columns), i64(m_form.tile_columns)), m_columns);
        StmtRef zeros = loop("k", m_terms, [&](const ExprRef& term) {
            return loop("lane", rest, [&](const ExprRef& lane) {
                return make_store(m_panel, {term, add(m_columns, lane)}, zero(m_axes.sum));
            });
        });
        const bool has_rest = !is_constant(floor_mod(m_axes.column_count, i64(m_form.tile_columns)), 0);
        return make_seq({std::move(pack), has_rest ? std::move(zeros) : nullptr});
    }

    // The rows beyond the last one are that one again.
    StmtRef pack_rows(const ExprRef& tile, const ExprRef& first) const {
        StmtVec stmts;
        std::vector<ExprVec> places;
        const bool is_even = is_constant(floor_mod(m_axes.row_count, i64(m_form.tile_rows)), 0);
        for (std::int64_t i = 0; i < m_form.tile_rows; ++i) {
            ExprRef row = add(first, add(mul(tile, i64(m_form.tile_rows)), i64(i)));
            if (!is_even)
                row = least_of(row, sub(m_axes.row_count, i64(1)));
            places.push_back(named("row", place_of(row, m_axes.rows), stmts));
        }
        const ExprVec no_line(m_axes.lines.size(), i64(0));
        stmts.push_back(each_term([&](const ExprVec& reduced, const ExprRef& term) {
            StmtVec stores;
            for (std::size_t i = 0; i < places.size(); ++i)
                stores.push_back(make_store(m_tiles, {tile, term, int_constant(static_cast<std::int64_t>(i))},
                                            m_frame.part(m_form.of_rows, axes(places[i], no_line, i64(0)), reduced)));
            return make_seq(std::move(stores));
        }));
        return make_seq(std::move(stmts));
    }

    // ---- sums -------------------------------------------------------------------------------------------------------------
    ExprVec partial(const ExprRef& row, const ExprRef& column) const {
        if (m_form.is_whole)
            return {row, column};
        return {m_unit, add(m_offset, row), column};
    }
    StmtRef tile_of_sums(const ExprRef& tile, const ExprRef& column, const std::string& callee) const {
        const ExprRef row = mul(tile, i64(m_form.tile_rows));
        ExprVec of_rows = {tile, i64(0), i64(0)};
        if (m_form.constant_rows)
            of_rows = place_in_packing(m_form.of_rows, add(m_first_tile, tile));
        ExprVec of_columns = {i64(0), column};
        if (m_form.constant_columns)
            of_columns =
                place_in_packing(m_form.of_columns, floor_div(add(m_first_column, column), i64(m_form.tile_columns)));
        ExprVec args = {address_of(m_tiles, std::move(of_rows)), address_of(m_panel, std::move(of_columns)),
                        address_of(m_partial, partial(row, column))};
        if (!m_form.is_whole)
            args.insert(args.end(), {m_terms, m_first_term});
        return make_evaluate(make_call(callee, std::move(args), void_type()));
    }

    // ---- the result -------------------------------------------------------------------------------------------------------
    StmtRef write(const ExprRef& first, const ExprRef& count) const {
        return loop("w", count, [&](const ExprRef& index) {
            StmtVec stmts;
            const ExprVec row = named("row", place_of(add(first, index), m_axes.rows), stmts);
            stmts.push_back(
                each_line([&](const ExprVec& line, const ExprRef& from, const ExprRef& many, const ExprRef& at) {
                    return loop("lane", many, [&](const ExprRef& lane) {
                        return m_frame.store(axes(row, line, add(from, lane)),
                                             make_element(m_partial, partial(index, add(at, lane))));
                    });
                }));
            return make_seq(std::move(stmts));
        });
    }

    KernelFrame& m_frame;
    const ProductForm& m_form;
    const std::string m_callee;
    const ProductAxes& m_axes;
    VarRef m_panel, m_tiles, m_partial;
    // Of the unit and the blocks that are being built.
    ExprRef m_unit, m_first_row, m_first_column, m_columns, m_first_term, m_stretch, m_terms, m_offset, m_first_tile;
    ExprVec m_other;
};

} // namespace

ScheduledKernel product_kernel(KernelFrame& frame, const ProductForm& form, const std::string& name) {
    if (form.in_place)
        return form.in_place->by_column ? by_column_product_kernel(frame, form, name)
                                        : in_place_product_kernel(frame, form, name);
    const DType sum = frame.stage().reduction->accumulate;
    const std::string callee = name + "_tile";
    const ProductAxes axes(frame, form);
    ProductBuilder builder(axes, callee);
    Function function;
    function.name = name;
    function.func_kind = FuncKind::CpuKernel;
    function.body = builder.build();
    ScheduledKernel kernel = frame.finish(std::move(function));
    kernel.callees.push_back(sums_of_tile(form, sum, form.tile_columns, callee));
    if (axes.has_half())
        kernel.callees.push_back(sums_of_tile(form, sum, form.tile_columns / 2, half_of(callee)));
    return kernel;
}

} // namespace hidet::graph
