// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/interpreter.h"

#include "compiler/ir/fold.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/mapping.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"

namespace hidet::test {

using namespace ir;

bool operator==(const Value& a, const Value& b) {
    if (a.v.index() != b.v.index())
        return false;
    if (const auto* p = std::get_if<Pointer>(&a.v)) {
        const auto& q = std::get<Pointer>(b.v);
        return p->offset == q.offset && p->buffer == q.buffer;
    }
    if (const auto* x = std::get_if<double>(&a.v)) {
        double y = std::get<double>(b.v);
        return *x == y || (*x != *x && y != y);
    }
    return a.integer() == b.integer();
}

std::string to_text(const Value& value) {
    if (const auto* i = std::get_if<std::int64_t>(&value.v))
        return std::to_string(*i);
    if (const auto* d = std::get_if<double>(&value.v))
        return shortest(*d);
    return "pointer";
}

static ExprRef as_constant(const Value& value, TypeRef type) {
    if (type->kind == Kind::ReferenceType)
        type = static_cast<const ReferenceType&>(*type).base;
    if (const auto* i = std::get_if<std::int64_t>(&value.v))
        return make_constant(*i, type);
    return make_constant(std::get<double>(value.v), type);
}

static Value of_constant(const ExprRef& expr, const char* what) {
    const auto* constant = as<Constant>(expr);
    if (!constant)
        throw Trap(std::string("no value for ") + what);
    if (const auto* i = std::get_if<std::int64_t>(&constant->value))
        return {*i};
    if (const auto* d = std::get_if<double>(&constant->value))
        return {*d};
    return {std::int64_t{0}}; // text
}

void Interpreter::step() {
    if (--budget < 0)
        throw Trap("too many steps");
}

std::shared_ptr<Buffer>& Interpreter::storage(const Var& var) {
    auto found = m_frame->vars.find(&var);
    if (found == m_frame->vars.end())
        throw Trap("'" + var.name + "' is not defined here");
    return found->second;
}

void Interpreter::set(const Var& var, Value value) {
    auto& buffer = m_frame->vars[&var];
    buffer = std::make_shared<Buffer>();
    buffer->slots = {std::move(value)};
}

// ---- functions --------------------------------------------------------------------------------------------------------

Value Interpreter::call(const std::string& name, const std::vector<Value>& args) {
    const Function* function = find_function(m_module, name);
    if (!function)
        throw Trap("no function '" + name + "'");
    std::vector<std::shared_ptr<Buffer>> buffers;
    for (const Value& arg : args) {
        buffers.push_back(std::make_shared<Buffer>());
        buffers.back()->slots = {arg};
    }
    return run_function(*function, buffers);
}

Value Interpreter::run_function(const Function& function, const std::vector<std::shared_ptr<Buffer>>& args) {
    if (args.size() != function.params.size())
        throw Trap(cat("'", function.name, "' takes ", function.params.size(), " arguments, not ", args.size()));
    Frame frame;
    for (std::size_t i = 0; i < args.size(); ++i)
        frame.vars[function.params[i].get()] = args[i];
    Frame* outer = m_frame;
    m_frame = &frame;
    run(function.body);
    m_frame = outer;
    return frame.result;
}

Value Interpreter::eval_call(const Call& expr) {
    const Function* function = find_function(m_module, expr.callee);
    if (!function)
        throw Trap("no function '" + expr.callee + "'");
    std::vector<std::shared_ptr<Buffer>> args;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
        const auto* var = as<Var>(expr.args[i]);
        if (i < function->params.size() && function->params[i]->type->kind == Kind::ReferenceType && var) {
            args.push_back(storage(*var));
            continue;
        }
        args.push_back(std::make_shared<Buffer>());
        args.back()->slots = {eval(expr.args[i])};
    }
    return run_function(*function, args);
}

