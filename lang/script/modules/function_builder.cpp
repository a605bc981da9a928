// SPDX-License-Identifier: Apache-2.0
// StmtBuilder and FunctionBuilder: host code that puts statements together, block by block.
//
//   with FunctionBuilder('fill', kind='cpu_kernel') as fb:
//       x = Var('x', tensor_pointer_type('float32', [16]))
//       fb.extend_params([x])
//       with fb.for_range(16) as i:
//           fb += BufferStoreStmt(x, [i], 1.0)
//
// IR is immutable, so a block is kept as what it will be and the statements it has so far; leaving it makes the statement.
#include "compiler/ir/structure.h"
#include "lang/host/arguments.h"
#include "lang/host/members.h"
#include "lang/host/objects.h"
#include "lang/host/watching_context.h"
#include "lang/script/built_function.h"
#include "lang/script/modules/builders.h"
#include "lang/script/modules/exports.h"

namespace hidet::lang {

namespace {

// Makes the statement of a block; what stands before the block may become a part of it.
using Closing = std::function<void(ir::StmtVec& before, ir::StmtRef body)>;

class StmtBuilder : public WithMembers<StmtBuilder, WatchingContext> {
public:
    struct Block {
        Closing close;
        Span span;
        ir::StmtVec stmts;
    };

    std::string type_name() const override { return "StmtBuilder"; }
    bool leave(Evaluator&, const Value&, Span) override { return false; }
    static std::span<const Member<StmtBuilder>> members();
    // fb += statement
    std::unique_ptr<Value> binary(Evaluator&, ast::BinaryOp op, const Value& other, bool on_right, Span span) override {
        if (op != ast::BinaryOp::Add || on_right)
            return nullptr;
        append(other, span);
        return boxed(Value::extension(Ref<NativeObject>(this)));
    }

