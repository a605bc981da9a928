// SPDX-License-Identifier: Apache-2.0
// The statements of hidet.ir.stmt, as host code makes them: each is a class that isinstance() knows.
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/objects.h"
#include "lang/script/format.h"
#include "lang/script/modules/builders.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"

namespace hidet::lang {

ir::StmtRef to_stmt(const Value& value, Span span, int depth) {
    want_known(value);
    if (value.is(ValueKind::None))
        return ir::make_seq({});
    if (value.is(ValueKind::Stmt))
        return value.as_stmt();
    if (value.is(ValueKind::Expr))
        return typed(span, [&] { return ir::make_evaluate(value.as_expr()); });
    if (!is_sequence(value))
        fail(DiagId::BadType, span, cat("expected a statement, got ", describe(value)));
    if (depth > most_nested_sequences)
        fail(DiagId::NestedTooDeep, span);
    ir::StmtVec stmts = transformed(value.items(), [&](const Value& item) { return to_stmt(item, span, depth + 1); });
    return typed(span, [&] { return ir::make_seq(std::move(stmts)); });
}

ir::VarRef to_var(const Value& value, Span span) {
    want_known(value);
    if (!value.is(ValueKind::Expr) || !ir::as<ir::Var>(value.as_expr()))
        fail(DiagId::BadType, span, cat("expected a variable, got ", describe(value)));
    return ir::cast<ir::Var>(value.as_expr());
}

ir::ExprRef to_condition(const Value& value, Span span) {
    ir::ExprRef expr = to_expr(value, span);
    return typed(span, [&] { return ir::as_condition(expr); });
}

namespace {

template <class F>
Value made(Span call, F&& make) {
    return Value::stmt(typed(call, std::forward<F>(make)));
}

ir::Scope scope_argument(const Value& value, Span span) {
    if (value.is(ValueKind::None))
        return ir::Scope::Default;
    const std::string name = to_text(value, span, "'scope'");
    for (ir::Scope scope : {ir::Scope::Default, ir::Scope::Global, ir::Scope::Shared, ir::Scope::Register})
        if (name == ir::scope_name(scope))
            return scope;
    throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownScope, span, name)
                              .suggest(span, name, {"global", "shared", "register", "default"}));
}

// ---- calls that are given as C++ --------------------------------------------------------------------------------------

// What `printf("%d\n", {});` consists of: the literal between its quotes, with C's escapes.
std::optional<std::string> printf_format(std::string_view text, std::size_t arguments) {
    constexpr std::string_view head = "printf(\"";
    const std::size_t close = text.rfind('"');
    if (!text.starts_with(head) || close < head.size())
        return std::nullopt;
    std::string expected = "\"";
    for (std::size_t i = 0; i < arguments; ++i)
        expected += ", {}";
    if (text.substr(close) != expected + ");")
        return std::nullopt;
    std::string out;
    const std::string_view literal = text.substr(head.size(), close - head.size());
    for (std::size_t i = 0; i < literal.size(); ++i) {
        const bool is_escape = literal[i] == '\\' && i + 1 < literal.size();
        if (literal[i] == '"')
            return std::nullopt;
        out += !is_escape ? literal[i] : literal[++i] == 'n' ? '\n' : literal[i] == 't' ? '\t' : literal[i];
    }
    return out;
}

struct CudaName {
    std::string_view name;
    ir::IntrinsicId id;
};
constexpr CudaName cuda_names[] = {
#define HIDET_CUDA_NAME(name, id) {name, ir::IntrinsicId::id},
#include "lang/script/cuda_names.def"
};

// "__nanosleep({});"
const CudaName* cuda_call(std::string_view text, std::size_t arguments) {
    std::string places;
    for (std::size_t i = 0; i < arguments; ++i)
        places += i ? ", {}" : "{}";
    for (const CudaName& row : cuda_names)
        if (text == cat(row.name, "(", places, ");"))
            return &row;
    return nullptr;
}

[[noreturn]] void refuse_black_box(Span span) {
    std::vector<std::string> names{"printf", "cudaDeviceSynchronize"};
    for (const CudaName& row : cuda_names)
        names.emplace_back(row.name);
    fail(DiagId::ScriptBlackBox, span, join(names, ", "));
}

