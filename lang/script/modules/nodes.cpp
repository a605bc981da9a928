// SPDX-License-Identifier: Apache-2.0
// The expressions of hidet.ir.expr, as host code makes them: variables, constants, and the operators under their names.
#include "lang/host/arguments.h"
#include "lang/host/objects.h"
#include "lang/script/modules/builders.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

// ---- variables and constants -----------------------------------------------------------------------------------------

Value new_var(const Value* hint, std::string_view otherwise, ir::TypeRef type, Span hint_span, Span call) {
    std::string name = hint && !hint->is(ValueKind::None) ? to_text(*hint, hint_span, "the name of a variable")
                                                          : std::string(otherwise);
    need_name(name, hint_span);
    if (ir::as<ir::VoidType>(type))
        fail(DiagId::ScriptBadParameterType, call, name, type_text(type));
    return Value::expr(var_at(call, std::move(name), std::move(type)));
}

Value make_variable(Evaluator&, const Arguments& a, Span call) {
    const Value* name = a.has(2) ? a.find(2) : a.find(0);
    return new_var(name, "v", to_type(a[1], a.span(1)), a.span(0), call);
}

BoundFunction make_scalar(ir::DType otherwise) {
    return [otherwise](Evaluator&, const Arguments& a, Span call) {
        return new_var(a.find(0), "v", a.given(1) ? to_type(a[1], a.span(1)) : ir::data_type(otherwise), a.span(0),
                       call);
    };
}

NativeFunction make_tensor_variable(const char* function, bool is_pointer) {
    return [function, is_pointer](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, function, {"hint", "shape=", "dtype=", "layout="});
        Args type;
        type.positional = {a.given(2) ? a[2] : Value::type(ir::data_type(ir::DType::F32)), a.or_none(1), a.or_none(3)};
        type.spans = {a.span(2), a.span(1), a.span(3)};
        const ir::TypeRef tensor = tensor_type_of(evaluator, type, call);
        return new_var(a.find(0), "t", is_pointer ? ir::tensor_pointer_type(ir::cast<ir::TensorType>(tensor)) : tensor,
                       a.span(0), call);
    };
}

Value make_constant(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "Constant", {"value", "const_type="});
    if (!a.given(1))
        return Value::expr(to_expr(a[0], a.span(0)));
    Args value{.positional = {a[0]}, .spans = {a.span(0)}};
    return call_type(Operations::of(evaluator), to_type(a[1], a.span(1)), value, call);
}

// Numbers become constants, lists lists of them, expressions stay.
Value convert_value(const Value& value, Span span, int depth = 0) {
    if (value.is(ValueKind::Unknown) || value.is(ValueKind::None))
        return value;
    if (!is_sequence(value))
        return Value::expr(to_expr(value, span));
    if (depth > most_nested_sequences)
        fail(DiagId::NestedTooDeep, span);
    std::vector<Value> items;
    for (const Value& item : value.items())
        items.push_back(convert_value(item, span, depth + 1));
    return value.is(ValueKind::Tuple) ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

Value make_converted(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "convert", {"obj", "dtype="});
    if (!a.has(1))
        return convert_value(a[0], a.span(0));
    Args value{.positional = {a[0], a[1]}, .spans = {a.span(0), a.span(1)}};
    return make_constant(evaluator, value, call);
}

Value make_call_of(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "call", {"func", "args"});
    Args values;
    values.positional = evaluator.iterate(a[1], a.span(1));
    values.spans.assign(values.positional.size(), a.span(1));
    return Operations::of(evaluator).call(a[0], values, call);
}

// ---- questions -------------------------------------------------------------------------------------------------------

bool is_constant_value(const Value& value) {
    want_known(value);
    return value.is_number() || value.is(ValueKind::Str) ||
           (value.is(ValueKind::Expr) && ir::as<ir::Constant>(value.as_expr()));
}

Value is_constant(Evaluator&, const Arguments& a, Span) {
    bool all = is_constant_value(a[0]);
    for (const Value& other : a.rest())
        all = all && is_constant_value(other);
    return Value::boolean(all);
}

BoundFunction is_number(double number) {
    return [number](Evaluator&, const Arguments& a, Span) {
        if (!is_constant_value(a[0]) || a[0].is(ValueKind::Str))
            return Value::boolean(false);
        const auto value = ir::constant_number(to_expr(a[0], a.span(0)));
        return Value::boolean(value && *value == number);
    };
}

Value tensor_rank(Evaluator&, const Arguments& a, Span) {
    const ir::ExprRef expr = to_expr(a[0], a.span(0));
    if (const auto* tensor = ir::tensor_of(expr->type))
        return Value::integer(static_cast<std::int64_t>(tensor->shape.size()));
    if (!ir::is_address(expr->type))
        fail(DiagId::ScriptNotIndexable, a.span(0), describe(a[0]));
    return Value::integer(1);
}