void Interpreter::launch(const LaunchStmt& stmt) {
    std::string text = "launch " + stmt.kernel;
    for (const ExprVec* dims : {&stmt.grid, &stmt.cluster, &stmt.block})
        for (const ExprRef& dim : *dims)
            text += " " + std::to_string(eval_int(dim));
    log.push_back(text);
    std::vector<Value> args;
    for (const ExprRef& arg : stmt.args)
        args.push_back(eval(arg));
    Frame* outer = m_frame;
    call(stmt.kernel, args);
    m_frame = outer;
}

// ---- statements -------------------------------------------------------------------------------------------------------

void Interpreter::declare(const DeclareStmt& stmt) {
    const Type& type = *stmt.var->type;
    std::int64_t slots = 1;
    if (type.kind == Kind::TensorType)
        slots = eval_int(size_of(layout_of(static_cast<const TensorType&>(type))));
    else if (type.kind == Kind::ArrayType)
        slots = static_cast<const ArrayType&>(type).count;
    auto buffer = std::make_shared<Buffer>();
    buffer->slots.resize(static_cast<std::size_t>(slots));
    if (auto dtype = scalar_of(stmt.var->type); dtype && is_float(*dtype))
        for (Value& slot : buffer->slots)
            slot.v = 0.0;
    if (stmt.init)
        buffer->slots[0] = eval(stmt.init);
    m_frame->vars[stmt.var.get()] = buffer;
}

Interpreter::Flow Interpreter::run_loop_body(const StmtRef& body, bool& stop) {
    Flow flow = run(body);
    stop = flow == Flow::Break || flow == Flow::Return;
    return flow == Flow::Return ? flow : Flow::Next;
}

Interpreter::Flow Interpreter::run_mapping(const ForMappingStmt& stmt) {
    std::int64_t worker = eval_int(stmt.worker);
    if (worker < 0 || worker >= eval_int(workers_of(stmt.mapping)))
        return Flow::Next;
    for (const ExprVec& task : tasks_of(stmt.mapping, int_constant(worker))) {
        for (std::size_t d = 0; d < stmt.vars.size(); ++d)
            set(*stmt.vars[d], eval(task[d]));
        bool stop = false;
        if (run_loop_body(stmt.body, stop) == Flow::Return)
            return Flow::Return;
        if (stop)
            break;
    }
    return Flow::Next;
}

Interpreter::Flow Interpreter::run(const StmtRef& stmt) {
    step();
    if (!stmt)
        return Flow::Next;
    switch (stmt->kind) {
    case Kind::SeqStmt:
        for (const StmtRef& inner : as<SeqStmt>(stmt)->stmts)
            if (Flow flow = run(inner); flow != Flow::Next)
                return flow;
        return Flow::Next;
    case Kind::EvaluateStmt: eval(as<EvaluateStmt>(stmt)->value); return Flow::Next;
    case Kind::DeclareStmt: declare(*as<DeclareStmt>(stmt)); return Flow::Next;
    case Kind::StoreStmt: {
        const auto* s = as<StoreStmt>(stmt);
        Value value = eval(s->value);
        bool outside = false;
        Value& slot = element(s->base, s->indices, s->is_protected, outside);
        if (!outside)
            slot = value;
        return Flow::Next;
    }
    case Kind::AssignStmt: {
        const auto* s = as<AssignStmt>(stmt);
        Value value = eval(s->value);
        storage(*s->var)->slots.at(0) = value;
        return Flow::Next;
    }
    case Kind::ReturnStmt:
        if (as<ReturnStmt>(stmt)->value)
            m_frame->result = eval(as<ReturnStmt>(stmt)->value);
        return Flow::Return;
    case Kind::ForStmt: {
        const auto* s = as<ForStmt>(stmt);
        std::int64_t extent = eval_int(s->extent);
        bool stop = false;
        for (std::int64_t i = 0; i < extent && !stop; ++i) {
            set(*s->var, {i});
            if (run_loop_body(s->body, stop) == Flow::Return)
                return Flow::Return;
        }
        return Flow::Next;
    }
    case Kind::ForMappingStmt: return run_mapping(*as<ForMappingStmt>(stmt));
    case Kind::WhileStmt: {
        const auto* s = as<WhileStmt>(stmt);
        bool stop = false;
        while (!stop && eval_int(s->condition) != 0)
            if (run_loop_body(s->body, stop) == Flow::Return)
                return Flow::Return;
        return Flow::Next;
    }
    case Kind::BreakStmt: return Flow::Break;
    case Kind::ContinueStmt: return Flow::Continue;
    case Kind::IfStmt: {
        const auto* s = as<IfStmt>(stmt);
        return run(eval_int(s->condition) != 0 ? s->then_body : s->else_body);
    }
    case Kind::AssertStmt:
        if (eval_int(as<AssertStmt>(stmt)->condition) == 0)
            log.push_back("assert " + as<AssertStmt>(stmt)->message);
        return Flow::Next;
    case Kind::CommentStmt: return Flow::Next;
    case Kind::LaunchStmt: launch(*as<LaunchStmt>(stmt)); return Flow::Next;
    default: throw Trap(std::string("cannot run a ") + kind_name(stmt->kind));
    }
}

