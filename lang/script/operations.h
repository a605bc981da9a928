// SPDX-License-Identifier: Apache-2.0
// The one implementation of what the evaluator asks about IR values, and the state that is shared by the functions of a
// script: the functions under translation and the open script modules.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>
#include <vector>

#include "lang/host/costs.h"
#include "lang/host/evaluator.h"
#include "lang/host/ir_operations.h"
#include "lang/script/lift.h"
#include "lang/script/module.h"
#include "lang/script/objects.h"
#include "lang/script/scope.h"

namespace hidet::lang {

class Translator;

class Operations final : public IrOperations {
public:
    explicit Operations(Evaluator& evaluator) : m_eval(evaluator) {}
    static Operations& of(Evaluator& evaluator) { return static_cast<Operations&>(evaluator.ir()); }

    Value unary(ast::UnaryOp op, const Value& a, Span span) override;
    Value binary(ast::BinaryOp op, const Value& a, const Value& b, Span a_span, Span b_span) override;
    Value compare(ast::CompareOp op, const Value& a, const Value& b, Span a_span, Span b_span) override;
    Value logical(bool is_and, const Value& a, const Value& b, Span a_span, Span b_span) override;
    Value select(const Value& condition, const Value& a, const Value& b, Span span) override;
    Value attribute(const Value& object, std::string_view name, Span span) override;
    Value subscript(const Value& object, const Value& index, Span object_span, Span index_span) override;
    Value call(const Value& callee, Args& args, Span span) override;
    std::unique_ptr<Value> call_builtin(std::string_view name, Args& args, Span span) override;
    Value define_script(const ast::FunctionDef& def, Environment& environment) override;
    std::string repr(const Value& value) override;
    void finish() override;
    void keep(std::span<Value> values, Span span) override;
    void keep_for_two(std::span<Value, 2> sides, Span span) override;
    void run(const Value& value, Span span) override;
    bool open_part(PartRuns runs) override;
    Value close_part(const Value& value, Span span) override;
    void drop_part() override;

    Evaluator& evaluator() { return m_eval; }
    // The function under translation, or null in host code.
    Translator* translator() { return m_translators.empty() ? nullptr : m_translators.back(); }
    // The innermost open script module, or null.
    ScriptModule* module() { return m_modules.empty() ? nullptr : m_modules.back().get(); }
    void open(Ref<ScriptModule> module) { m_modules.push_back(std::move(module)); }
    void close(Span site);
    // A layout or a mapping made of others: it may have more parts than anybody can look at.
    Value composed(ir::LayoutRef layout, Span span);
    Value composed(ir::MappingRef mapping, Span span);
    void note_global(const ir::VarRef& var) { m_globals.push_back(var); }
    bool is_global(const ir::VarRef& var) const { return std::ranges::find(m_globals, var) != m_globals.end(); }
    // The type a symbol has: the first one it was given.
    ir::TypeRef symbol(const std::string& name, const ir::TypeRef& type) {
        return m_symbols.try_emplace(name, type).first->second;
    }
    // Device names, for functions that make sense in kernels only.
    void need_gpu(std::string_view name, Span span);
    void need_host(std::string_view name, Span span);
    // Shapes and extents may be variables with a known constant value.
    ir::ExprVec fold_known(const ir::ExprVec& exprs);

private:
    Evaluator& m_eval;
    std::vector<Translator*> m_translators;
    std::vector<Ref<ScriptModule>> m_modules;
    std::vector<std::pair<Ref<ScriptModule>, Span>> m_defined; // until the script has ended: in their order, each once
    std::unordered_set<const ScriptModule*> m_known;           // of m_defined
    bool m_has_ended = false;
    ir::VarVec m_globals; // of all script modules
    std::map<std::string, ir::TypeRef> m_symbols;
};

// f(a, b, c) or f([a, b, c]): the positional arguments as one list of values with their spans.
struct Spread {
    std::vector<Value> items;
    std::vector<Span> spans;
};
Spread spread(const Args& args, Span call);
ir::ExprVec read_extents(Operations&, const Args& args, Span call);
// Of a mapping, whose tasks are at least one: fewer are a loop that is never entered, and never meant.
ir::ExprVec with_tasks(ir::ExprVec shape, Span span);
std::vector<ir::LoopAttr> read_loop_attrs(const Value& value, std::size_t loops, Span span);

// attributes.cpp, subscript.cpp, calls.cpp: by kind of value. Null: there is no such attribute.
std::unique_ptr<Value> expr_attribute(Operations&, const ir::ExprRef&, std::string_view name, Span span);
std::unique_ptr<Value> type_attribute(Operations&, const ir::TypeRef&, std::string_view name, Span span);
std::unique_ptr<Value> layout_attribute(Operations&, const ir::LayoutRef&, std::string_view name, Span span);
std::unique_ptr<Value> mapping_attribute(Operations&, const ir::MappingRef&, std::string_view name, Span span);
std::unique_ptr<Value> function_attribute(Operations&, const Value& function, std::string_view name);
std::vector<std::string> attribute_names(const Value& value);

struct Subscripts {
    ir::ExprVec indices, starts, stops; // see ir::TensorSlice
    std::vector<Span> spans;
    bool is_element = true; // no slice, full rank
};
Subscripts read_subscripts(Operations&, const ir::ExprRef& base, const Value& index, Span object_span, Span index_span,
                           bool check_bounds = true);
// Reports that `base[...]` with these subscripts is no single element, so it cannot be assigned.
[[noreturn]] void fail_slice_assigned(const ir::ExprRef& base, const Subscripts& subscripts, Span span);

Value call_type(Operations&, const ir::TypeRef& type, Args& args, Span span);
Value call_function(Operations&, const Ref<TranslatedFunction>& callee, Args& args, Span span);
ir::ExprVec convert_arguments(Operations&, std::string_view name, const std::vector<ir::TypeRef>& types, Args& args,
                              Span span);

Value make_range(Operations&, Args& args, Span span); // range() with IR arguments
Value call_layout(const ir::LayoutRef& layout, Args& args, Span span);
Value call_mapping(Operations& operations, const ir::MappingRef& mapping, Args& args, Span span);
// mapping[worker]
Value mapping_tasks(Operations& operations, const ir::MappingRef& mapping, const Value& worker, Span span);
std::vector<std::int64_t> check_permutation(std::vector<std::int64_t> numbers, std::size_t rank, Span span,
                                            std::string_view what);

} // namespace hidet::lang