// ---- operators under their names -------------------------------------------------------------------------------------

struct BinaryRow {
    const char* name;
    ast::BinaryOp op;
};
constexpr BinaryRow binary_rows[] = {
    {"Add", ast::BinaryOp::Add},           {"Sub", ast::BinaryOp::Sub},           {"Multiply", ast::BinaryOp::Mul},
    {"Div", ast::BinaryOp::Div},           {"FloorDiv", ast::BinaryOp::FloorDiv}, {"Mod", ast::BinaryOp::Mod},
    {"BitwiseAnd", ast::BinaryOp::BitAnd}, {"BitwiseOr", ast::BinaryOp::BitOr},   {"BitwiseXor", ast::BinaryOp::BitXor},
    {"LeftShift", ast::BinaryOp::Shl},     {"RightShift", ast::BinaryOp::Shr},
};
struct CompareRow {
    const char* name;
    ast::CompareOp op;
};
constexpr CompareRow compare_rows[] = {
    {"LessThan", ast::CompareOp::Lt},
    {"LessEqual", ast::CompareOp::Le},
    {"Equal", ast::CompareOp::Eq},
    {"NotEqual", ast::CompareOp::Ne},
};

Value lifted(const Value& value, Span span) {
    return Value::expr(to_expr(value, span));
}

NativeFunction binary_operator(std::string name, ast::BinaryOp op) {
    return [name, op](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"a", "b"});
        return Operations::of(evaluator).binary(op, lifted(a[0], a.span(0)), a[1], a.span(0), a.span(1));
    };
}

NativeFunction comparison(std::string name, ast::CompareOp op) {
    return [name, op](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"a", "b"});
        return Operations::of(evaluator).compare(op, lifted(a[0], a.span(0)), a[1], a.span(0), a.span(1));
    };
}

// bitwise_and(a, b, c): of any number of operands
NativeFunction chained(std::string name, ast::BinaryOp op) {
    return [name, op](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"*args"});
        if (a.rest().empty())
            fail(DiagId::ScriptArity, call, name, "at least 1 argument", 0);
        Value out = lifted(a.rest()[0], args.span_of(0, call));
        for (std::size_t i = 1; i < a.rest().size(); ++i)
            out = Operations::of(evaluator).binary(op, out, a.rest()[i], args.span_of(0, call), args.span_of(i, call));
        return out;
    };
}

NativeFunction unary_operator(std::string name, ast::UnaryOp op) {
    return [name, op](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"a"});
        return Operations::of(evaluator).unary(op, lifted(a[0], a.span(0)), a.span(0));
    };
}

Value make_let(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::VarRef var = to_var(a[0], a.span(0));
    const ir::ExprRef value = convert_to(to_expr(a[1], a.span(1)), var->type, a.span(1), evaluator.sink());
    return Value::expr(typed(call, [&] { return ir::make_let(var, value, to_expr(a[2], a.span(2))); }));
}

Value make_element(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "tensor_element", {"base", "indices", "protected="});
    const ir::ExprRef base = to_expr(a[0], a.span(0));
    const bool is_protected = a.given(2) && to_bool(a[2], a.span(2), "'protected'");
    Subscripts s = read_subscripts(Operations::of(evaluator), base, a[1], a.span(0), a.span(1), !is_protected);
    if (!s.is_element)
        fail(DiagId::ScriptProtectedSlice, a.span(1));
    return Value::expr(typed(call, [&] { return ir::make_element(base, s.indices, is_protected); }));
}

Value make_slice(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "tensor_slice", {"base", "indices", "starts", "ends"});
    const std::vector<Value> indices = evaluator.iterate(a[1], a.span(1)), starts = evaluator.iterate(a[2], a.span(2)),
                             ends = evaluator.iterate(a[3], a.span(3));
    if (starts.size() != indices.size() || ends.size() != indices.size())
        fail(DiagId::ScriptUnpackCount, call, count_of(starts.size(), "value", "values"),
             count_of(indices.size(), "name", "names"));
    std::vector<Value> written;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        Ref<SliceObject> slice(new SliceObject);
        slice->start = starts[i];
        slice->stop = ends[i];
        written.push_back(indices[i].is(ValueKind::None) ? Value::object(ValueKind::Slice, slice) : indices[i]);
    }
    return Operations::of(evaluator).subscript(a[0], Value::tuple(std::move(written)), a.span(0), a.span(1));
}

void add_class(Evaluator& evaluator, HostModule& module, const std::string& name, NativeFunction make,
               std::function<bool(const ir::Expr&)> is) {
    module.add(name, native_class(evaluator, name, std::move(make), [is](const Value& value) {
                   return value.is(ValueKind::Expr) && is(*value.as_expr());
               }));
}

template <ir::Kind kind>
bool is_kind(const ir::Expr& expr) {
    return expr.kind == kind;
}

