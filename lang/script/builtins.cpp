// SPDX-License-Identifier: Apache-2.0
// Python's built-in functions and its math module with IR arguments.
#include "compiler/ir/intrinsic.h"
#include "lang/script/operations.h"

namespace hidet::lang {

namespace {

struct MathRow {
    const char* name; // as the evaluator calls it
    ir::IntrinsicId id;
};

const MathRow* find_math(std::string_view name) {
    static const MathRow rows[] = {
#define HIDET_SCRIPT_MATH(python, Id) {python, ir::IntrinsicId::Id},
#include "lang/script/math.def"
#undef HIDET_SCRIPT_MATH
    };
    for (const MathRow& row : rows) {
        std::string_view known = row.name;
        if (name == known || (known.starts_with("math.") && name == known.substr(5)))
            return &row;
    }
    return nullptr;
}

ir::ExprVec arguments(Args& args, Span span) {
    ir::ExprVec out;
    for (std::size_t i = 0; i < args.positional.size(); ++i)
        out.push_back(to_expr(args.positional[i], args.span_of(i, span)));
    return out;
}

std::unique_ptr<Value> boxed(ir::ExprRef expr) {
    return boxed(Value::expr(std::move(expr)));
}

ir::ExprRef extremum(const ir::ExprVec& args, bool is_max) {
    ir::ExprRef out = args[0];
    for (std::size_t i = 1; i < args.size(); ++i)
        out = ir::math(is_max ? ir::IntrinsicId::Max : ir::IntrinsicId::Min, {out, args[i]});
    return out;
}

// Host code computes with the number that a constant is, as `int(i8.max_value)` asks for.
std::optional<Value> plain_number(const Value& value) {
    if (!value.is(ValueKind::Expr))
        return std::nullopt;
    const auto whole = ir::constant_int(value.as_expr());
    const bool fits = whole && (*whole >= 0 || ir::scalar_of(value.as_expr()->type) != ir::DType::U64);
    if (whole)
        return fits ? std::optional(Value::integer(*whole)) : std::nullopt;
    const auto real = ir::constant_number(value.as_expr());
    return real ? std::optional(Value::real(*real)) : std::nullopt;
}

// What Python's len() is of a tensor whose extents are known.
std::optional<Value> first_extent(const Args& args) {
    if (args.positional.size() != 1 || !args.keywords.empty() || !args.positional[0].is(ValueKind::Expr))
        return std::nullopt;
    const auto* tensor = ir::tensor_of(args.positional[0].as_expr()->type);
    return tensor && !tensor->shape.empty() ? std::optional(from_expr(tensor->shape[0])) : std::nullopt;
}

// Null: the built-in of the host, with what the arguments are now.
std::unique_ptr<Value> convert(std::string_view name, Args& args, Span span, bool is_host_code) {
    if (args.positional.size() != 1)
        return nullptr;
    if (auto number = is_host_code ? plain_number(args.positional[0]) : std::nullopt) {
        args.positional[0] = std::move(*number);
        return nullptr;
    }
    ir::ExprRef value = to_expr(args.positional[0], args.span_of(0, span));
    auto dtype = ir::scalar_of(value->type);
    if (name == "bool")
        return boxed(typed(span, [&] { return ir::as_condition(value); }));
    if (name == "int" && dtype && ir::is_integer(*dtype) && *dtype != ir::DType::Bool)
        return boxed(value);
    return boxed(typed(span, [&] { return ir::cast_to(value, name == "int" ? ir::DType::I32 : ir::DType::F32); }));
}

} // namespace

std::unique_ptr<Value> Operations::call_builtin(std::string_view name, Args& args, Span span) {
    for (const Value& value : args.positional)
        if (value.is(ValueKind::Unknown))
            return boxed(value);
    if (!translator() && (name == "print" || name == "str" || name == "repr" || name == "format"))
        return nullptr; // host code prints an expression as it is written
    if (name == "print")
        fail(DiagId::ScriptPrint, span);
    if (name == "range")
        return boxed(make_range(*this, args, span));
    if (auto length = name == "len" ? first_extent(args) : std::nullopt)
        return boxed(std::move(*length));
    if (name == "len" || name == "str" || name == "repr" || name == "format" || name == "hash" || name == "ord" ||
        name == "chr")
        fail(DiagId::ScriptBuiltinOnIr, span, name,
             args.positional.empty() ? "an IR value" : describe(args.positional[0]));
    if (!args.keywords.empty())
        return nullptr;
    bool is_max = name == "max";
    if (is_max || name == "min") {
        if (args.positional.size() < 2)
            return nullptr;
        return boxed(typed(span, [&] { return extremum(arguments(args, span), is_max); }));
    }
    if (name == "int" || name == "float" || name == "bool")
        return convert(name, args, span, !translator());
    if (name == "pow" && args.positional.size() == 2)
        return boxed(binary(ast::BinaryOp::Pow, args.positional[0], args.positional[1], args.span_of(0, span),
                            args.span_of(1, span)));
    const MathRow* row = find_math(name);
    if (!row)
        return nullptr;
    std::size_t count = ir::info(row->id).parameters.size();
    if (args.positional.size() != count)
        fail(DiagId::ScriptArity, span, name, cat(count, count == 1 ? " argument" : " arguments"),
             args.positional.size());
    return boxed(typed(span, [&] { return ir::math(row->id, arguments(args, span)); }));
}

} // namespace hidet::lang
