// SPDX-License-Identifier: Apache-2.0
// Attributes of native objects as rows: what there is and what it is stand in one place.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/host/arguments.h"
#include "lang/host/boxed.h"

namespace hidet::lang {

// An attribute of the objects of T: a value of the object, one that takes an evaluator, or a method.
template <class T>
struct Member {
    using Method = NativeRow<T&, Evaluator&>;
    constexpr Member(std::string_view name, Value (*value)(const T& self)) : name(name), value(value) {}
    constexpr Member(std::string_view name, Value (*made)(T& self, Evaluator&, Span)) : name(name), made(made) {}
    constexpr Member(std::string_view name, Method::Whole method) : name(name), method(name, method) {}
    constexpr Member(std::string_view name, Parameters parameters, Method::Bound method)
        : name(name), method(name, parameters, method) {}

    std::string_view name;
    Value (*value)(const T& self) = nullptr;
    Value (*made)(T& self, Evaluator&, Span) = nullptr;
    Method method{{}, nullptr};
};

// An object with the attributes that T::members() lists, behind those of Base. A method keeps the object alive.
template <class T, class Base = NativeObject>
class WithMembers : public Base {
public:
    using Base::Base;
    std::vector<std::string> attributes() const override {
        std::vector<std::string> names = Base::attributes();
        for (const Member<T>& row : T::members())
            names.emplace_back(row.name);
        return names;
    }
    std::unique_ptr<Value> attribute(Evaluator& evaluator, std::string_view name, Span span) override {
        T& self = static_cast<T&>(*this);
        for (const Member<T>& row : T::members()) {
            if (row.name != name)
                continue;
            if (row.value || row.made)
                return boxed(row.value ? row.value(self) : row.made(self, evaluator, span));
            return boxed(name, [kept = Ref<T>(&self), method = row.method](Evaluator& inner, Args& args, Span call) {
                return method(*kept, inner, args, call);
            });
        }
        return Base::attribute(evaluator, name, span);
    }
};

} // namespace hidet::lang
