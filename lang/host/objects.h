// SPDX-License-Identifier: Apache-2.0
// The objects behind values of the host language, as the evaluator's own files see them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lang/base/check.h"
#include "lang/host/boxed.h"
#include "lang/host/modules.h"
#include "lang/host/name_table.h"
#include "lang/host/value.h"
#include "lang/host/value_table.h"

namespace hidet::lang {

class Environment;
struct ScopeLayout;

struct DictObject : Object {
    static constexpr ValueKind kind = ValueKind::Dict;
    ValueTable table;
    Value factory; // collections.defaultdict: what makes a missing item
    HeapLink link;
    void clear() override {
        table.clear();
        factory = Value();
    }
};

struct SetObject : Object {
    static constexpr ValueKind kind = ValueKind::Set;
    ValueTable table; // values are None
    bool frozen = false;
    HeapLink link;
    void clear() override { table.clear(); }
};

struct RangeObject : Object {
    static constexpr ValueKind kind = ValueKind::Range;
    std::int64_t start = 0;
    std::int64_t stop = 0;
    std::int64_t step = 1;
    std::int64_t size() const;
    std::int64_t at(std::int64_t i) const { return start + i * step; }
};

struct SliceObject : Object {
    static constexpr ValueKind kind = ValueKind::Slice;
    Value start, stop, step;
};

struct IteratorObject : Object {
    static constexpr ValueKind kind = ValueKind::Iterator;
    std::string name; // "zip"
    std::function<bool(Evaluator&, Value&)> step;
    bool is_stepping = false;
    HeapLink link;
    // False when there is nothing more. The caller holds the iterator. Code that runs in a step cannot ask for the next one.
    bool next(Evaluator& evaluator, Value& item);
    void clear() override { step = nullptr; }
};

struct ClassObject;

struct FunctionObject : Object {
    static constexpr ValueKind kind = ValueKind::Function;
    std::string name;
    std::span<ast::Param> params;
    const ast::FunctionDef* def = nullptr; // or
    const ast::Lambda* lambda = nullptr;
    std::vector<Value> defaults; // per parameter; Unbound where there is none
    Ref<Environment> closure;
    std::shared_ptr<const ScopeLayout> layout;
    Ref<ClassObject> owner; // for super()
    NameTable attributes;
    std::uint64_t calls = 0;
    HeapLink link;
    void clear() override;
};

struct BoundMethodObject : Object {
    static constexpr ValueKind kind = ValueKind::BoundMethod;
    Value self;
    Value function;
};

// A class: of the script, or built in (int, list, ValueError, torch.Tensor, ...).
struct ClassObject : Object {
    static constexpr ValueKind kind = ValueKind::Class;
    std::string name;
    Ref<ClassObject> base;
    NameTable table;
    // Built-in classes: T(...) and isinstance(x, T) where the class pointer does not tell.
    NativeFunction construct;
    std::function<bool(const Value&)> holds;
    bool is_builtin = false;
    bool is_exception = false;
    int depth = 0; // classes above it
    HeapLink link;
    void clear() override {
        table.clear();
        base.reset();
    }
    const Value* find(std::string_view attribute) const;
    bool derives_from(const ClassObject& other) const;
};

struct InstanceObject : Object {
    static constexpr ValueKind kind = ValueKind::Instance;
    Ref<ClassObject> type;
    NameTable fields;
    HeapLink link;
    void clear() override { fields.clear(); }
};

// staticmethod, classmethod and property as they stand in a class.
struct MethodWrapper : NativeObject {
    enum class What : std::uint8_t { Static, Class, Property };
    What what = What::Static;
    Value function;
    Value setter;
    std::string type_name() const override {
        return what == What::Static ? "staticmethod" : what == What::Class ? "classmethod" : "property";
    }
    // @x.setter
    std::unique_ptr<Value> attribute(Evaluator& evaluator, std::string_view name, Span span) override;
    std::vector<std::string> attributes() const override { return {"setter", "getter"}; }
};

// Of a value whose kind was looked at before.
template <class T>
T& object_of(const Value& value) {
    HIDET_CHECK(value.is(T::kind));
    return static_cast<T&>(*value.object());
}
inline constexpr auto& as_function = object_of<FunctionObject>;
inline constexpr auto& as_class = object_of<ClassObject>;
inline constexpr auto& as_instance = object_of<InstanceObject>;
inline constexpr auto& as_dict = object_of<DictObject>;
inline constexpr auto& as_set = object_of<SetObject>;
inline constexpr auto& as_range = object_of<RangeObject>;
inline SequenceObject& as_sequence(const Value& value) {
    HIDET_CHECK(value.is(ValueKind::List) || value.is(ValueKind::Tuple));
    return static_cast<SequenceObject&>(*value.object());
}
inline constexpr auto& as_iterator = object_of<IteratorObject>;
inline constexpr auto& as_module = object_of<HostModule>;

} // namespace hidet::lang
