// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include <algorithm>
#include <limits>

#include "lang/base/check.h"
#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/methods.h"
#include "lang/host/operators.h"
#include "lang/host/value_observer.h"

namespace hidet::lang {

using ast::Kind;

// A literal below a minus that is too big without one.
static Value least_integer(const ast::Constant& literal) {
    if (literal.integer != std::numeric_limits<std::int64_t>::min())
        fail(DiagId::IntegerTooBig, literal.span);
    return Value::integer(literal.integer);
}

Value Evaluator::Impl::eval_observed(const ast::Expr& node, Environment& environment) {
    Value value = eval_expr(node, environment);
    options.observer->evaluated(node, value);
    return value;
}

Value Evaluator::Impl::eval_expr(const ast::Expr& node, Environment& environment) {
    charge_steps(1, node.span);
    switch (node.kind) {
    case Kind::Name: return eval_name(ast::to<ast::Name>(node), environment);
    case Kind::Constant: return eval_constant(ast::to<ast::Constant>(node));
    default: break;
    }
    check_stack(node.span);
    switch (node.kind) {
    case Kind::FString: return eval_fstring(ast::to<ast::FString>(node), environment);
    case Kind::Tuple: return Value::tuple(eval_items(ast::to<ast::Tuple>(node).items, environment));
    case Kind::List: return new_list(eval_items(ast::to<ast::List>(node).items, environment));
    case Kind::Set: {
        Value set = new_set();
        for (const Value& item : eval_items(ast::to<ast::Set>(node).items, environment))
            as_set(set).table.set(self, item, Value(), node.span);
        return set;
    }
    case Kind::Dict: {
        const auto& display = ast::to<ast::Dict>(node);
        Value dict = new_dict();
        for (std::size_t i = 0; i < display.keys.size(); ++i) {
            if (display.keys[i]) {
                Value key = eval(*display.keys[i], environment);
                Value item = eval(*display.values[i], environment);
                ir->keep({&item, 1}, display.values[i]->span);
                as_dict(dict).table.set(self, key, item, display.keys[i]->span);
                continue;
            }
            Value other = eval(*display.values[i], environment);
            if (other.is(ValueKind::Unknown))
                return other;
            if (!other.is(ValueKind::Dict))
                fail(DiagId::BadType, display.values[i]->span, cat("'", type_name(other), "' object is not a mapping"));
            for (const ValueTable::Entry& entry : as_dict(other).table.living())
                as_dict(dict).table.set(self, entry.key, entry.value, display.values[i]->span);
        }
        return dict;
    }
    case Kind::Unary: {
        const auto& expr = ast::to<ast::Unary>(node);
        if (const auto* literal = ast::as<ast::Constant>(expr.operand);
            literal && expr.op == ast::UnaryOp::Minus && literal->what == ast::ConstantKind::Int && literal->too_big)
            return least_integer(*literal);
        Value operand = eval(*expr.operand, environment);
        if (expr.op != ast::UnaryOp::Not)
            return unary(self, expr.op, operand, expr.operand->span);
        if (operand.is(ValueKind::Unknown))
            return operand;
        if (operand.is(ValueKind::Expr) && environment.in_script())
            return ir->unary(expr.op, operand, expr.operand->span);
        return Value::boolean(!self.truth(operand, expr.operand->span));
    }
    case Kind::Binary: {
        const auto& expr = ast::to<ast::Binary>(node);
        Value left = eval(*expr.left, environment);
        Value right = eval(*expr.right, environment);
        if (left.is(ValueKind::Int) && right.is(ValueKind::Int)) {
            std::int64_t result = 0;
            bool fits = false;
            if (expr.op == ast::BinaryOp::Add)
                fits = !__builtin_add_overflow(left.as_int(), right.as_int(), &result);
            else if (expr.op == ast::BinaryOp::Sub)
                fits = !__builtin_sub_overflow(left.as_int(), right.as_int(), &result);
            else if (expr.op == ast::BinaryOp::Mul)
                fits = !__builtin_mul_overflow(left.as_int(), right.as_int(), &result);
            if (fits)
                return Value::integer(result);
        }
        current = node.span;
        return hidet::lang::binary(self, expr.op, left, right, expr.left->span, expr.right->span);
    }
    case Kind::BoolOp: return eval_bool_op(ast::to<ast::BoolOp>(node), environment);
    case Kind::Compare: return eval_compare(ast::to<ast::Compare>(node), environment);
    case Kind::Call: return eval_call(ast::to<ast::Call>(node), environment);
    case Kind::Attribute: {
        const auto& expr = ast::to<ast::Attribute>(node);
        return with_data(attribute(eval(*expr.object, environment), expr.name.text, expr.name.span), expr.span);
    }
    case Kind::Subscript: {
        const auto& expr = ast::to<ast::Subscript>(node);
        Value object = eval(*expr.object, environment);
        Value index = eval(*expr.index, environment);
        return with_data(subscript(object, index, expr.object->span, expr.index->span), expr.span);
    }
    case Kind::Slice: return eval_slice(ast::to<ast::Slice>(node), environment);
    case Kind::Starred: fail(DiagId::UnsupportedSyntax, node.span, "a starred expression here");
    case Kind::Lambda: return eval_lambda(ast::to<ast::Lambda>(node), environment);
    case Kind::IfExp: return eval_if_exp(ast::to<ast::IfExp>(node), environment);
    case Kind::Comprehension: return eval_comprehension(ast::to<ast::Comprehension>(node), environment);
    case Kind::NamedExpr: {
        const auto& expr = ast::to<ast::NamedExpr>(node);
        Value value = eval(*expr.value, environment);
        environment.bind(expr.name, value);
        if (options.observer)
            options.observer->bound(expr.name.span, value);
        return value;
    }
    case Kind::Await: fail(DiagId::UnsupportedSyntax, first_word(node.span), "'await'");
    case Kind::Yield: fail(DiagId::UnsupportedSyntax, first_word(node.span), "'yield'");
    case Kind::ErrorExpr:
        if (self.in_preview())
            return Value::unknown();
        throw DiagnosticError(Diagnostic{}); // reported by the parser
    default: break;
    }
    internal_failure(__FILE__, __LINE__, "unknown expression", "");
}

Value Evaluator::Impl::eval_name(const ast::Name& name, Environment& environment) {
    if (const Value* value = environment.find(name.id))
        return was_previewed ? with_data(*value, name.span) : *value;
    unknown_name(name, environment);
}

void Evaluator::Impl::unknown_name(const ast::Name& name, Environment& environment) {
    const auto* scope = dynamic_cast<const Scope*>(&environment);
    if (scope && scope->is_unbound_local(name.id))
        fail(DiagId::UnboundLocal, name.span, name.id);
    environment.explain_missing(name.id, name.span);
    std::vector<std::string> names{"True", "False", "None"}; // as `true` of other languages
    environment.names(names);
    std::erase_if(names, [](const std::string& candidate) { return candidate.starts_with("__"); });
    throw suggesting(Diagnostic::make(DiagId::UnknownName, name.span, name.id), name.span, name.id, names);
}

// A literal that no integer of host code holds is a number of a kernel, as a multiplier of a hash is.
static Value unsigned_integer(const ast::Constant& literal) {
    if (literal.integer == 0)
        fail(DiagId::IntegerTooBig, literal.span);
    return Value::expr(ir::int_constant(literal.integer, ir::DType::U64));
}

Value Evaluator::Impl::eval_constant(const ast::Constant& constant) {
    switch (constant.what) {
    case ast::ConstantKind::None: return Value();
    case ast::ConstantKind::True: return Value::boolean(true);
    case ast::ConstantKind::False: return Value::boolean(false);
    case ast::ConstantKind::Ellipsis: return Value::ellipsis();
    case ast::ConstantKind::Int:
        return constant.too_big ? unsigned_integer(constant) : Value::integer(constant.integer);
    case ast::ConstantKind::Float: return Value::real(constant.real);
    case ast::ConstantKind::Imaginary: fail(DiagId::UnsupportedSyntax, constant.span, "a complex number");
    case ast::ConstantKind::String: return Value::str(std::string(constant.text));
    case ast::ConstantKind::Bytes: fail(DiagId::UnsupportedSyntax, constant.span, "a bytes literal");
    }
    return Value();
}

static bool has_unknown(const Value& value) {
    return value.is(ValueKind::Unknown);
}

Value Evaluator::Impl::eval_fstring(const ast::FString& text, Environment& environment) {
    std::string out;
    for (const ast::FStringPart& part : text.parts) {
        if (!part.value) {
            out += part.literal;
            continue;
        }
        Value value = eval(*part.value, environment);
        charge_steps(1, part.value->span);
        Value spec = part.spec ? eval_fstring(*part.spec, environment) : Value::str("");
        current = part.value->span;
        out += part.debug_text;
        char conversion = part.conversion;
        if (!part.debug_text.empty() && conversion == 0 && !part.spec)
            conversion = 'r';
        if (has_unknown(value))
            out += "<unknown>";
        else if (conversion == 'r' || conversion == 'a')
            out += format_value(self, Value::str(self.repr(value)), spec.as_str(), part.value->span);
        else if (conversion == 's')
            out += format_value(self, Value::str(self.str(value)), spec.as_str(), part.value->span);
        else
            out += format_value(self, value, spec.as_str(), part.value->span);
    }
    return self.new_str(std::move(out));
}

// Inside a script an IR operand makes an IR conjunction; host operands keep Python's meaning.
Value Evaluator::Impl::eval_bool_op(const ast::BoolOp& expr, Environment& environment) {
    Value result = eval(*expr.operands[0], environment);
    Span span = expr.operands[0]->span;
    for (std::size_t i = 1; i < expr.operands.size(); ++i) {
        const ast::Expr& next = *expr.operands[i];
        if (result.is(ValueKind::Unknown))
            return result;
        if (result.is(ValueKind::Expr) && environment.in_script()) {
            ExpressionPart part(*ir, PartRuns::Perhaps);
            result = ir->logical(expr.is_and, result, part.close(eval(next, environment), next.span), span, next.span);
            span = cover(span, next.span);
            continue;
        }
        if (self.truth(result, span) != expr.is_and)
            return result;
        result = eval(next, environment);
        span = next.span;
    }
    return result;
}

Value Evaluator::Impl::eval_compare(const ast::Compare& expr, Environment& environment) {
    Compared left{eval(*expr.left, environment), expr.left->span};
    if (expr.ops.size() > 1 && environment.in_script()) {
        ExpressionPart part(*ir, PartRuns::Once);
        return part.close(compare_on(expr, 0, std::move(left), environment), expr.span);
    }
    return compare_on(expr, 0, std::move(left), environment);
}

// `left op right` of the operator at that place, and what follows: a right side is evaluated once, and only if all before
// it holds.
Value Evaluator::Impl::compare_on(const ast::Compare& expr, std::size_t at, Compared left, Environment& environment) {
    Compared right{eval(*expr.rights[at], environment), expr.rights[at]->span};
    bool is_last = at + 1 == expr.ops.size();
    if (!is_last && environment.in_script()) {
        Value sides[] = {left.value, right.value};
        ir->keep_for_two(sides, cover(left.span, right.span));
        left.value = sides[0];
        right.value = sides[1];
    }
    Value step = compare(self, expr.ops[at], left.value, right.value, left.span, right.span);
    if (is_last || step.is(ValueKind::Unknown))
        return step;
    if (!step.is(ValueKind::Expr) || !environment.in_script()) {
        if (!self.truth(step, cover(left.span, right.span)))
            return step;
        return compare_on(expr, at + 1, std::move(right), environment);
    }
    ExpressionPart part(*ir, PartRuns::Perhaps);
    Span so_far = cover(expr.left->span, right.span), rest = cover(right.span, expr.rights.back()->span);
    return ir->logical(true, step, part.close(compare_on(expr, at + 1, std::move(right), environment), rest), so_far,
                       rest);
}

Value Evaluator::Impl::eval_if_exp(const ast::IfExp& expr, Environment& environment) {
    Value condition = eval(*expr.condition, environment);
    if (condition.is(ValueKind::Unknown))
        return condition;
    if (condition.is(ValueKind::Expr) && environment.in_script() && !ir::constant_number(condition.as_expr())) {
        auto arm = [&](const ast::Expr& value) {
            ExpressionPart part(*ir, PartRuns::Perhaps);
            return part.close(eval(value, environment), value.span);
        };
        Value then_value = arm(*expr.then_value);
        return ir->select(condition, then_value, arm(*expr.else_value), expr.span);
    }
    return eval(self.truth(condition, expr.condition->span) ? *expr.then_value : *expr.else_value, environment);
}

Value Evaluator::Impl::eval_slice(const ast::Slice& expr, Environment& environment) {
    Ref<SliceObject> slice(new SliceObject);
    if (expr.start)
        slice->start = eval(*expr.start, environment);
    if (expr.stop)
        slice->stop = eval(*expr.stop, environment);
    if (expr.step)
        slice->step = eval(*expr.step, environment);
    return Value::object(ValueKind::Slice, std::move(slice));
}

std::vector<Value> Evaluator::Impl::eval_items(ast::ExprList items, Environment& environment) {
    std::vector<Value> out;
    out.reserve(items.size());
    for (const ast::Expr* item : items) {
        if (item->kind != Kind::Starred) {
            out.push_back(eval(*item, environment));
            continue;
        }
        const ast::Expr& value = *ast::to<ast::Starred>(*item).value;
        for (Value& one : self.iterate(eval(value, environment), value.span))
            out.push_back(std::move(one));
    }
    return out;
}

// ---- calls --------------------------------------------------------------------------------------------------------

Args Evaluator::Impl::eval_args(const ast::Call& call, Environment& environment) {
    Args args;
    args.positional.reserve(call.args.size());
    args.spans.reserve(call.args.size());
    for (const ast::Expr* item : call.args) {
        if (item->kind != Kind::Starred) {
            args.positional.push_back(eval(*item, environment));
            args.spans.push_back(item->span);
            continue;
        }
        const ast::Expr& value = *ast::to<ast::Starred>(*item).value;
        for (Value& one : self.iterate(eval(value, environment), value.span)) {
            args.positional.push_back(std::move(one));
            args.spans.push_back(item->span);
        }
    }
    auto keyword = [&](std::string name, Value value, Span name_span, Span value_span) {
        charge_steps((1 + name.size() / 64) * (1 + args.keywords.size() / 8), name_span);
        for (const auto& [other, unused] : args.keywords)
            if (other == name)
                fail(DiagId::RepeatedArgument, name_span, std::string(sources.text(call.callee->span)), name);
        args.keywords.emplace_back(std::move(name), std::move(value));
        args.keyword_name_spans.push_back(name_span);
        args.keyword_spans.push_back(value_span);
    };
    for (const ast::Keyword& item : call.keywords) {
        Value value = eval(*item.value, environment);
        if (!item.name.text.empty()) {
            keyword(std::string(item.name.text), std::move(value), item.name.span, item.value->span);
            continue;
        }
        want_known(value);
        if (!value.is(ValueKind::Dict))
            fail(DiagId::BadType, item.value->span, cat("'", type_name(value), "' object is not a mapping"));
        for (const ValueTable::Entry& entry : as_dict(value).table.living()) {
            if (!entry.key.is(ValueKind::Str))
                fail(DiagId::BadType, item.value->span, "keywords must be strings");
            keyword(entry.key.as_str(), entry.value, item.value->span, item.value->span);
        }
    }
    return args;
}

Value Evaluator::Impl::eval_call(const ast::Call& expr, Environment& environment) {
    try {
        if (const auto* name = ast::as<ast::Name>(expr.callee); name && name->id == "super" && expr.args.empty())
            return eval_super(expr, environment);
        if (const auto* member = ast::as<ast::Attribute>(expr.callee)) {
            Value object = eval(*member->object, environment);
            // Methods of built-in kinds are called without making a bound method first.
            if (const MethodRow* row = find_method(object.kind(), member->name.text)) {
                Args args = eval_args(expr, environment);
                ir->keep(args.positional, expr.span);
                current = expr.span;
                return call_row(*row, object, args, expr.span);
            }
            Value callee = attribute(object, member->name.text, member->name.span);
            Args args = eval_args(expr, environment);
            return call(callee, args, expr.span);
        }
        Value callee = eval(*expr.callee, environment);
        Args args = eval_args(expr, environment);
        return call(callee, args, expr.span);
    } catch (const UnknownValue&) {
        charge_steps(cost::unknown, expr.span);
        return Value::unknown();
    }
}

namespace {

// super(): attributes of the base class, bound to the same object.
class SuperProxy : public NativeObject {
public:
    SuperProxy(Ref<ClassObject> base, Value object) : m_base(std::move(base)), m_object(std::move(object)) {}
    std::string type_name() const override { return "super"; }
    std::unique_ptr<Value> attribute(Evaluator& evaluator, std::string_view name, Span) override {
        if (const Value* found = m_base ? m_base->find(name) : nullptr)
            return boxed(evaluator.impl().bind_method(*found, m_object, m_base.get()));
        if (name == "__init__" || name == "__init_subclass__" || name == "__post_init__")
            return boxed(Value::native("__init__", [object = m_object](Evaluator&, Args& args, Span) {
                if (auto* exception = dynamic_cast<ExceptionObject*>(object.object()))
                    exception->fields.set("args", Value::tuple(args.positional));
                return Value();
            }));
        if (name == "__repr__" || name == "__str__")
            return boxed(Value::native("__repr__", [object = m_object](Evaluator& evaluator, Args&, Span) {
                if (auto* exception = dynamic_cast<ExceptionObject*>(object.object()))
                    return Value::str(evaluator.impl().exception_text(*exception, ExceptionText::OfArguments));
                return Value::str(cat("<", hidet::lang::type_name(object), " object>"));
            }));
        if (name == "__setattr__")
            return boxed(Value::native("__setattr__", [object = m_object](Evaluator&, Args& args, Span) {
                if (args.positional.size() == 2 && args.positional[0].is(ValueKind::Str) &&
                    object.is(ValueKind::Instance))
                    as_instance(object).fields.set(args.positional[0].as_str(), args.positional[1]);
                return Value();
            }));
        return nullptr;
    }
    std::vector<std::string> attributes() const override {
        return m_base ? m_base->table.names() : std::vector<std::string>{};
    }

private:
    Ref<ClassObject> m_base;
    Value m_object;
};

} // namespace

Value Evaluator::Impl::eval_super(const ast::Call& call, Environment&) {
    for (auto at = frames.rbegin(); at != frames.rend(); ++at) {
        const Frame& frame = **at;
        if (frame.function && frame.function->owner && !frame.self.is(ValueKind::Unbound))
            return new_extension<SuperProxy>(frame.function->owner->base, frame.self);
        break;
    }
    fail(DiagId::BadType, call.callee->span, "super() has no method around it");
}

Value Evaluator::Impl::eval_lambda(const ast::Lambda& expr, Environment& environment) {
    Ref<FunctionObject> function = make_function("<lambda>", expr.params, environment, expr.span);
    function->lambda = &expr;
    auto& layout = layouts[&expr];
    if (!layout)
        layout = layout_of(expr.params, *expr.body);
    if (layout->yield.known())
        fail(DiagId::UnsupportedSyntax, first_word(layout->yield), "'yield'");
    function->layout = layout;
    return Value::object(ValueKind::Function, std::move(function));
}

// ---- comprehensions -----------------------------------------------------------------------------------------------

namespace {

// The nested loops of a comprehension, one item at a time, so that generator expressions are lazy.
class Loops {
public:
    Loops(Evaluator::Impl& impl, const ast::Comprehension& expr, Ref<Scope> scope, Ref<IteratorObject> first)
        : m_impl(impl), m_expr(expr), m_scope(std::move(scope)) {
        m_iterators.push_back(std::move(first));
    }