Value make_black_box(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "BlackBoxStmt", {"template_string", "*exprs"});
    const std::string text(trimmed(a.str(0)));
    Args given;
    for (std::size_t i = 1; i < args.positional.size(); ++i) {
        given.positional.push_back(args.positional[i]);
        given.spans.push_back(args.span_of(i, call));
    }
    const std::size_t count = given.positional.size();
    if (text == "cudaDeviceSynchronize();" && count == 0) // launches are in order
        return made(call, [] { return ir::make_seq({}); });
    if (const CudaName* row = cuda_call(text, count)) {
        const ir::ExprRef value = to_expr(intrinsic_function(row->id, row->name)(evaluator, given, call), call);
        return made(call, [&] { return ir::make_evaluate(value); });
    }
    const auto format = printf_format(text, count);
    if (!format)
        refuse_black_box(a.span(0));
    ir::ExprVec values{ir::string_constant(kernel_text(*format, a.span(0)))};
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(to_expr(given.positional[i], given.spans[i]));
    const std::vector<Span> spans(args.spans.begin(), args.spans.end());
    check_format(*format, a.span(0), values, spans, evaluator.sink());
    return made(call, [&] {
        return ir::make_evaluate(
            typed(call, [&] { return ir::make_intrinsic(ir::IntrinsicId::Printf, values, ir::void_type()); }));
    });
}

Value make_comment_stmt(Evaluator&, Args& args, Span call) {
    Arguments a(args, call, "comment", {"text", "style="});
    return made(call, [&] { return ir::make_comment(a.str(0)); });
}

// ---- simple statements -----------------------------------------------------------------------------------------------

Value make_evaluate_stmt(Evaluator&, const Arguments& a, Span call) {
    return made(call, [&] { return ir::make_evaluate(to_expr(a[0], a.span(0))); });
}

Value make_declare_stmt(Evaluator& evaluator, const Arguments& a, Span call) {
    return Value::stmt(declaration(evaluator, to_var(a[0], a.span(0)), a.or_none(1), a.span(1), a.or_none(3),
                                   a.given(2) && to_bool(a[2], a.span(2), "'is_static'"), call));
}

Value make_store_stmt(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::ExprRef base = to_expr(a[0], a.span(0));
    Subscripts s = read_subscripts(Operations::of(evaluator), base, a[1], a.span(0), a.span(1));
    if (!s.is_element)
        fail_slice_assigned(base, s, a.span(1));
    const ir::ExprRef value =
        convert_to(to_expr(a[2], a.span(2)), ir::element_of(base->type), a.span(2), evaluator.sink());
    const bool is_protected = a.given(3) && to_bool(a[3], a.span(3), "'protected'");
    return made(call, [&] { return ir::make_store(base, s.indices, value, is_protected); });
}

Value make_assign_stmt(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::VarRef target = to_var(a[0], a.span(0));
    const ir::ExprRef value = convert_to(to_expr(a[1], a.span(1)), target->type, a.span(1), evaluator.sink());
    return made(call, [&] { return ir::make_assign(target, value); });
}

Value make_return_stmt(Evaluator&, const Arguments& a, Span call) {
    const bool has_value = a.has(0);
    return made(call, [&] { return ir::make_return(has_value ? to_expr(a[0], a.span(0)) : nullptr); });
}

Value make_assert_stmt(Evaluator&, const Arguments& a, Span call) {
    return made(call,
                [&] { return ir::make_assert(to_condition(a[0], a.span(0)), kernel_text(a.str(1, ""), a.span(1))); });
}

// ---- blocks ----------------------------------------------------------------------------------------------------------

Value make_let_statement(Evaluator& evaluator, const Arguments& a, Span call) {
    const bool several = is_sequence(a[0]);
    const std::vector<Value> vars = several ? a[0].items() : std::vector<Value>{a[0]};
    const std::vector<Value> values = several ? evaluator.iterate(a[1], a.span(1)) : std::vector<Value>{a[1]};
    if (vars.size() != values.size())
        fail(DiagId::ScriptUnpackCount, a.span(1), count_of(values.size(), "value", "values"),
             count_of(vars.size(), "name", "names"));
    ir::StmtVec stmts;
    for (std::size_t i = 0; i < vars.size(); ++i) {
        const ir::VarRef var = to_var(vars[i], a.span(0));
        const ir::ExprRef value = convert_to(to_expr(values[i], a.span(1)), var->type, a.span(1), evaluator.sink());
        stmts.push_back(typed(call, [&] { return ir::make_let_stmt(var, value); }));
    }
    stmts.push_back(to_stmt(a.or_none(2), a.span(2)));
    return made(call, [&] { return ir::make_seq(std::move(stmts)); });
}