void export_operators(Evaluator& evaluator, HostModule& module) {
    add_class(evaluator, module, "BinaryExpr", nullptr, is_kind<ir::Kind::Binary>);
    add_class(evaluator, module, "UnaryExpr", nullptr, is_kind<ir::Kind::Unary>);
    for (const BinaryRow& row : binary_rows)
        add_class(evaluator, module, row.name, binary_operator(row.name, row.op), is_kind<ir::Kind::Binary>);
    for (const CompareRow& row : compare_rows)
        add_class(evaluator, module, row.name, comparison(row.name, row.op), is_kind<ir::Kind::Binary>);
    add_class(evaluator, module, "Neg", unary_operator("Neg", ast::UnaryOp::Minus), is_kind<ir::Kind::Unary>);
    add_class(evaluator, module, "LogicalNot", unary_operator("LogicalNot", ast::UnaryOp::Not),
              is_kind<ir::Kind::Unary>);
    module.function("equal", comparison("equal", ast::CompareOp::Eq));
    module.function("not_equal", comparison("not_equal", ast::CompareOp::Ne));
    module.function("less_than", comparison("less_than", ast::CompareOp::Lt));
    module.function("less_equal", comparison("less_equal", ast::CompareOp::Le));
    module.function("left_shift", binary_operator("left_shift", ast::BinaryOp::Shl));
    module.function("right_shift", binary_operator("right_shift", ast::BinaryOp::Shr));
    module.function("bitwise_and", chained("bitwise_and", ast::BinaryOp::BitAnd));
    module.function("bitwise_or", chained("bitwise_or", ast::BinaryOp::BitOr));
    module.function("bitwise_xor", chained("bitwise_xor", ast::BinaryOp::BitXor));
}

// Classes whose objects the functions of hidet.lang make, too.
void export_named(Evaluator& evaluator, HostModule& module) {
    const auto function = [&](const char* name) -> NativeFunction {
        const Value* value = module.table.find(name);
        return static_cast<NativeFunctionObject*>(value->object())->function;
    };
    add_class(evaluator, module, "Cast", function("cast"), is_kind<ir::Kind::Cast>);
    add_class(evaluator, module, "Address", function("address"), is_kind<ir::Kind::Address>);
    add_class(evaluator, module, "Dereference", function("deref"), is_kind<ir::Kind::Deref>);
    add_class(evaluator, module, "IfThenElse", function("if_then_else"), is_kind<ir::Kind::Select>);
    add_class(evaluator, module, "LogicalAnd", function("logical_and"), is_kind<ir::Kind::Binary>);
    add_class(evaluator, module, "LogicalOr", function("logical_or"), is_kind<ir::Kind::Binary>);
    add_class(evaluator, module, "BitwiseNot", function("bitwise_not"), is_kind<ir::Kind::Unary>);
}

} // namespace

void export_nodes(Evaluator& evaluator, HostModule& module) {
    add_class(evaluator, module, "Expr", nullptr, [](const ir::Expr&) { return true; });
    add_class(evaluator, module, "Var", bound("Var", {"hint", "type", "name="}, make_variable), is_kind<ir::Kind::Var>);
    add_class(evaluator, module, "SymbolVar", nullptr, is_kind<ir::Kind::SymbolVar>);
    add_class(evaluator, module, "Constant", make_constant, is_kind<ir::Kind::Constant>);
    add_class(evaluator, module, "Let", bound("Let", {"var", "value", "body"}, make_let), is_kind<ir::Kind::Let>);
    add_class(evaluator, module, "Call", make_call_of, is_kind<ir::Kind::Call>);
    add_class(evaluator, module, "TensorElement", make_element, is_kind<ir::Kind::TensorElement>);
    add_class(evaluator, module, "TensorSlice", make_slice, is_kind<ir::Kind::TensorSlice>);
    export_operators(evaluator, module);
    export_named(evaluator, module);
    module.function("var", {"hint=", "dtype="}, make_scalar(ir::DType::I32));
    module.function("scalar_var", {"hint=", "dtype="}, make_scalar(ir::DType::F32));
    module.function("tensor_var", make_tensor_variable("tensor_var", false));
    module.function("tensor_pointer_var", make_tensor_variable("tensor_pointer_var", true));
    module.function("constant", make_constant);
    module.function("convert", make_converted);
    module.function("as_expr", make_converted);
    module.function("call", make_call_of);
    module.function("tensor_element", make_element);
    module.function("tensor_slice", make_slice);
    module.function("tensor_rank", {"v"}, tensor_rank);
    module.function("is_constant", {"e", "*other"}, is_constant);
    module.function("is_one", {"v"}, is_number(1));
    module.function("is_zero", {"v"}, is_number(0));
    module.function("is_true", {"v"}, is_number(1));
    module.function("is_false", {"v"}, is_number(0));
}

} // namespace hidet::lang