    // Binds the targets for the next element; false at the end.
    bool advance() {
        Value item;
        while (!m_iterators.empty()) {
            const ast::Clause& clause = m_expr.clauses[m_iterators.size() - 1];
            if (!m_iterators.back()->next(m_impl.self, item)) {
                m_iterators.pop_back();
                continue;
            }
            m_impl.charge_steps(cost::iteration, clause.iterable->span);
            m_impl.assign(*clause.target, item, *m_scope);
            bool wanted = std::ranges::all_of(clause.conditions, [&](const ast::Expr* condition) {
                return m_impl.self.truth(m_impl.eval(*condition, *m_scope), condition->span);
            });
            if (!wanted)
                continue;
            if (m_iterators.size() == m_expr.clauses.size())
                return true;
            const ast::Clause& inner = m_expr.clauses[m_iterators.size()];
            m_iterators.push_back(m_impl.iterator(m_impl.eval(*inner.iterable, *m_scope), inner.iterable->span));
        }
        return false;
    }
    Value element() { return m_impl.eval(*m_expr.element, *m_scope); }
    Value value() { return m_impl.eval(*m_expr.value, *m_scope); }

private:
    Evaluator::Impl& m_impl;
    const ast::Comprehension& m_expr;
    Ref<Scope> m_scope;
    std::vector<Ref<IteratorObject>> m_iterators;
};

} // namespace

std::shared_ptr<const ScopeLayout> Evaluator::Impl::layout_of_comprehension(const ast::Comprehension& expr) {
    auto& layout = layouts[&expr];
    if (!layout)
        layout = layout_of(expr);
    return layout;
}

Value Evaluator::Impl::eval_comprehension(const ast::Comprehension& expr, Environment& environment) {
    for (const ast::Clause& clause : expr.clauses)
        if (clause.is_async)
            fail(DiagId::UnsupportedSyntax, expr.span, "an asynchronous comprehension");
    const ast::Expr& source = *expr.clauses[0].iterable;
    Value iterable = eval(source, environment);
    if (iterable.is(ValueKind::Unknown))
        return iterable;
    charge_steps(cost::comprehension, expr.span);
    Ref<Scope> scope(
        new Scope(Scope::What::Comprehension, Ref<Environment>(&environment), layout_of_comprehension(expr)));
    track(*scope);
    Loops loops(*this, expr, scope, iterator(iterable, source.span));
    if (expr.what == ast::ComprehensionKind::Generator)
        return new_iterator("generator", [loops = std::move(loops)](Evaluator&, Value& item) mutable {
            if (!loops.advance())
                return false;
            item = loops.element();
            return true;
        });
    try {
        if (expr.what == ast::ComprehensionKind::List) {
            std::vector<Value> items;
            while (loops.advance()) {
                items.push_back(loops.element());
            }
            return new_list(std::move(items));
        }
        if (expr.what == ast::ComprehensionKind::Set) {
            Value set = new_set();
            while (loops.advance()) {
                as_set(set).table.set(self, loops.element(), Value(), expr.element->span);
            }
            return set;
        }
        Value dict = new_dict();
        while (loops.advance()) {
            Value key = loops.element();
            as_dict(dict).table.set(self, key, loops.value(), expr.element->span);
        }
        return dict;
    } catch (const UnknownValue&) {
        charge_steps(cost::unknown, expr.span);
        return Value::unknown();
    }
}

} // namespace hidet::lang
