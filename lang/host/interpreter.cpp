// SPDX-License-Identifier: Apache-2.0
// The evaluator's outside: construction, budgets, and what others call.
#include "lang/host/interpreter.h"

#include "lang/base/quantity.h"
#include "lang/base/stack.h"
#include "lang/base/text.h"
#include "lang/host/builtins/builtins.h"
#include "lang/host/operators.h"
#include "lang/host/script_file.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/text_of.h"

namespace hidet::lang {

Evaluator::Impl::Impl(Evaluator& self, SourceMap& sources, DiagnosticSink& sink, EvalOptions options, Engine* engine)
    : self(self), sources(sources), sink(sink), options(std::move(options)), engine(engine),
      random(this->options.seed) {
    if (!this->options.imports)
        this->options.imports = std::make_shared<ImportFiles>();
    install_builtins(*this);
    builtin_scope = Ref<Environment>(new BuiltinScope(builtins));
}

Evaluator::Impl::~Impl() {
    heap.clear();
}

// Rarely called: every thousand steps. No option raises the limits of what is only looked at.
void Evaluator::Impl::check_steps(Span span) {
    if (options.cancelled && options.cancelled->load(std::memory_order_relaxed))
        fail(DiagId::Cancelled, span);
    if (options.watcher && !options.watcher->reached(steps))
        fail(DiagId::Cancelled, span);
    const std::uint64_t limit = step_limit();
    if (steps > limit)
        throw too_many_steps(span);
    if (meter.is_over())
        throw stopped(MeterStop(MeterStop::Why::Memory, 0), span);
    next_check = std::min(steps + 1000, limit + 1);
}

DiagnosticError Evaluator::Impl::too_many_steps(Span span) const {
    return DiagnosticError(
        Diagnostic::make(DiagId::TooManySteps, span, step_limit(),
                         self.in_preview() ? "; is this loop infinite?" : " (--max-steps); is this loop infinite?"));
}

// Of a preview the traffic of memory is limited, too: work that charges too few steps still allocates.
void Evaluator::Impl::set_meter() {
    static constexpr std::uint64_t bytes_of_a_step = 1024;
    meter.limit = byte_limit();
    meter.traffic_limit = self.in_preview() ? step_limit() * bytes_of_a_step : UINT64_MAX;
    meter.growth_limit = self.in_preview() ? meter.limit + meter.limit / 4 : UINT64_MAX;
    meter.cancelled = options.cancelled;
}

// To count the characters of a text that is not ASCII every byte is looked at.
void Evaluator::Impl::charge_text(const Value& text, Span span) {
    const std::string& bytes = text.as_str();
    charge_items(is_ascii(bytes) ? bytes.size() / 8 : bytes.size(), span);
}

// Where the pattern nearly fits everywhere, all of it is compared at every byte.
void Evaluator::Impl::charge_search(const Value& text, std::size_t longest, Span span) {
    charge_items(text.as_str().size() * (2 + longest / 32), span);
}

namespace {

struct CudaWord {
    std::string_view name, here, module;
};
constexpr CudaWord cuda_words[] = {
#define HIDET_CUDA_WORD(name, here, module, remark) {#name, #here, #module},
#include "lang/host/cuda_words.def"
};

// A name of CUDA C++ is nearer to what it means than to what is spelt alike.
bool suggest_for_cuda(Diagnostic& diagnostic, Span span, std::string_view word, const std::vector<std::string>& names) {
    const auto* row = std::find_if(std::begin(cuda_words), std::end(cuda_words),
                                   [&](const CudaWord& each) { return each.name == word; });
    if (row == std::end(cuda_words))
        return false;
    const std::string here(row->here.substr(0, row->here.find('(')));
    const bool is_visible = row->module.empty() || std::ranges::find(names, here) != names.end();
    diagnostic.message += cat("; did you mean '", here, is_visible ? "'?" : cat("' of '", row->module, "'?"));
    if (span.known() && !row->module.empty())
        diagnostic.fixes.push_back({span, here, cat("replace by '", here, "'")});
    return true;
}

} // namespace

DiagnosticError Evaluator::Impl::suggesting(Diagnostic diagnostic, Span span, std::string_view word,
                                            const std::vector<std::string>& names) {
    charge_steps(names.size() * cost::suggestion, span);
    if (suggest_for_cuda(diagnostic, span, word, names))
        return DiagnosticError(std::move(diagnostic));
    return DiagnosticError(std::move(diagnostic).suggest(span, word, names));
}

void Evaluator::Impl::check_bytes(std::uint64_t bytes, Span span) {
    if (!meter.has_room_for(bytes))
        throw stopped(MeterStop(MeterStop::Why::Memory, bytes), span);
}

DiagnosticError Evaluator::Impl::stopped(const MeterStop& stop, Span span) {
    const bool is_within = current.file == span.file && current.begin >= span.begin && current.end <= span.end;
    const Span place = is_within ? current : span;
    if (stop.why == MeterStop::Why::Cancelled)
        return DiagnosticError(Diagnostic::make(DiagId::Cancelled, place));
    if (stop.why == MeterStop::Why::Work)
        return too_many_steps(place);
    return DiagnosticError(Diagnostic::make(DiagId::TooMuchMemory, place, bytes_text(static_cast<double>(stop.bytes)),
                                            bytes_text(static_cast<double>(byte_limit())),
                                            self.in_preview() ? "" : ", which --max-memory raises"));
}

// Half of what is left is for what does not ask: walks of IR, whose depth is bounded, and the compiler that is called.
void Evaluator::Impl::begin_stack() {
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    const char* end = stack_end();
    const std::size_t left = end && end < here ? static_cast<std::size_t>(here - end) : options.max_stack_bytes * 2;
    stack_floor = here - std::min(options.max_stack_bytes, left / 2);
}

Value Evaluator::Impl::new_sequence(ValueKind kind, std::vector<Value> items) {
    Ref<SequenceObject> sequence(new SequenceObject);
    charge_steps(items.size() / 8, current);
    sequence->items = std::move(items);
    if (kind == ValueKind::List)
        track(*sequence);
    return Value::object(kind, std::move(sequence));
}

Value Evaluator::Impl::new_list(std::vector<Value> items) {
    return new_sequence(ValueKind::List, std::move(items));
}

Value Evaluator::Impl::new_dict() {
    charge_steps(1, current);
    Ref<DictObject> dict(new DictObject);
    track(*dict);
    return Value::object(ValueKind::Dict, std::move(dict));
}

Value Evaluator::Impl::new_set() {
    charge_steps(1, current);
    Ref<SetObject> set(new SetObject);
    track(*set);
    return Value::object(ValueKind::Set, std::move(set));
}

Ref<ClassObject> Evaluator::Impl::new_class(std::string name, Ref<ClassObject> base) {
    Ref<ClassObject> type(new ClassObject);
    type->name = std::move(name);
    type->is_exception = base && base->is_exception;
    type->depth = base ? base->depth + 1 : 0;
    type->base = std::move(base);
    track(*type);
    return type;
}

const Value& Evaluator::Impl::builtin(std::string_view name) {
    Value* value = builtins.find(name);
    HIDET_CHECK(value, std::string(name));
    return *value;
}

Ref<ClassObject> Evaluator::Impl::builtin_class(std::string_view name) {
    return Ref<ClassObject>(&as_class(builtin(name)));
}

void Evaluator::Impl::print(std::string_view text) {
    charge_items(text.size(), current);
    if (engine)
        engine->print(text);
    else if (result.output.size() < (16u << 20))
        result.output += text;
}

// ---- Evaluator ----------------------------------------------------------------------------------------------------

Evaluator::Evaluator(SourceMap& sources, DiagnosticSink& sink, EvalOptions options, Engine* engine)
    : m_impl(std::make_unique<Impl>(*this, sources, sink, std::move(options), engine)) {
    m_impl->ir = make_ir_operations(*this);
}

Evaluator::~Evaluator() {
    const MemoryMeter meter = m_impl->meter;
    m_impl.reset();
    give_back_memory(meter);
}

EvalResult Evaluator::run(const ast::Module& module) {
    m_impl->begin_stack();
    m_impl->set_meter();
    MeterScope scope(m_impl->meter);
    try {
        m_impl->run_module(module);
        m_impl->ir->finish();
    } catch (const MeterStop& stop) {
        m_impl->report(m_impl->stopped(stop, m_impl->current));
        m_impl->result.completed = false;
    }
    m_impl->result.steps = m_impl->steps;
    return std::move(m_impl->result);
}

const Value* Evaluator::builtin(std::string_view name) const {
    return m_impl->builtins.find(name);
}

Value Evaluator::eval(const ast::Expr& expr, Environment& environment) {
    return m_impl->eval(expr, environment);
}
Value Evaluator::call(const Value& callee, Args& args, Span span) {
    return m_impl->call(callee, args, span);
}
Value Evaluator::call(const Value& callee, std::vector<Value> positional, Span span) {
    Args args{.spans = std::vector<Span>(positional.size(), span)};
    args.positional = std::move(positional);
    return m_impl->call(callee, args, span);
}
Value Evaluator::attribute(const Value& object, std::string_view name, Span span) {
    return m_impl->attribute(object, name, span);
}
Value Evaluator::call_method(const Value& object, std::string_view name, Span span) {
    return call(m_impl->attribute(object, name, span), {}, span);
}
Value Evaluator::subscript(const Value& object, const Value& index, Span object_span, Span index_span) {
    return m_impl->subscript(object, index, object_span, index_span);
}
Value Evaluator::binary(ast::BinaryOp op, const Value& a, const Value& b, Span a_span, Span b_span) {
    return hidet::lang::binary(*this, op, a, b, a_span, b_span);
}

std::vector<Value> Evaluator::iterate(const Value& iterable, Span span) {
    if (iterable.is(ValueKind::List) || iterable.is(ValueKind::Tuple)) {
        m_impl->charge_steps(1 + iterable.items().size() / 8, span);
        m_impl->check_bytes(iterable.items().size() * sizeof(Value), span);
        return iterable.items();
    }
    std::vector<Value> items;
    Ref<IteratorObject> iterator = m_impl->iterator(iterable, span);
    Value item;
    while (iterator->next(*this, item)) {
        m_impl->charge_steps(cost::iteration, span);
        items.push_back(std::move(item));
    }
    return items;
}

std::string Evaluator::str(const Value& value) {
    return text_of(*this, value);
}
std::string Evaluator::repr(const Value& value) {
    return repr_of(*this, value);
}
Value Evaluator::new_list(std::vector<Value> items) {
    return m_impl->new_list(std::move(items));
}
Value Evaluator::new_str(std::string text) {
    Ref<StrObject> object(new StrObject);
    m_impl->charge_items(text.size() / 16, m_impl->current);
    object->text = std::move(text);
    return Value::object(ValueKind::Str, std::move(object));
}
void Evaluator::charge_steps(std::uint64_t steps, Span span) {
    m_impl->charge_steps(steps, span);
}
void Evaluator::charge_nodes(std::uint64_t nodes, Span span) {
    m_impl->nodes += nodes;
    if (m_impl->nodes > m_impl->most_nodes())
        fail(DiagId::TooManyNodes, span, m_impl->most_nodes());
}
const SourceMap& Evaluator::sources() const {
    return m_impl->sources;
}
DiagnosticSink& Evaluator::sink() {
    return m_impl->sink;
}
const EvalOptions& Evaluator::options() const {
    return m_impl->options;
}
Engine* Evaluator::engine() {
    return m_impl->engine;
}
IrOperations& Evaluator::ir() {
    return *m_impl->ir;
}
EvalResult& Evaluator::result() {
    return m_impl->result;
}
void Evaluator::print(std::string_view text) {
    m_impl->print(text);
}
Value Evaluator::import(std::string_view module, Span span) {
    return Value::object(ValueKind::Module, m_impl->import_module(module, span));
}

// ---- truth --------------------------------------------------------------------------------------------------------

bool Evaluator::truth(const Value& value, Span span) {
    switch (value.kind()) {
    case ValueKind::None:
    case ValueKind::Unbound: return false;
    case ValueKind::Bool:
    case ValueKind::Int: return value.as_int() != 0;
    case ValueKind::Float: return value.as_double() != 0;
    case ValueKind::Str:
    case ValueKind::Bytes: return !value.as_str().empty();
    case ValueKind::List:
    case ValueKind::Tuple: return !value.items().empty();
    case ValueKind::Dict: return as_dict(value).table.size() > 0;
    case ValueKind::Set: return as_set(value).table.size() > 0;
    case ValueKind::Range: return as_range(value).size() > 0;
    case ValueKind::Unknown: throw UnknownValue{};
    case ValueKind::Tensor: return tensor_truth(*this, value, span);
    case ValueKind::Expr:
        if (auto known = ir::constant_number(value.as_expr()))
            return *known != 0;
        fail(DiagId::NoTruthValue, span, cat("'", type_name(value), "'"));
    case ValueKind::Instance: {
        if (auto result = m_impl->call_method(value, "__bool__", {}, span))
            return truth(*result, span);
        if (auto result = m_impl->call_method(value, "__len__", {}, span))
            return truth(*result, span);
        return true;
    }
    default: return true;
    }
}

} // namespace hidet::lang