    void append(const Value& value, Span span) {
        if (!value.is(ValueKind::None))
            m_blocks.back().stmts.push_back(to_stmt(value, span));
    }
    void append(ir::StmtRef stmt) { m_blocks.back().stmts.push_back(std::move(stmt)); }
    void open(Block block) { m_blocks.push_back(std::move(block)); }
    void close(bool failed) {
        Block block = std::move(m_blocks.back());
        m_blocks.pop_back();
        if (failed)
            return;
        ir::StmtRef body = typed(block.span, [&] { return ir::make_seq(std::move(block.stmts)); });
        block.close(m_blocks.back().stmts, std::move(body));
    }
    ir::StmtRef finish(Span span) {
        if (m_blocks.size() != 1)
            fail(DiagId::BadValue, span, "a block of the builder is still open, so its function is not finished");
        return typed(span, [&] { return ir::make_seq(std::move(m_blocks.back().stmts)); });
    }
    const ir::StmtVec& before() const { return m_blocks.back().stmts; }

private:
    std::vector<Block> m_blocks = std::vector<Block>(1);
};

// What for_range() and its like give to `with`.
class BlockContext final : public WatchingContext {
public:
    BlockContext(Ref<StmtBuilder> builder, Closing close, Value bound, Span span)
        : m_builder(std::move(builder)), m_close(std::move(close)), m_bound(std::move(bound)), m_span(span) {}
    std::string type_name() const override { return "StmtScope"; }
    std::unique_ptr<Value> enter(Evaluator&, Span) override {
        m_builder->open({m_close, m_span, {}});
        return boxed(m_bound);
    }
    bool leave(Evaluator&, const Value& exception, Span) override {
        m_builder->close(!exception.is(ValueKind::None));
        return false;
    }

private:
    Ref<StmtBuilder> m_builder;
    Closing m_close;
    Value m_bound;
    Span m_span;
};

Value block(StmtBuilder& builder, Value bound, Span span, Closing close) {
    return new_extension<BlockContext>(Ref<StmtBuilder>(&builder), std::move(close), std::move(bound), span);
}

ir::VarRef index_variable(std::string name, Span span) {
    return var_at(span, std::move(name), ir::data_type(ir::DType::I32));
}

std::vector<std::string> index_names(std::size_t count) {
    static constexpr const char* first[] = {"i", "j", "k", "p", "q", "r", "s", "u", "v"};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
        names.push_back(count <= std::size(first) ? first[i] : cat("i", i));
    return names;
}

// A name, or a variable that was made before.
ir::VarRef named_or_given(const Value& value, Span span) {
    return value.is(ValueKind::Str) ? index_variable(value.as_str(), span) : to_var(value, span);
}

// ---- loops -----------------------------------------------------------------------------------------------------------

Value open_loop(StmtBuilder& builder, const ir::VarRef& var, const ir::ExprRef& extent, ir::LoopAttr attr, Span call) {
    return block(builder, Value::expr(var), call, [=](ir::StmtVec& before, ir::StmtRef body) {
        before.push_back(for_loop(var, extent, attr, std::move(body), call));
    });
}

Value for_named_loop(StmtBuilder& builder, Evaluator&, const Arguments& a, Span call) {
    return open_loop(builder, named_or_given(a[0], a.span(0)), to_extent(a[1], a.span(1)),
                     loop_attr(a.or_none(2), a.span(2)), call);
}

Value for_range(StmtBuilder& builder, Evaluator&, const Arguments& a, Span call) {
    return open_loop(builder, index_variable("i", call), to_extent(a[0], a.span(0)), loop_attr(a.or_none(1), a.span(1)),
                     call);
}

Value open_mapping(StmtBuilder& builder, const ir::MappingRef& mapping, const std::vector<std::string>& names,
                   const ir::ExprRef& worker, Span call) {
    ir::VarVec vars;
    std::vector<Value> bound;
    for (const std::string& name : names) {
        vars.push_back(index_variable(name, call));
        bound.push_back(Value::expr(vars.back()));
    }
    return block(builder, Value::list(std::move(bound)), call, [=](ir::StmtVec& before, ir::StmtRef body) {
        before.push_back(typed(call, [&] { return ir::make_for_mapping(vars, mapping, worker, std::move(body)); }));
    });
}

Value for_mapping(StmtBuilder& builder, Evaluator& evaluator, const Arguments& a, Span call) {
    if (!a[0].is(ValueKind::Mapping))
        a.wrong_type(0, "a task mapping");
    const ir::MappingRef& mapping = a[0].as_mapping();
    std::vector<std::string> names = index_names(ir::rank_of(mapping));
    if (a.has(1)) {
        names.clear();
        for (const Value& name : evaluator.iterate(a[1], a.span(1)))
            names.push_back(to_text(name, a.span(1), "the name of a variable"));
    }
    const bool has_worker = a.has(2);
    if (!has_worker && !ir::is_constant(ir::workers_of(mapping), 1))
        fail(DiagId::MissingArgument, call, "for_mapping", "worker");
    return open_mapping(builder, mapping_argument(a[0], names.size(), a.span(0)), names,
                        has_worker ? to_expr(a[2], a.span(2)) : ir::int_constant(0), call);
}

Value for_grid(StmtBuilder& builder, Evaluator&, const Arguments& a, Span call) {
    const ir::ExprVec shape = with_tasks(to_shape(a[0], a.span(0)), a.span(0));
    return open_mapping(builder, ir::repeat(shape, {}, {}), index_names(shape.size()), ir::int_constant(0), call);
}

Value while_loop(StmtBuilder& builder, Evaluator&, const Arguments& a, Span call) {
    const ir::ExprRef condition = to_condition(a[0], a.span(0));
    return block(builder, Value(), call, [=](ir::StmtVec& before, ir::StmtRef body) {
        before.push_back(typed(call, [&] { return ir::make_while(condition, std::move(body)); }));
    });
}

// ---- branches --------------------------------------------------------------------------------------------------------

// The statement with an else part at the end of its chain; null where the chain has one.
ir::StmtRef with_else(const ir::IfStmt& stmt, const ir::StmtRef& else_body) {
    ir::StmtRef rest = else_body;
    if (stmt.else_body) {
        const auto* inner = ir::as<ir::IfStmt>(stmt.else_body);
        rest = inner ? with_else(*inner, else_body) : nullptr;
    }
    if (!rest)
        return nullptr;
    ir::StmtRef out = ir::make_if(stmt.condition, stmt.then_body, rest);
    ir::set_origin(out, stmt.origin);
    return out;
}

[[noreturn]] void misplaced(const char* name, Span call) {
    fail(DiagId::BadValue, call, cat(name, "() must come right after if_then() or else_if()"));
}

void attach_else(ir::StmtVec& before, const ir::StmtRef& else_body, const char* name, Span call) {
    const auto* last = before.empty() ? nullptr : ir::as<ir::IfStmt>(before.back());
    ir::StmtRef joined = last ? with_else(*last, else_body) : nullptr;
    if (!joined)
        misplaced(name, call);
    before.back() = joined;
}

void check_if_before(StmtBuilder& builder, const char* name, Span call) {
    if (builder.before().empty() || !ir::as<ir::IfStmt>(builder.before().back()))
        misplaced(name, call);
}

Value if_then(StmtBuilder& builder, Evaluator&, const Arguments& a, Span call) {
    const ir::ExprRef condition = to_condition(a[0], a.span(0));
    return block(builder, Value(), call, [=](ir::StmtVec& before, ir::StmtRef body) {
        before.push_back(typed(call, [&] { return ir::make_if(condition, std::move(body)); }));
    });
}

Value else_if(StmtBuilder& builder, Evaluator&, const Arguments& a, Span call) {
    const ir::ExprRef condition = to_condition(a[0], a.span(0));
    check_if_before(builder, "else_if", call);
    return block(builder, Value(), call, [=](ir::StmtVec& before, ir::StmtRef body) {
        attach_else(before, typed(call, [&] { return ir::make_if(condition, std::move(body)); }), "else_if", call);
    });
}

Value otherwise(StmtBuilder& builder, Evaluator&, const Arguments&, Span call) {
    check_if_before(builder, "otherwise", call);
    return block(builder, Value(), call,
                 [=](ir::StmtVec& before, const ir::StmtRef& body) { attach_else(before, body, "otherwise", call); });
}

// ---- names of values -------------------------------------------------------------------------------------------------

Closing lets_in_front(std::vector<std::pair<ir::VarRef, ir::ExprRef>> lets, Span call) {
    return [lets = std::move(lets), call](ir::StmtVec& before, ir::StmtRef body) {
        for (const auto& [var, value] : lets)
            before.push_back(typed(call, [&] { return ir::make_let_stmt(var, value); }));
        before.push_back(std::move(body));
    };
}

Value let_one(StmtBuilder& builder, Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::VarRef var = named_or_given(a[0], a.span(0));
    const ir::ExprRef value = convert_to(to_expr(a[1], a.span(1)), var->type, a.span(1), evaluator.sink());
    return block(builder, Value::expr(var), call, lets_in_front({{var, value}}, call));
}

Value let_several(StmtBuilder& builder, Evaluator& evaluator, const Arguments& a, Span call) {
    const std::vector<Value> names = evaluator.iterate(a[0], a.span(0)), values = evaluator.iterate(a[1], a.span(1));
    if (names.size() != values.size())
        fail(DiagId::ScriptUnpackCount, a.span(1), count_of(values.size(), "value", "values"),
             count_of(names.size(), "name", "names"));
    std::vector<std::pair<ir::VarRef, ir::ExprRef>> lets;
    std::vector<Value> bound;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const ir::VarRef var = named_or_given(names[i], a.span(0));
        lets.emplace_back(var, convert_to(to_expr(values[i], a.span(1)), var->type, a.span(1), evaluator.sink()));
        bound.push_back(Value::expr(var));
    }
    return block(builder, Value::list(std::move(bound)), call, lets_in_front(std::move(lets), call));
}

// ---- single statements -----------------------------------------------------------------------------------------------

Value declare(StmtBuilder& builder, Evaluator& evaluator, const Arguments& a, Span call) {
    builder.append(declaration(evaluator, to_var(a[0], a.span(0)), a.or_none(1), a.span(1), a.or_none(2), false, call));
    return a[0];
}

Value declare_var(StmtBuilder& builder, Evaluator& evaluator, const Arguments& a, Span call) {
    need_name(a.str(0), a.span(0));
    ir::VarRef var = var_at(call, a.str(0), to_type(a[1], a.span(1)));
    builder.append(declaration(evaluator, var, a.or_none(2), a.span(2), a.or_none(3), false, call));
    return Value::expr(var);
}

Value append_any(StmtBuilder& builder, Evaluator&, const Arguments& a, Span) {
    builder.append(a[0], a.span(0));
    return {};
}

Value finish(StmtBuilder& builder, Evaluator&, Args& args, Span call) {
    Arguments(args, call, "finish", {});
    return Value::stmt(builder.finish(call));
}

// A method that appends what a class of hidet.ir.stmt makes.
template <const char* const& class_name>
Value append_made(StmtBuilder& builder, Evaluator& evaluator, Args& args, Span call) {
    const Value module = evaluator.import("hidet.ir.stmt", call);
    const Value type = evaluator.attribute(module, class_name, call);
    if (args.asks_signature)
        return as_class(type).construct(evaluator, args, call);
    builder.append(evaluator.call(type, args, call), call);
    return {};
}
constexpr const char* store_class = "BufferStoreStmt";
constexpr const char* assign_class = "AssignStmt";
constexpr const char* assert_class = "AssertStmt";
constexpr const char* comment_class = "CommentStmt";
constexpr const char* break_class = "BreakStmt";
constexpr const char* return_class = "ReturnStmt";

constexpr Member<StmtBuilder> builder_methods[] = {
    {"append", {"stmt"}, append_any},
    {"assertion", append_made<assert_class>},
    {"assign", append_made<assign_class>},
    {"brk", append_made<break_class>},
    {"buffer_store", append_made<store_class>},
    {"comment", append_made<comment_class>},
    {"declare", {"v", "init=", "scope="}, declare},
    {"declare_var", {"name", "tp", "init=", "scope="}, declare_var},
    {"else_if", {"cond"}, else_if},
    {"finish", finish},
    {"for_grid", {"shape"}, for_grid},
    {"for_loop", {"v", "extent", "attr="}, for_named_loop},
    {"for_mapping", {"mapping", "iter_names=", "worker="}, for_mapping},
    {"for_range", {"extent", "*", "attr="}, for_range},
    {"if_then", {"cond"}, if_then},
    {"let", {"v", "value"}, let_one},
    {"lets", {"bind_vars", "values"}, let_several},
    {"otherwise", {}, otherwise},
    {"ret", append_made<return_class>},
    {"while_loop", {"cond"}, while_loop},
};

std::span<const Member<StmtBuilder>> StmtBuilder::members() {
    return builder_methods;
}

// ---- functions -------------------------------------------------------------------------------------------------------

// {'cuda.grid_dim': 4, ...}; what a function says of itself stands elsewhere.
void set_attributes(FunctionParts& parts, const Value& attrs, Span span) {
    if (!attrs.is(ValueKind::Dict))
        return;
    for (const ValueTable::Entry& entry : as_dict(attrs).table.living()) {
        const std::string name = to_text(entry.key, span, "the name of an attribute");
        Value* part = name == "cuda.grid_dim"             ? &parts.grid_dim
                      : name == "cuda.block_dim"          ? &parts.block_dim
                      : name == "cuda.cluster_dim"        ? &parts.cluster_dim
                      : name == "cuda.min_blocks"         ? &parts.min_blocks
                      : name == "cuda.dynamic_smem_bytes" ? &parts.dynamic_smem_bytes
                                                          : nullptr;
        if (part)
            *part = entry.value;
        else if (name != "func_kind" && name != "func_name" && name != "label")
            throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownFunctionAttribute, span, name)
                                      .suggest(span, name,
                                               {"cuda.grid_dim", "cuda.block_dim", "cuda.cluster_dim",
                                                "cuda.min_blocks", "cuda.dynamic_smem_bytes"}));
    }
}

