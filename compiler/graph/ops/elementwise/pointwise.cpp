// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"

#include <unordered_map>

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

namespace hidet::graph {

using ir::DType;
using ir::ExprRef;
using ir::IntrinsicId;

DType scalar_dtype(const ExprRef& scalar) {
    const auto dtype = ir::scalar_of(scalar->type);
    HIDET_CHECK(dtype);
    return *dtype;
}

ExprRef number(double value, const ExprRef& like) {
    const DType dtype = scalar_dtype(like);
    return ir::cast_to(ir::float_constant(value, ir::is_float(dtype) ? dtype : DType::F64), dtype);
}

ExprRef shared(const ExprRef& value, const Unary& body) {
    if (value->kind == ir::Kind::Var || value->kind == ir::Kind::Constant)
        return body(value);
    const ir::VarRef var = ir::make_var("v", value->type);
    return ir::make_let(var, value, body(var));
}

ExprRef as_float(const ExprRef& x) {
    return ir::is_integer(scalar_dtype(x)) ? ir::cast_to(x, DType::F32) : x;
}

ExprRef float_math(IntrinsicId id, const ExprRef& x) {
    return ir::math(id, {as_float(x)});
}

ExprRef in_wide(const ExprRef& x, const Unary& formula) {
    const ExprRef value = as_float(x);
    const DType dtype = scalar_dtype(value);
    return shared(ir::cast_to(value, accumulator_of(dtype)),
                  [&](const ExprRef& wide) { return ir::cast_to(formula(wide), dtype); });
}

ExprRef clamped(const ExprRef& x, const ExprRef& low, const ExprRef& high) {
    return shared(ir::select(ir::less(x, low), low, x),
                  [&](const ExprRef& raised) { return ir::select(ir::less(high, raised), high, raised); });
}

// A sum with the least number from which on floats have no fraction rounds as asked for. NaN and what is as large come out as they are, and
// what becomes 0 keeps its sign.
ExprRef half_to_even(const ExprRef& x) {
    const DType dtype = scalar_dtype(x);
    if (ir::is_integer(dtype))
        return x;
    return in_wide(x, [&](const ExprRef& wide) {
        const double whole_from = scalar_dtype(wide) == DType::F64 ? 0x1p52 : 0x1p23;
        const ExprRef limit = number(whole_from, wide);
        const ExprRef sign = ir::select(ir::less(wide, number(0, wide)), number(-whole_from, wide), limit);
        const ExprRef rounded = shared(sign, [&](const ExprRef& far) { return ir::sub(ir::add(wide, far), far); });
        return shared(rounded, [&](const ExprRef& whole) {
            const ExprRef kept = ir::select(ir::equal(whole, number(0, wide)), ir::mul(wide, number(0, wide)), whole);
            return ir::select(ir::less(ir::math(IntrinsicId::Abs, {wide}), limit), kept, wide);
        });
    });
}

static ExprRef guarded(const ExprRef& divisor, const std::function<ExprRef(const ExprRef& divisor)>& divided) {
    const bool is_safe =
        !ir::is_integer(scalar_dtype(divisor)) || (ir::constant_int(divisor) && !ir::is_constant(divisor, 0));
    if (is_safe)
        return divided(divisor);
    return shared(divisor, [&](const ExprRef& by) {
        const ExprRef result = divided(by);
        return ir::select(ir::equal(by, number(0, by)), number(0, result), result);
    });
}

static ExprRef divide(ir::BinOp op, const ExprRef& a, const ExprRef& b) {
    const auto dtype = ir::promote(scalar_dtype(a), scalar_dtype(b));
    const ExprRef by = dtype ? ir::cast_to(b, *dtype) : b;
    return guarded(by, [&](const ExprRef& divisor) { return ir::binary(op, a, divisor); });
}

ExprRef quotient(const ExprRef& a, const ExprRef& b) {
    return divide(ir::BinOp::Div, a, b);
}

ExprRef floor_quotient(const ExprRef& a, const ExprRef& b) {
    return divide(ir::BinOp::FloorDiv, a, b);
}

ExprRef remainder(const ExprRef& a, const ExprRef& b, ir::BinOp op) {
    return divide(op, a, b);
}

ExprRef scalar_operand(const Attribute& attribute, DType dtype) {
    if (const auto* real = std::get_if<double>(&attribute))
        return ir::float_constant(*real, ir::is_float(dtype) ? dtype : DType::F32);
    const auto* whole = std::get_if<std::int64_t>(&attribute);
    const auto* truth = std::get_if<bool>(&attribute);
    HIDET_CHECK(whole || truth);
    const std::int64_t value = whole ? *whole : static_cast<std::int64_t>(*truth);
    if (dtype == DType::Bool)
        return truth ? ir::bool_constant(*truth) : ir::int_constant(value, DType::I64);
    return ir::is_integer(dtype) ? ir::int_constant(value, dtype)
                                 : ir::float_constant(static_cast<double>(value), dtype);
}

namespace {

const char* const operand_names[] = {"x", "y", "z"};

std::string operand_name(std::size_t i) {
    return i < 3 ? operand_names[i] : "x" + std::to_string(i);
}

Shape common_shape(const OpCall& call) {
    Shape shape;
    for (const TensorSpec& input : call.inputs)
        shape = broadcast(shape, input.shape);
    return shape;
}

struct Formula {
    ir::VarVec variables; // one an operand
    ir::ExprRef body;
};

Formula formula_of(const OpCall& call, const std::string& name, const Variadic& value) {
    Formula formula;
    ir::ExprVec arguments;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        formula.variables.push_back(ir::make_var(operand_name(i), ir::data_type(call.inputs[i].dtype)));
        arguments.push_back(formula.variables.back());
    }
    try {
        formula.body = value(arguments);
    } catch (const ir::TypeError& error) {
        throw OpError(name, ": ", error.what());
    }
    return formula;
}

ir::ExprRef on_elements(const Formula& formula, const ir::ExprVec& elements) {
    std::unordered_map<const ir::Var*, int> uses;
    ir::each_node(formula.body, [&](const ir::Var& var) { ++uses[&var]; });
    ir::Rewriter rewriter(0, ir::Rewriter::Definitions::Copy);
    std::vector<std::pair<ir::VarRef, ir::ExprRef>> lets;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (uses[formula.variables[i].get()] <= 1) {
            rewriter.replace(formula.variables[i], elements[i]);
            continue;
        }
        lets.emplace_back(ir::make_var(formula.variables[i]->name, formula.variables[i]->type), elements[i]);
        rewriter.replace(formula.variables[i], lets.back().first);
    }
    ir::ExprRef result = rewriter.rewrite(formula.body);
    for (std::size_t i = lets.size(); i-- > 0;)
        result = ir::make_let(lets[i].first, lets[i].second, result);
    return result;
}