Value make_for_statement(Evaluator&, const Arguments& a, Span call) {
    return Value::stmt(for_loop(to_var(a[0], a.span(0)), to_extent(a[1], a.span(1)), loop_attr(a.or_none(3), a.span(3)),
                                to_stmt(a.or_none(2), a.span(2)), call));
}

Value make_for_mapping_statement(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::VarVec vars;
    for (const Value& var : evaluator.iterate(a[0], a.span(0)))
        vars.push_back(to_var(var, a.span(0)));
    const ir::MappingRef mapping = mapping_argument(a[1], vars.size(), a.span(1));
    return made(
        call, [&] { return ir::make_for_mapping(vars, mapping, to_expr(a[2], a.span(2)), to_stmt(a[3], a.span(3))); });
}

Value make_while_statement(Evaluator&, const Arguments& a, Span call) {
    return made(call, [&] { return ir::make_while(to_condition(a[0], a.span(0)), to_stmt(a[1], a.span(1))); });
}

Value make_if_statement(Evaluator&, const Arguments& a, Span call) {
    const bool has_else = a.has(2);
    return made(call, [&] {
        return ir::make_if(to_condition(a[0], a.span(0)), to_stmt(a.or_none(1), a.span(1)),
                           has_else ? to_stmt(a[2], a.span(2)) : nullptr);
    });
}

Value make_seq_statement(Evaluator&, const Arguments& a, Span) {
    return Value::stmt(to_stmt(a[0], a.span(0)));
}

template <ir::StmtRef (*make)()>
Value make_jump(Evaluator&, Args& args, Span call) {
    Arguments(args, call, "a jump", {});
    return made(call, make);
}

// ForStmtAttr(unroll=...), and ForStmtAttr.parse('u+', 2)
struct LoopAttrValue final : NativeObject {
    explicit LoopAttrValue(ir::LoopAttr attr) : attr(attr) {}
    std::string type_name() const override { return "ForStmtAttr"; }
    std::string repr() const override { return ir::to_string(attr); }
    ir::LoopAttr attr;
};

Value make_loop_attr(Evaluator&, const Arguments& a, Span) {
    const auto is_set = [&](std::size_t i) { return a.given(i) && to_bool(a[i], a.span(i), "a loop attribute"); };
    const auto count = [&](std::size_t i) { return a.has(i) ? to_int(a[i], a.span(i), "a count") : 0; };
    ir::LoopAttr attr;
    if (is_set(3))
        attr = {ir::LoopAttr::What::Parallel, count(4)};
    else if (is_set(2))
        attr.what = ir::LoopAttr::What::UnrollExplicit;
    else if (is_set(0))
        attr = {ir::LoopAttr::What::Unroll, count(1)};
    return new_extension<LoopAttrValue>(attr);
}

Value parse_loop_attr(Evaluator&, const Arguments& a, Span) {
    const auto loops = static_cast<std::size_t>(to_int(a[1], a.span(1), "'num_loops'"));
    std::vector<Value> out;
    for (const ir::LoopAttr& attr : read_loop_attrs(a[0], loops, a.span(0)))
        out.push_back(new_extension<LoopAttrValue>(attr));
    return Value::list(std::move(out));
}