class FunctionBuilder final : public WithMembers<FunctionBuilder, StmtBuilder> {
public:
    explicit FunctionBuilder(FunctionParts parts) : m_parts(std::move(parts)) {}
    std::string type_name() const override { return "FunctionBuilder"; }
    static std::span<const Member<FunctionBuilder>> members();
    std::unique_ptr<Value> enter(Evaluator&, Span) override { return boxed(Value::extension(Ref<NativeObject>(this))); }
    bool leave(Evaluator& evaluator, const Value& exception, Span span) override {
        if (exception.is(ValueKind::None))
            finish_function(evaluator, span);
        return false;
    }

private:
    Value function(Span span) const {
        if (!m_function)
            fail(DiagId::BadValue, span, "a block of the builder is still open, so its function is not finished");
        return Value::object(ValueKind::ScriptFunction, Ref<Object>(m_function));
    }
    void finish_function(Evaluator& evaluator, Span span) {
        if (!m_parts.body)
            m_parts.body = finish(span);
        m_function = make_function(Operations::of(evaluator), m_parts, span);
    }
    FunctionParts m_parts;
    Ref<TranslatedFunction> m_function;
};

std::span<const Member<FunctionBuilder>> FunctionBuilder::members() {
    using F = FunctionBuilder&;
    static constexpr Member<FunctionBuilder> rows[] = {
        {"extend_attrs",
         {"new_attrs"},
         [](F self, Evaluator&, const Arguments& a, Span) {
             if (!a[0].is(ValueKind::Dict))
                 a.wrong_type(0, "a dict");
             set_attributes(self.m_parts, a[0], a.span(0));
             return Value();
         }},
        {"extend_params",
         {"params"},
         [](F self, Evaluator& evaluator, const Arguments& a, Span) {
             for (const Value& param : evaluator.iterate(a[0], a.span(0)))
                 self.m_parts.params.push_back(to_var(param, a.span(0)));
             return Value();
         }},
        {"finish_func",
         {},
         [](F self, Evaluator& evaluator, const Arguments&, Span call) {
             self.finish_function(evaluator, call);
             return Value();
         }},
        {"func", [](F self, Evaluator&, Span span) { return self.m_function ? self.function(span) : Value(); }},
        {"get", {}, [](F self, Evaluator&, const Arguments&, Span call) { return self.function(call); }},
        {"kind", [](const FunctionBuilder& self) { return Value::str(ir::func_kind_name(self.m_parts.kind)); }},
        {"name", [](const FunctionBuilder& self) { return Value::str(self.m_parts.name); }},
        {"params",
         [](const FunctionBuilder& self) {
             std::vector<Value> params;
             for (const ir::VarRef& param : self.m_parts.params)
                 params.push_back(Value::expr(param));
             return Value::tuple(std::move(params));
         }},
        {"set_body",
         {"body"},
         [](F self, Evaluator&, const Arguments& a, Span) {
             self.m_parts.body = to_stmt(a[0], a.span(0));
             return Value();
         }},
    };
    return rows;
}

