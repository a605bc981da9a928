// SPDX-License-Identifier: Apache-2.0
// Built-in functions over what can be iterated.
#include "lang/host/arguments.h"
#include "lang/host/builtins/builtins.h"
#include "lang/host/builtins/sorting.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

namespace {

Value sorted(Evaluator& evaluator, const Arguments& a, Span span) {
    return evaluator.new_list(
        sorted_values(evaluator, evaluator.iterate(a[0], a.span(0)), a.find(1), a.boolean(2, false), span));
}

Value reversed(Evaluator& evaluator, const Arguments& a, Span span) {
    if (auto result = evaluator.impl().call_method(a[0], "__reversed__", {}, span))
        return *result;
    std::vector<Value> items = evaluator.iterate(a[0], a.span(0));
    std::ranges::reverse(items);
    return evaluator.impl().new_iterator(
        "reversed", [items = std::move(items), i = std::size_t{0}](Evaluator&, Value& item) mutable {
            if (i >= items.size())
                return false;
            item = items[i++];
            return true;
        });
}

Value enumerate(Evaluator& evaluator, const Arguments& a, Span span) {
    Ref<IteratorObject> source = evaluator.impl().iterator(a[0], a.span(0));
    return evaluator.impl().new_iterator(
        "enumerate", [source, i = a.integer(1, 0), span](Evaluator& evaluator, Value& item) mutable {
            evaluator.charge_steps(1, span);
            if (!source->next(evaluator, item))
                return false;
            item = Value::tuple({Value::integer(i++), item});
            return true;
        });
}

Value zip(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "zip", {"*iterables", "strict="});
    std::vector<Ref<IteratorObject>> sources;
    for (std::size_t i = 0; i < a.rest().size(); ++i)
        sources.push_back(evaluator.impl().iterator(a.rest()[i], args.span_of(i, span)));
    bool strict = a.boolean(0, false);
    return evaluator.impl().new_iterator("zip", [sources, strict, span](Evaluator& evaluator, Value& item) {
        evaluator.charge_steps(1 + sources.size() / 2, span);
        std::vector<Value> items(sources.size());
        for (std::size_t i = 0; i < sources.size(); ++i) {
            if (sources[i]->next(evaluator, items[i]))
                continue;
            Value more;
            if (strict && (i > 0 || std::any_of(sources.begin() + 1, sources.end(),
                                                [&](const auto& s) { return s->next(evaluator, more); })))
                fail(DiagId::BadValue, span, "zip(): the arguments have different lengths");
            return false;
        }
        item = Value::tuple(std::move(items));
        return !sources.empty();
    });
}

Value map(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "map", {"function", "*iterables"});
    std::vector<Ref<IteratorObject>> sources;
    for (std::size_t i = 0; i < a.rest().size(); ++i)
        sources.push_back(evaluator.impl().iterator(a.rest()[i], args.span_of(i + 1, span)));
    if (sources.empty())
        fail(DiagId::MissingArgument, span, "map", "iterable");
    return evaluator.impl().new_iterator("map", [function = a[0], sources, span](Evaluator& evaluator, Value& item) {
        std::vector<Value> values(sources.size());
        for (std::size_t i = 0; i < sources.size(); ++i)
            if (!sources[i]->next(evaluator, values[i]))
                return false;
        evaluator.charge_steps(1, span);
        item = evaluator.call(function, std::move(values), span);
        return true;
    });
}

Value filter(Evaluator& evaluator, const Arguments& a, Span span) {
    Ref<IteratorObject> source = evaluator.impl().iterator(a[1], a.span(1));
    return evaluator.impl().new_iterator("filter", [function = a[0], source, span](Evaluator& evaluator, Value& item) {
        while (source->next(evaluator, item)) {
            evaluator.charge_steps(1, span);
            bool wanted = function.is(ValueKind::None) ? evaluator.truth(item, span)
                                                       : evaluator.truth(evaluator.call(function, {item}, span), span);
            if (wanted)
                return true;
        }
        return false;
    });
}

Value iterate(Evaluator& evaluator, const Arguments& a, Span span) {
    if (a.given(1)) {
        return evaluator.impl().new_iterator("callable_iterator",
                                             [function = a[0], end = a[1], span](Evaluator& evaluator, Value& item) {
                                                 Args none;
                                                 item = evaluator.call(function, none, span);
                                                 return !equal(evaluator, item, end, span);
                                             });
    }
    if (a[0].is(ValueKind::Instance))
        if (auto made = evaluator.impl().call_method(a[0], "__iter__", {}, span))
            return *made;
    return Value::object(ValueKind::Iterator, evaluator.impl().iterator(a[0], a.span(0)));
}

Value next(Evaluator& evaluator, const Arguments& a, Span span) {
    if (a[0].is(ValueKind::Unknown))
        return a[0];
    if (a[0].is(ValueKind::Instance)) {
        try {
            if (auto item = evaluator.impl().call_method(a[0], "__next__", {}, span))
                return *item;
        } catch (const RaisedError& error) {
            evaluator.charge_steps(cost::exception, span);
            if (!a.given(1) || error.exception->type->name != "StopIteration")
                throw;
            return a[1];
        }
    }
    if (!a[0].is(ValueKind::Iterator))
        fail(DiagId::BadType, a.span(0), cat("'", type_name(a[0]), "' object is not an iterator"));
    Value item;
    if (as_iterator(a[0]).next(evaluator, item))
        return item;
    if (a.given(1))
        return a[1];
    evaluator.impl().raise("StopIteration", {}, span);
}

constexpr FunctionRow iteration_rows[] = {
    {"enumerate", {"iterable", "start="}, enumerate},
    {"filter", {"function", "iterable"}, filter},
    {"iter", {"object", "sentinel="}, iterate},
    {"map", map},
    {"next", {"iterator", "default="}, next},
    {"reversed", {"sequence"}, reversed},
    {"sorted", {"iterable", "*", "key=", "reverse="}, sorted},
    {"zip", zip},
};

} // namespace

std::span<const FunctionRow> iteration_functions() {
    return iteration_rows;
}

} // namespace hidet::lang