struct StatementRow {
    FunctionRow make; // none: asm() and calls of kernels make it
    ir::Kind kind;
};
constexpr StatementRow rows[] = {
    {{"AsmStmt", nullptr}, ir::Kind::AsmStmt},
    {{"AssertStmt", {"cond", "msg="}, make_assert_stmt}, ir::Kind::AssertStmt},
    {{"AssignStmt", {"var", "value"}, make_assign_stmt}, ir::Kind::AssignStmt},
    {{"BlackBoxStmt", make_black_box}, ir::Kind::EvaluateStmt},
    {{"BreakStmt", make_jump<ir::make_break>}, ir::Kind::BreakStmt},
    {{"BufferStoreStmt", {"buf", "indices", "value", "protected="}, make_store_stmt}, ir::Kind::StoreStmt},
    {{"CommentStmt", make_comment_stmt}, ir::Kind::CommentStmt},
    {{"ContinueStmt", make_jump<ir::make_continue>}, ir::Kind::ContinueStmt},
    {{"DeclareStmt", {"var", "init=", "is_static=", "scope="}, make_declare_stmt}, ir::Kind::DeclareStmt},
    {{"EvaluateStmt", {"expr"}, make_evaluate_stmt}, ir::Kind::EvaluateStmt},
    {{"ForMappingStmt", {"loop_vars", "mapping", "worker", "body"}, make_for_mapping_statement},
     ir::Kind::ForMappingStmt},
    {{"ForStmt", {"loop_var", "extent", "body=", "*", "attr="}, make_for_statement}, ir::Kind::ForStmt},
    {{"IfStmt", {"cond", "then_body=", "else_body="}, make_if_statement}, ir::Kind::IfStmt},
    {{"LaunchKernelStmt", nullptr}, ir::Kind::LaunchStmt},
    {{"LetStmt", {"bind_vars", "bind_values", "body="}, make_let_statement}, ir::Kind::SeqStmt},
    {{"ReturnStmt", {"ret_value="}, make_return_stmt}, ir::Kind::ReturnStmt},
    {{"SeqStmt", {"seq"}, make_seq_statement}, ir::Kind::SeqStmt},
    {{"WhileStmt", {"cond", "body"}, make_while_statement}, ir::Kind::WhileStmt},
};

} // namespace

ir::LoopAttr loop_attr(const Value& value, Span span) {
    if (auto* given = value.extension<LoopAttrValue>())
        return given->attr;
    const auto attrs = read_loop_attrs(value, 1, span);
    return attrs.empty() ? ir::LoopAttr{} : attrs[0];
}

ir::MappingRef mapping_argument(const Value& value, std::size_t rank, Span span) {
    want_known(value);
    if (!value.is(ValueKind::Mapping))
        fail(DiagId::ScriptNotIterable, span, describe(value));
    if (ir::rank_of(value.as_mapping()) != rank)
        fail(DiagId::ScriptLoopTargets, span, count_of(ir::rank_of(value.as_mapping()), "value", "values"),
             count_of(rank, "name", "names"));
    return value.as_mapping();
}

ir::StmtRef declaration(Evaluator& evaluator, const ir::VarRef& var, const Value& init, Span init_span,
                        const Value& scope, bool is_static, Span call) {
    ir::ExprRef value;
    if (!init.is(ValueKind::None))
        value = convert_to(to_expr(init, init_span), var->type, init_span, evaluator.sink());
    const ir::Scope where = scope_argument(scope, call);
    return typed(call, [&] { return ir::make_declare(var, value, where, is_static); });
}

ir::StmtRef for_loop(const ir::VarRef& var, const ir::ExprRef& extent, ir::LoopAttr attr, ir::StmtRef body, Span call) {
    const auto dtype = ir::scalar_of(var->type);
    if (!dtype || !ir::is_integer(*dtype) || *dtype == ir::DType::Bool)
        fail(DiagId::ScriptBadExtent, call, describe(Value::expr(var)));
    if (attr.what == ir::LoopAttr::What::UnrollExplicit && !ir::constant_int(extent))
        fail(DiagId::ScriptUnrollExtent, call);
    return typed(call, [&] { return ir::make_for(var, ir::cast_to(extent, var->type), attr, std::move(body)); });
}

void export_statements(Evaluator& evaluator, HostModule& module) {
    module.add("Stmt",
               native_class(evaluator, "Stmt", nullptr, [](const Value& value) { return value.is(ValueKind::Stmt); }));
    for (const StatementRow& row : rows)
        module.add(row.make.name, native_class(evaluator, row.make, [kind = row.kind](const Value& value) {
                       return value.is(ValueKind::Stmt) && value.as_stmt()->kind == kind;
                   }));
    Value attr = native_class(evaluator,
                              {"ForStmtAttr",
                               {"unroll=", "unroll_factor=", "unroll_explicit=", "parallel=", "parallel_threads="},
                               make_loop_attr},
                              [](const Value& value) { return value.extension<LoopAttrValue>() != nullptr; });
    as_class(attr).table.set("parse", Value::native("parse", {"attr", "num_loops"}, parse_loop_attr));
    module.add("ForStmtAttr", attr);
    module.function("comment", make_comment_stmt);
}

} // namespace hidet::lang