Value make_function_builder(Evaluator&, const Arguments& a, Span) {
    FunctionParts parts;
    need_name(a.str(0), a.span(0));
    parts.name = a.str(0);
    parts.kind = func_kind_named(a.str(1), a.span(1));
    parts.label = a.str(2, "");
    parts.ret = a.has(3) ? to_type(a[3], a.span(3)) : ir::void_type();
    parts.grid_dim = a.or_none(4);
    parts.cluster_dim = a.or_none(5);
    parts.block_dim = a.or_none(6);
    parts.dynamic_smem_bytes = a.or_none(7);
    parts.min_blocks = a.or_none(8);
    set_attributes(parts, a.or_none(9), a.span(9));
    return new_extension<FunctionBuilder>(std::move(parts));
}

// Function(...): all of it at once.
Value make_whole_function(Evaluator& evaluator, const Arguments& a, Span call) {
    FunctionParts parts;
    need_name(a.str(0), a.span(0));
    parts.name = a.str(0);
    for (const Value& param : evaluator.iterate(a[1], a.span(1)))
        parts.params.push_back(to_var(param, a.span(1)));
    parts.body = to_stmt(a[2], a.span(2));
    parts.ret = a[3].is(ValueKind::None) ? ir::void_type() : to_type(a[3], a.span(3));
    parts.kind = func_kind_named(a.str(4), a.span(4));
    set_attributes(parts, a.or_none(5), a.span(5));
    return Value::object(ValueKind::ScriptFunction, Ref<Object>(make_function(Operations::of(evaluator), parts, call)));
}

Value make_stmt_builder(Evaluator&, const Arguments&, Span) {
    return new_extension<StmtBuilder>();
}

} // namespace

void export_builders(Evaluator& evaluator, HostModule& module) {
    module.add("StmtBuilder", native_class(evaluator, {"StmtBuilder", {}, make_stmt_builder}, [](const Value& value) {
                   return value.extension<StmtBuilder>() != nullptr;
               }));
    module.add("FunctionBuilder",
               native_class(evaluator,
                            {"FunctionBuilder",
                             {"name", "kind", "label=", "ret_type=", "grid_dim=", "cluster_dim=", "block_dim=",
                              "dynamic_smem_bytes=", "min_blocks=", "attrs="},
                             make_function_builder},
                            [](const Value& value) { return value.extension<FunctionBuilder>() != nullptr; }));
}

void export_function_class(Evaluator& evaluator, HostModule& module) {
    module.add("Function",
               native_class(evaluator,
                            {"Function", {"name", "params", "body", "ret_type", "kind", "attrs="}, make_whole_function},
                            [](const Value& value) { return value.is(ValueKind::ScriptFunction); }));
}

} // namespace hidet::lang
