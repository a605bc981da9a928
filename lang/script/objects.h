// SPDX-License-Identifier: Apache-2.0
// The objects of the script language that are neither IR nor Python values.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/stmt.h"
#include "lang/host/evaluator.h"

namespace hidet::lang {

// tensor(...), shared_tensor(...), tensor_pointer(...): becomes a variable when it is bound to a name.
struct Declaration final : NativeObject {
    Declaration(std::string maker, ir::TypeRef type, ir::Scope scope, bool is_static, ir::ExprRef init)
        : maker(std::move(maker)), type(std::move(type)), scope(scope), is_static(is_static), init(std::move(init)) {}
    std::string type_name() const override { return maker; }

    std::string maker;
    ir::TypeRef type;
    ir::Scope scope;
    bool is_static;
    ir::ExprRef init; // may be null
};

// The tasks that a worker of a mapping has, before they are listed; their number is constant.
void charge_tasks(Evaluator& evaluator, const ir::MappingRef& mapping, Span span);

// What a `for` statement turns into loops of IR.
struct LoopIterable final : NativeObject {
    enum class What { Range, Grid, Mapping };
    std::string type_name() const override {
        return what == What::Range ? "range" : what == What::Grid ? "grid" : "mapping.on";
    }
    std::unique_ptr<std::vector<Value>> iterate(Evaluator&, Span) override; // for comprehensions: constant loops only

    std::size_t rank() const {
        return what == What::Range ? 1 : what == What::Grid ? extents.size() : ir::rank_of(mapping);
    }

    What what = What::Range;
    ir::ExprRef start, stop, step;   // Range; start and step may be null
    ir::ExprVec extents;             // Grid
    std::vector<ir::LoopAttr> attrs; // Grid: one per extent, Range: one or none (automatic)
    ir::MappingRef mapping;          // Mapping
    ir::ExprRef worker;
    bool bind_tuple = false; // one target takes the list of all loop variables
    Span span;
};

// meta.range(n), meta.each(items): the body is translated once for each item.
struct MetaLoop final : NativeObject {
    explicit MetaLoop(std::vector<Value> items) : items(std::move(items)) {}
    std::string type_name() const override { return "meta loop"; }
    void clear() override { items.clear(); }
    std::unique_ptr<std::vector<Value>> iterate(Evaluator&, Span) override {
        return std::make_unique<std::vector<Value>>(items);
    }
    std::vector<Value> items;
};

// meta.types([...]): one annotation, several parameters.
struct TypesAnnotation final : NativeObject {
    explicit TypesAnnotation(std::vector<ir::TypeRef> types) : types(std::move(types)) {}
    std::string type_name() const override { return "meta.types"; }
    std::vector<ir::TypeRef> types;
};

// attrs, attrs.cuda, attrs.hip: assigned to inside of a script function.
struct AttrsObject final : NativeObject {
    enum class Part { Root, Cuda, Hip };
    explicit AttrsObject(Part part) : part(part) {}
    std::string type_name() const override { return "attrs"; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span span) override;
    std::vector<std::string> attributes() const override;
    bool set_attribute(Evaluator&, std::string_view, const Value&, Span span) override;
    Part part;
};

// threadIdx, blockIdx, blockDim, gridDim.
class Dim3Object final : public NativeObject {
public:
    Dim3Object(std::string name, ir::Builtin x) : m_name(std::move(name)), m_x(x) {}
    const std::string& name() const { return m_name; }
    std::string type_name() const override { return m_name; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span span) override;
    std::vector<std::string> attributes() const override { return {"x", "y", "z"}; }

private:
    std::string m_name;
    ir::Builtin m_x;
};

// A name that exists upstream and that is refused: with a sentence that says why, or as the compiler cannot translate it yet.
class UnsupportedObject final : public NativeObject {
public:
    explicit UnsupportedObject(std::string name, std::string sentence = "")
        : sentence(std::move(sentence)), m_name(std::move(name)) {}
    std::string type_name() const override { return m_name; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span span) override;
    std::unique_ptr<Value> call(Evaluator&, Args&, Span span) override { refuse(span); }

    std::string sentence;

private:
    [[noreturn]] void refuse(Span span) const;
    std::string m_name;
};

// `with warp_groups([0, 1]) as tid:` guards its body.
class GuardContext final : public NativeObject {
public:
    GuardContext(ir::ExprRef condition, ir::ExprRef bound, std::string name)
        : condition(std::move(condition)), bound(std::move(bound)), m_name(std::move(name)) {}
    std::string type_name() const override { return m_name; }
    ir::ExprRef condition;
    ir::ExprRef bound;

private:
    std::string m_name;
};

// What a Name of the function under translation refers to inside its own body.
class SelfReference final : public NativeObject {
public:
    explicit SelfReference(std::string name) : m_name(std::move(name)) {}
    std::string type_name() const override { return m_name; }
    std::unique_ptr<Value> call(Evaluator&, Args&, Span span) override;

private:
    std::string m_name;
};

// A translated function together with what it needs from its module.
struct TranslatedFunction : ScriptFunctionObject {
    std::vector<Ref<TranslatedFunction>> callees;
    ir::ExprVec defaults; // of the last parameters that a call gives: what calls that leave them out give
    // A function that returns several values has a reference parameter for each, behind those that calls give, and returns nothing.
    std::vector<ir::TypeRef> results;
    std::size_t given_parameters() const { return function->params.size() - results.size(); }
    ir::VarVec globals; // global variables that it uses
    ir::VarVec externs; // extern functions that it calls
};

} // namespace hidet::lang