// ---- places -----------------------------------------------------------------------------------------------------------

Pointer Interpreter::address(const ExprRef& expr) {
    if (const auto* var = as<Var>(expr)) {
        if (is_array(var->type))
            return {storage(*var), 0};
    }
    Value value = eval(expr);
    if (const auto* pointer = std::get_if<Pointer>(&value.v))
        return *pointer;
    throw Trap("not a pointer");
}

Value& Interpreter::element(const ExprRef& base, const ExprVec& indices, bool is_protected, bool& outside) {
    static Value nowhere;
    if (const auto* slice = as<TensorSlice>(base)) {
        ExprVec through;
        std::size_t next = 0;
        for (std::size_t i = 0; i < slice->indices.size(); ++i) {
            if (slice->indices[i])
                through.push_back(slice->indices[i]);
            else
                through.push_back(slice->starts[i] ? add(slice->starts[i], indices.at(next++)) : indices.at(next++));
        }
        return element(slice->base, through, is_protected, outside);
    }
    Pointer pointer = address(base);
    ExprVec values;
    for (const ExprRef& index : indices)
        values.push_back(int_constant(eval_int(index)));
    std::int64_t slot = 0;
    if (const TensorType* tensor = tensor_of(base->type)) {
        for (std::size_t d = 0; d < values.size(); ++d) {
            std::int64_t index = *constant_int(values[d]);
            if (index < 0 || index >= eval_int(tensor->shape.at(d))) {
                if (!is_protected)
                    throw Trap("index out of bounds");
                outside = true;
                return nowhere;
            }
        }
        slot = eval_int(slot_of(layout_of(*tensor), values));
    } else {
        slot = *constant_int(values.at(0));
    }
    slot += pointer.offset;
    if (slot < 0 || slot >= static_cast<std::int64_t>(pointer.buffer->slots.size()))
        throw Trap("address out of bounds");
    return pointer.buffer->slots[static_cast<std::size_t>(slot)];
}

Value& Interpreter::place(const ExprRef& expr) {
    bool outside = false;
    if (const auto* e = as<TensorElement>(expr))
        return element(e->base, e->indices, false, outside);
    if (const auto* var = as<Var>(expr))
        return storage(*var)->slots.at(0);
    Pointer pointer = address(as<Deref>(expr)->pointer);
    return pointer.buffer->slots.at(static_cast<std::size_t>(pointer.offset));
}

// ---- expressions ------------------------------------------------------------------------------------------------------

Value Interpreter::eval_binary(const Binary& expr) {
    if (expr.op == BinOp::And)
        return {std::int64_t{eval_int(expr.a) != 0 && eval_int(expr.b) != 0}};
    if (expr.op == BinOp::Or)
        return {std::int64_t{eval_int(expr.a) != 0 || eval_int(expr.b) != 0}};
    if (is_pointer(expr.a->type)) {
        Pointer p = address(expr.a);
        std::int64_t by = eval_int(expr.b);
        p.offset += expr.op == BinOp::Add ? by : -by;
        return {p};
    }
    Value a = eval(expr.a);
    Value b = eval(expr.b);
    ExprRef result =
        fold_binary(expr.op, *scalar_of(expr.a->type), as_constant(a, expr.a->type), as_constant(b, expr.b->type));
    return of_constant(result, spelling(expr.op));
}

