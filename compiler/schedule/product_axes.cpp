// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/product_axes.h"

#include "compiler/ir/ops.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/stages.h"

namespace hidet::graph {

using namespace ir;

Dim count_of(const ExprVec& extents) {
    return cast_to(simplified(element_count(extents)), DType::I64);
}

// The place in these extents; those of 1 take no division.
ExprVec place_of(const ExprRef& linear, const ExprVec& extents) {
    ExprVec longer;
    for (const ExprRef& extent : extents)
        if (!is_constant(extent, 1))
            longer.push_back(cast_to(extent, DType::I64));
    ExprVec found;
    if (!longer.empty())
        found = unflatten(linear, longer);
    ExprVec place;
    std::size_t next = 0;
    for (const ExprRef& extent : extents)
        place.push_back(is_constant(extent, 1) ? i64(0) : found[next++]);
    return place;
}

TypeRef matrix(DType dtype, std::int64_t rows, std::int64_t columns) {
    return tensor_type(data_type(dtype), {int_constant(rows), int_constant(columns)});
}

ExprRef zero(DType dtype) {
    return cast_to(int_constant(0), dtype);
}

std::string half_of(const std::string& callee) {
    return callee + "_half";
}

VarRef let(const char* name, const ExprRef& value, StmtVec& stmts) {
    VarRef var = index_var(name);
    stmts.push_back(make_let_stmt(var, cast_to(value, DType::I64)));
    return var;
}

ExprVec named(const char* name, ExprVec values, StmtVec& stmts) {
    for (ExprRef& value : values)
        if (value->kind != Kind::Constant)
            value = let(name, value, stmts);
    return values;
}

ExprRef ceil_div_by(const ExprRef& value, const ExprRef& by) {
    return floor_div(sub(add(value, by), i64(1)), by);
}

ExprRef address_of(const VarRef& tensor, ExprVec indices) {
    return make_address(make_element(tensor, std::move(indices)));
}

ProductAxes::ProductAxes(KernelFrame& frame, const ProductForm& form) : frame(frame), form(form) {
    const Shape& shape = frame.shape();
    const auto at = [&](std::size_t axis) { return shape.begin() + static_cast<std::ptrdiff_t>(axis); };
    others.assign(at(0), at(form.first_row));
    rows.assign(at(form.first_row), at(form.first_column));
    lines.assign(at(form.first_column), shape.end() - 1);
    if (form.group) {
        others.push_back(dim(*constant_of(rows[0]) / form.group));
        rows = {dim(form.group)};
    }
    row_count = count_of(rows);
    line_extent = cast_to(shape.back(), DType::I64);
    column_count = mul(count_of(lines), line_extent);
    extents = frame.extents({});
}

ExprVec ProductAxes::of(const ExprVec& other, const ExprVec& row, const ExprVec& line, const ExprRef& column) const {
    ExprVec axes = other;
    if (form.group) {
        axes.pop_back();
        axes.push_back(add(mul(other.back(), i64(form.group)), row[0]));
    } else {
        axes.insert(axes.end(), row.begin(), row.end());
    }
    axes.insert(axes.end(), line.begin(), line.end());
    axes.push_back(column);
    return axes;
}

bool ProductAxes::has_half() const {
    const auto count = constant_of(column_count);
    const std::int64_t rest = count ? *count % form.tile_columns : 1;
    return rest > 0 && rest <= form.tile_columns / 2;
}

StmtRef ProductAxes::each_tile(const ExprRef& columns, const std::string& callee,
                               const std::function<StmtRef(const ExprRef&, const std::string&)>& body) const {
    const std::int64_t width = form.tile_columns;
    const ExprRef whole =
        has_half() ? floor_div(add(columns, i64(width / 2 - 1)), i64(width)) : ceil_div(columns, width);
    StmtVec stmts = {loop("c", whole, [&](const ExprRef& tile) { return body(mul(tile, i64(width)), callee); })};
    if (has_half()) {
        const VarRef column = let("last_column", mul(whole, i64(width)), stmts);
        stmts.push_back(make_if(less(column, columns), body(column, half_of(callee))));
    }
    return make_seq(std::move(stmts));
}

StmtRef ProductAxes::write_line(const ExprVec& row, const ExprRef& column, const ExprRef& left, const VarRef& sums,
                                const ExprRef& at) const {
    const bool is_even = *constant_of(column_count) % form.tile_columns == 0;
    const ExprRef many = is_even ? i64(form.tile_columns) : least_of(left, i64(form.tile_columns));
    return loop("lane", many, [&](const ExprRef& lane) {
        return frame.store(of({}, row, {}, add(column, lane)), make_element(sums, {at, lane}));
    });
}

bool ProductAxes::moves_along(const ExprRef& factor, std::size_t other) const {
    return (form.group && other + 1 == others.size()) || depends_on(factor, *frame.stage().axes[other]);
}

Task ProductAxes::packing(const ExprRef& factor, const VarRef& constant, Factor which) const {
    const bool is_rows = which == Factor::Rows;
    const DType packed = form.is_of_bytes ? DType::I8 : sum;
    const std::int64_t width = is_rows ? form.tile_rows : form.tile_columns;
    const ExprRef count = simplified(is_rows ? row_count : column_count);
    Shape shape;
    for (std::size_t i = 0; i < others.size(); ++i)
        if (moves_along(factor, i))
            shape.push_back(simplified(others[i]));
    shape.push_back(simplified(ceil_div(count, width)));
    shape.insert(shape.end(), extents.begin(), extents.end());
    shape.push_back(dim(width));
    if (form.is_of_bytes) {
        shape.end()[-2] = simplified(floor_div(extents.back(), dim(bytes_at_once)));
        shape.push_back(dim(bytes_at_once));
    }
    const auto element = [&](Indices index) {
        if (form.is_of_bytes) {
            index.end()[-3] = add(mul(index.end()[-3], i64(bytes_at_once)), index.back());
            index.pop_back();
        }
        std::size_t next = 0;
        ExprVec other(others.size(), i64(0));
        for (std::size_t i = 0; i < others.size(); ++i)
            if (moves_along(factor, i))
                other[i] = index[next++];
        const ExprRef at = add(mul(index[next], i64(width)), index.back());
        const ExprVec reduced(index.begin() + static_cast<std::ptrdiff_t>(next) + 1, index.end() - 1);
        const ExprVec none(rows.size(), i64(0));
        ExprVec line = lines;
        line.push_back(line_extent);
        line = is_rows ? ExprVec(line.size(), i64(0)) : place_of(at, line);
        const ExprRef column = line.back();
        line.pop_back();
        Stage stage = frame.stage();
        stage.value = factor;
        ExprRef value = value_at(stage, of(other, is_rows ? place_of(at, rows) : none, line, column), reduced);
        value = cast_to(value, packed);
        if (is_constant(floor_mod(count, i64(width)), 0))
            return value;
        return make_select(less(at, count), std::move(value), zero(packed));
    };
    TaskBuilder builder("pack");
    const VarRef tensor = builder.compute(constant->name + "_packed", packed, shape, element);
    builder.task().inputs = {constant};
    return builder.finish({tensor});
}

} // namespace hidet::graph