// An operand of the result's shape but for leading extents of 1 goes where its own index says.
void add_inverse(TaskBuilder& builder, std::size_t input, const Shape& operand, const Shape& result) {
    const std::size_t shift = result.size() - operand.size();
    for (std::size_t i = 0; i < result.size(); ++i)
        if (i < shift ? !ir::is_constant(result[i], 1) : !same_dim(operand[i - shift], result[i]))
            return;
    builder.inverse(input, [&](const Indices& axes) {
        Indices indices(shift, dim(0));
        for (std::size_t i = 0; i < axes.size(); ++i)
            indices.push_back(ir::is_constant(operand[i], 1) ? dim(0) : axes[i]);
        return indices;
    });
}

} // namespace

void require_broadcast(TaskBuilder& builder, const Shape& operand, const Shape& result, const std::string& name) {
    const std::size_t shift = result.size() - operand.size();
    for (std::size_t i = 0; i < operand.size(); ++i)
        if (!ir::is_constant(operand[i], 1))
            builder.require_equal(operand[i], result[shift + i],
                                  name + ": shape " + text_of(operand) + " does not broadcast to " + text_of(result));
}

Task define_pointwise(const OpCall& call, const std::string& name, const Variadic& value) {
    TaskBuilder builder(name);
    ir::VarVec operands;
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        operands.push_back(builder.input(operand_name(i), call.inputs[i]));
    const Shape shape = common_shape(call);
    const Formula formula = formula_of(call, name, value);
    const ir::VarRef result = builder.compute(name, scalar_dtype(formula.body), shape, [&](const Indices& axes) {
        ir::ExprVec elements = transformed(
            operands, [&](const ir::VarRef& operand) { return at(operand, broadcast_index(shape_of(operand), axes)); });
        return on_elements(formula, elements);
    });
    for (const TensorSpec& input : call.inputs)
        require_broadcast(builder, input.shape, shape, name);
    for (std::size_t i = 0; i < operands.size(); ++i)
        add_inverse(builder, i, call.inputs[i].shape, shape);
    return builder.finish({result});
}

Task define_unary(const OpCall& call, const std::string& name, const Unary& value) {
    return define_pointwise(call, name, [&](const ir::ExprVec& x) { return value(x[0]); });
}

Task define_binary(const OpCall& call, const std::string& name, const Binary& value) {
    return define_pointwise(call, name, [&](const ir::ExprVec& x) { return value(x[0], x[1]); });
}

} // namespace hidet::graph