Value Interpreter::eval_intrinsic(const Intrinsic& expr) {
    std::vector<Value> args;
    for (const ExprRef& arg : expr.args)
        args.push_back(arg->type->kind == Kind::StringType ? Value{} : eval(arg));
    if (expr.id == IntrinsicId::GetSymbolValue)
        return {symbols.at(std::get<std::string>(as<Constant>(expr.args[0])->value))};
    if (info(expr.id).effect != IntrinsicEffect::Pure) {
        std::string text = info(expr.id).name;
        for (const Value& arg : args)
            text += " " + to_text(arg);
        log.push_back(text);
        return {};
    }
    if (expr.id == IntrinsicId::Assume)
        return {};
    ExprVec constants;
    for (std::size_t i = 0; i < args.size(); ++i)
        constants.push_back(as_constant(args[i], expr.args[i]->type));
    return of_constant(fold_math(expr.id, *scalar_of(expr.args[0]->type), constants), info(expr.id).name);
}

Value Interpreter::eval_cast(const Cast& expr) {
    bool is_address = is_pointer(expr.type) || is_pointer(expr.a->type);
    if (is_address)
        return {address(expr.a)};
    return of_constant(fold_cast(as_constant(eval(expr.a), expr.a->type), *scalar_of(expr.type)), "a cast");
}

Value Interpreter::eval(const ExprRef& expr) {
    step();
    switch (expr->kind) {
    case Kind::Constant: return of_constant(expr, "a constant");
    case Kind::Var: {
        if (is_array(expr->type))
            return {address(expr)};
        return place(expr);
    }
    case Kind::SymbolVar: return {symbols.at(as<SymbolVar>(expr)->name)};
    case Kind::BuiltinVar: {
        Builtin which = as<BuiltinVar>(expr)->which;
        auto known = builtins.find(which);
        return {known != builtins.end() ? known->second : std::int64_t{which >= Builtin::BlockDimX}};
    }
    case Kind::Unary: {
        const auto* e = as<Unary>(expr);
        return of_constant(fold_unary(e->op, *scalar_of(e->a->type), as_constant(eval(e->a), e->a->type)), "a unary");
    }
    case Kind::Binary: return eval_binary(*as<Binary>(expr));
    case Kind::TensorElement: {
        const auto* e = as<TensorElement>(expr);
        bool outside = false;
        Value value = element(e->base, e->indices, e->is_protected, outside);
        auto dtype = scalar_of(expr->type);
        if (outside && dtype && is_float(*dtype))
            return {0.0};
        return outside ? Value{} : value;
    }
    case Kind::Deref: return place(expr);
    case Kind::Call: return eval_call(*as<Call>(expr));
    case Kind::Intrinsic: return eval_intrinsic(*as<Intrinsic>(expr));
    case Kind::Let: {
        const auto* e = as<Let>(expr);
        set(*e->var, eval(e->value));
        return eval(e->body);
    }
    case Kind::Cast: return eval_cast(*as<Cast>(expr));
    case Kind::Select: {
        const auto* e = as<Select>(expr);
        return eval(eval_int(e->condition) != 0 ? e->a : e->b);
    }
    case Kind::Address: {
        const auto* e = as<Address>(expr);
        if (const auto* element = as<TensorElement>(e->place)) {
            Pointer base = address(element->base);
            bool outside = false;
            Value& slot = this->element(element->base, element->indices, false, outside);
            return {Pointer{base.buffer, &slot - base.buffer->slots.data()}};
        }
        if (const auto* deref = as<Deref>(e->place))
            return {address(deref->pointer)};
        return {Pointer{storage(*as<Var>(e->place)), 0}};
    }
    default: throw Trap(std::string("cannot evaluate a ") + kind_name(expr->kind));
    }
}

} // namespace hidet::test
