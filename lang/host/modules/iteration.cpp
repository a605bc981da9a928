// SPDX-License-Identifier: Apache-2.0
// itertools, functools, operator
#include <algorithm>

#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"

namespace hidet::lang {

namespace {

using Next = std::function<bool(Evaluator&, Value&)>;
using Pool = std::vector<Value>;

Value iterator_of(Evaluator& evaluator, const char* name, Next next) {
    return evaluator.impl().new_iterator(name, std::move(next));
}

// Tuples of pool items by their indices; `advance` moves to the next indices.
Value tuples(Evaluator& evaluator, const char* name, Pool pool, std::vector<std::size_t> first, bool empty,
             std::function<bool(std::vector<std::size_t>&)> advance) {
    return iterator_of(evaluator, name,
                       [pool = std::move(pool), indices = std::move(first), done = empty, started = false,
                        advance](Evaluator& evaluator, Value& item) mutable {
                           evaluator.charge_steps(1, evaluator.impl().current);
                           evaluator.impl().charge_items(pool.size() + indices.size(), evaluator.impl().current);
                           if (!done && started)
                               done = !advance(indices);
                           started = true;
                           if (done)
                               return false;
                           std::vector<Value> out = transformed(indices, [&](std::size_t i) { return pool[i]; });
                           item = Value::tuple(std::move(out));
                           return true;
                       });
}

std::size_t size_argument(const Arguments& a, std::size_t i, std::size_t otherwise) {
    std::int64_t r = a.integer(i, static_cast<std::int64_t>(otherwise));
    if (r < 0 || r > 1'000'000)
        fail(DiagId::BadValue, a.span(i), "r must be non-negative and not huge");
    return static_cast<std::size_t>(r);
}

Value product(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "product", {"*iterables", "repeat="});
    std::vector<Pool> pools;
    std::size_t repeat = size_argument(a, 0, 1);
    for (std::size_t r = 0; r < repeat; ++r)
        for (std::size_t i = 0; i < a.rest().size(); ++i) {
            pools.push_back(evaluator.iterate(a.rest()[i], args.span_of(i, span)));
            evaluator.charge_steps(1, span);
        }
    bool done = std::ranges::any_of(pools, [](const Pool& pool) { return pool.empty(); });
    return iterator_of(evaluator, "product",
                       [pools, indices = std::vector<std::size_t>(pools.size()), done, started = false,
                        span](Evaluator& evaluator, Value& item) mutable {
                           evaluator.charge_steps(1, span);
                           evaluator.impl().charge_items(pools.size(), span);
                           if (started && !done) {
                               std::size_t i = pools.size();
                               while (i > 0 && ++indices[i - 1] == pools[i - 1].size())
                                   indices[--i] = 0;
                               done = i == 0;
                           }
                           started = true;
                           if (done)
                               return false;
                           std::vector<Value> out;
                           for (std::size_t i = 0; i < pools.size(); ++i)
                               out.push_back(pools[i][indices[i]]);
                           item = Value::tuple(std::move(out));
                           return true;
                       });
}

Value permutations(Evaluator& evaluator, const Arguments& a, Span) {
    Pool pool = evaluator.iterate(a[0], a.span(0));
    std::size_t n = pool.size(), r = size_argument(a, 1, n);
    std::vector<std::size_t> first(std::min(r, n));
    for (std::size_t i = 0; i < first.size(); ++i)
        first[i] = i;
    return tuples(evaluator, "permutations", std::move(pool), first, r > n, [n](std::vector<std::size_t>& indices) {
        std::vector<bool> used(n);
        for (std::size_t index : indices)
            used[index] = true;
        for (std::size_t i = indices.size(); i-- > 0;) {
            used[indices[i]] = false;
            std::size_t value = indices[i] + 1;
            while (value < n && used[value])
                ++value;
            if (value == n)
                continue;
            indices[i] = value;
            used[value] = true;
            std::size_t least = 0;
            for (std::size_t k = i + 1; k < indices.size(); ++k) {
                while (used[least])
                    ++least;
                indices[k] = least++;
            }
            return true;
        }
        return false;
    });
}

template <bool with_replacement>
Value combinations(Evaluator& evaluator, Args& args, Span span) {
    const char* name = with_replacement ? "combinations_with_replacement" : "combinations";
    Arguments a(args, span, name, {"iterable", "r"});
    Pool pool = evaluator.iterate(a[0], a.span(0));
    std::size_t n = pool.size(), r = size_argument(a, 1, 0);
    std::vector<std::size_t> first(with_replacement || r <= n ? r : 0);
    for (std::size_t i = 0; i < first.size() && !with_replacement; ++i)
        first[i] = i;
    bool empty = with_replacement ? n == 0 && r > 0 : r > n;
    return tuples(evaluator, name, std::move(pool), first, empty, [n](std::vector<std::size_t>& indices) {
        std::size_t r = indices.size();
        for (std::size_t i = r; i-- > 0;) {
            if (indices[i] == (with_replacement ? n - 1 : i + n - r))
                continue;
            ++indices[i];
            for (std::size_t k = i + 1; k < r; ++k)
                indices[k] = with_replacement ? indices[i] : indices[k - 1] + 1;
            return true;
        }
        return false;
    });
}

Value chained(Evaluator& evaluator, Ref<IteratorObject> sources, Span span) {
    return iterator_of(evaluator, "chain",
                       [sources, inner = Ref<IteratorObject>(), span](Evaluator& evaluator, Value& item) mutable {
                           while (true) {
                               if (inner && inner->next(evaluator, item))
                                   return true;
                               Value next;
                               if (!sources->next(evaluator, next))
                                   return false;
                               evaluator.charge_steps(1, span);
                               inner = evaluator.impl().iterator(next, span);
                           }
                       });
}
Value chain(Evaluator& evaluator, Args& args, Span span) {
    return chained(evaluator, evaluator.impl().iterator(Value::tuple(args.positional), span), span);
}
Value chain_from(Evaluator& evaluator, const Arguments& a, Span span) {
    return chained(evaluator, evaluator.impl().iterator(a[0], a.span(0)), span);
}

Value count(Evaluator& evaluator, const Arguments& a, Span span) {
    Value at = a.given(0) ? a[0] : Value::integer(0), step = a.given(1) ? a[1] : Value::integer(1);
    return iterator_of(evaluator, "count", [at, step, span](Evaluator& evaluator, Value& item) mutable {
        evaluator.charge_steps(1, span);
        item = at;
        at = binary(evaluator, ast::BinaryOp::Add, at, step, span, span);
        return true;
    });
}
Value cycle(Evaluator& evaluator, const Arguments& a, Span span) {
    return iterator_of(evaluator, "cycle",
                       [pool = evaluator.iterate(a[0], a.span(0)), i = std::size_t{0}, span](Evaluator& evaluator,
                                                                                             Value& item) mutable {
                           evaluator.charge_steps(1, span);
                           if (pool.empty())
                               return false;
                           item = pool[i];
                           i = (i + 1) % pool.size();
                           return true;
                       });
}
Value repeat(Evaluator& evaluator, const Arguments& a, Span span) {
    return iterator_of(evaluator, "repeat",
                       [value = a[0], left = a.integer(1, -1), span](Evaluator& evaluator, Value& item) mutable {
                           evaluator.charge_steps(1, span);
                           if (left == 0)
                               return false;
                           left -= left > 0 ? 1 : 0;
                           item = value;
                           return true;
                       });
}
Value slice(Evaluator& evaluator, const Arguments& a, Span span) {
    Ref<IteratorObject> source = evaluator.impl().iterator(a[0], a.span(0));
    std::int64_t start = a.given(2) ? a.integer(1, 0) : 0, stop = a.given(2) ? a.integer(2, -1) : a.integer(1, -1),
                 step = a.integer(3, 1);
    if (start < 0 || step < 1)
        fail(DiagId::BadValue, span, "islice() wants a start that is not negative and a positive step");
    return iterator_of(
        evaluator, "islice",
        [source, at = std::int64_t{0}, next = start, stop, step, span](Evaluator& evaluator, Value& item) mutable {
            while (stop < 0 || next < stop) {
                evaluator.charge_steps(1, span);
                if (!source->next(evaluator, item))
                    return false;
                if (at++ == next) {
                    next += step;
                    return true;
                }
            }
            return false;
        });
}
Value accumulate(Evaluator& evaluator, const Arguments& a, Span span) {
    Ref<IteratorObject> source = evaluator.impl().iterator(a[0], a.span(0));
    bool has_initial = a.has(2);
    Value function = a.or_none(1), total = has_initial ? a[2] : Value();
    return iterator_of(
        evaluator, "accumulate",
        [source, function, total, started = false, has_initial, span](Evaluator& evaluator, Value& item) mutable {
            if (!started && has_initial) {
                started = true;
                item = total;
                return true;
            }
            Value next;
            if (!source->next(evaluator, next))
                return false;
            if (!std::exchange(started, true)) {
                total = next;
            } else if (function.is(ValueKind::None)) {
                total = binary(evaluator, ast::BinaryOp::Add, total, next, span, span);
            } else {
                total = evaluator.call(function, {total, next}, span);
            }
            item = total;
            return true;
        });
}
Value zip_longest(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "zip_longest", {"*iterables", "fillvalue="});
    std::vector<Ref<IteratorObject>> sources;
    for (std::size_t i = 0; i < a.rest().size(); ++i)
        sources.push_back(evaluator.impl().iterator(a.rest()[i], args.span_of(i, span)));
    Value fill = a.or_none(0);
    return iterator_of(evaluator, "zip_longest", [sources, fill](Evaluator& evaluator, Value& item) {
        evaluator.charge_steps(1, evaluator.impl().current);
        evaluator.impl().charge_items(sources.size(), evaluator.impl().current);
        std::vector<Value> items(sources.size(), fill);
        bool any = false;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            if (sources[i]->next(evaluator, items[i]))
                any = true;
            else
                items[i] = fill;
        }
        item = Value::tuple(std::move(items));
        return any;
    });
}
template <bool take>
Value while_true(Evaluator& evaluator, const Arguments& a, Span span) {
    Ref<IteratorObject> source = evaluator.impl().iterator(a[1], a.span(1));
    return iterator_of(evaluator, take ? "takewhile" : "dropwhile",
                       [source, test = a[0], over = false, span](Evaluator& evaluator, Value& item) mutable {
                           while (!(take && over) && source->next(evaluator, item)) {
                               if (over)
                                   return true;
                               over = !evaluator.truth(evaluator.call(test, {item}, span), span);
                               if (over != take)
                                   return true;
                           }
                           return false;
                       });
}
Value star_map(Evaluator& evaluator, const Arguments& a, Span span) {
    Ref<IteratorObject> source = evaluator.impl().iterator(a[1], a.span(1));
    return iterator_of(evaluator, "starmap", [source, function = a[0], span](Evaluator& evaluator, Value& item) {
        Value next;
        if (!source->next(evaluator, next))
            return false;
        item = evaluator.call(function, evaluator.iterate(next, span), span);
        return true;
    });
}
Value group_by(Evaluator& evaluator, const Arguments& a, Span span) {
    std::vector<Value> groups;
    Value key;
    std::vector<Value> members;
    for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
        evaluator.charge_steps(1, span);
        Value next = a.has(1) ? evaluator.call(a[1], {item}, span) : item;
        if (!members.empty() && !equal(evaluator, key, next, span)) {
            groups.push_back(Value::tuple({key, evaluator.new_list(std::exchange(members, {}))}));
        }
        key = next;
        members.push_back(item);
    }
    if (!members.empty())
        groups.push_back(Value::tuple({key, evaluator.new_list(std::move(members))}));
    return Value::object(ValueKind::Iterator, evaluator.impl().iterator(Value::tuple(std::move(groups)), span));
}
Value pairwise(Evaluator& evaluator, const Arguments& a, Span span) {
    std::vector<Value> items = evaluator.iterate(a[0], a.span(0)), pairs;
    evaluator.charge_steps(items.size() * 2, span);
    for (std::size_t i = 1; i < items.size(); ++i)
        pairs.push_back(Value::tuple({items[i - 1], items[i]}));
    return Value::object(ValueKind::Iterator, evaluator.impl().iterator(Value::tuple(std::move(pairs)), span));
}

// ---- functools ----------------------------------------------------------------------------------------------------

Value partial(Evaluator&, Args& args, Span span) {
    if (args.positional.empty())
        fail(DiagId::MissingArgument, span, "partial", "func");
    return Value::native("partial", [bound = args](Evaluator& evaluator, Args& more, Span span) {
        Args all = bound;
        Value function = all.positional[0];
        all.positional.erase(all.positional.begin());
        all.positional.insert(all.positional.end(), more.positional.begin(), more.positional.end());
        all.spans.assign(all.positional.size(), span);
        for (const auto& [name, value] : more.keywords) {
            auto at = std::ranges::find_if(all.keywords, [&](const auto& known) { return known.first == name; });
            if (at == all.keywords.end())
                all.keywords.emplace_back(name, value);
            else
                at->second = value;
        }
        all.keyword_spans.assign(all.keywords.size(), span);
        all.keyword_name_spans.assign(all.keywords.size(), span);
        return evaluator.call(function, all, span);
    });
}
Value reduce(Evaluator& evaluator, const Arguments& a, Span span) {
    std::vector<Value> items = evaluator.iterate(a[1], a.span(1));
    std::size_t i = 0;
    if (items.empty() && !a.given(2))
        fail(DiagId::BadType, a.span(1), "reduce() of empty iterable with no initial value");
    Value total = a.given(2) ? a[2] : items[i++];
    for (; i < items.size(); ++i)
        total = evaluator.call(a[0], {total, items[i]}, span);
    return total;
}
Value key_of(const Args& args) {
    std::vector<Value> parts = args.positional;
    for (const auto& [name, value] : args.keywords) {
        parts.push_back(Value::str(name));
        parts.push_back(value);
    }
    return Value::tuple(std::move(parts));
}
Value cached(Evaluator& evaluator, const Value& function) {
    Value memory = evaluator.impl().new_dict();
    return Value::native("cached", [function, memory](Evaluator& evaluator, Args& args, Span span) {
        Value key = key_of(args);
        if (const Value* known = as_dict(memory).table.find(evaluator, key, span))
            return *known;
        Value result = evaluator.call(function, args, span);
        as_dict(memory).table.set(evaluator, key, result, span);
        return result;
    });
}
// @cache, @lru_cache and @lru_cache(maxsize=...)
Value cache(Evaluator& evaluator, Args& args, Span) {
    if (args.positional.size() == 1 && !args.positional[0].is(ValueKind::Int) &&
        !args.positional[0].is(ValueKind::None))
        return cached(evaluator, args.positional[0]);
    return Value::native("lru_cache", {"function"},
                         [](Evaluator& evaluator, const Arguments& a, Span) { return cached(evaluator, a[0]); });
}
Value wraps(Evaluator&, const Arguments& a, Span) {
    return Value::native("wraps", {"wrapper"}, [wrapped = a[0]](Evaluator& evaluator, const Arguments& a, Span span) {
        if (a[0].is(ValueKind::Function))
            if (auto name = evaluator.impl().get_attribute(wrapped, "__name__", span); name && name->is(ValueKind::Str))
                as_function(a[0]).name = name->as_str();
        return a[0];
    });
}
Value compare_to_key(Evaluator&, const Arguments&, Span span) {
    fail(DiagId::RefusedFunction, span, "cmp_to_key", "sort by a key");
}

} // namespace

void make_itertools(Evaluator&, HostModule& module) {
    module.function("accumulate", {"iterable", "func=", "*", "initial="}, accumulate);
    module.function("combinations", combinations<false>);
    module.function("combinations_with_replacement", combinations<true>);
    module.function("count", {"start=", "step="}, count);
    module.function("cycle", {"iterable"}, cycle);
    module.function("dropwhile", {"predicate", "iterable"}, while_true<false>);
    module.function("groupby", {"iterable", "key="}, group_by);
    module.function("islice", {"iterable", "start", "stop=", "step="}, slice);
    module.function("pairwise", {"iterable"}, pairwise);
    module.function("permutations", {"iterable", "r="}, permutations);
    module.function("product", product);
    module.function("repeat", {"object", "times="}, repeat);
    module.function("starmap", {"function", "iterable"}, star_map);
    module.function("takewhile", {"predicate", "iterable"}, while_true<true>);
    module.function("zip_longest", zip_longest);
    // chain is called, and has chain.from_iterable
    class Chain : public NativeObject {
    public:
        std::string type_name() const override { return "type"; }
        std::unique_ptr<Value> call(Evaluator& evaluator, Args& args, Span span) override {
            return boxed(chain(evaluator, args, span));
        }
        std::unique_ptr<Value> attribute(Evaluator&, std::string_view attribute, Span) override {
            return attribute == "from_iterable" ? boxed(Value::native("from_iterable", {"iterable"}, chain_from))
                                                : nullptr;
        }
        std::vector<std::string> attributes() const override { return {"from_iterable"}; }
    };
    module.add("chain", new_extension<Chain>());
}

void make_functools(Evaluator&, HostModule& module) {
    module.function("partial", partial);
    module.function("reduce", {"function", "iterable", "initial="}, reduce);
    module.function("cache", cache);
    module.function("lru_cache", cache);
    module.function("wraps", {"wrapped"}, wraps);
    module.function("cmp_to_key", {"function"}, compare_to_key);
}

void make_operator(Evaluator&, HostModule& module) {
    using ast::BinaryOp;
    using ast::CompareOp;
    static constexpr std::pair<const char*, BinaryOp> binaries[] = {
        {"add", BinaryOp::Add},     {"sub", BinaryOp::Sub},           {"mul", BinaryOp::Mul},
        {"truediv", BinaryOp::Div}, {"floordiv", BinaryOp::FloorDiv}, {"mod", BinaryOp::Mod},
        {"pow", BinaryOp::Pow},     {"matmul", BinaryOp::MatMul},     {"and_", BinaryOp::BitAnd},
        {"or_", BinaryOp::BitOr},   {"xor", BinaryOp::BitXor},        {"lshift", BinaryOp::Shl},
        {"rshift", BinaryOp::Shr},
    };
    for (auto [function, op] : binaries)
        module.function(function, {"a", "b"},
                        [op = op, function = function](Evaluator& evaluator, const Arguments& a, Span) {
                            return binary(evaluator, op, a[0], a[1], a.span(0), a.span(1));
                        });
    static constexpr std::pair<const char*, CompareOp> comparisons[] = {
        {"eq", CompareOp::Eq}, {"ne", CompareOp::Ne}, {"lt", CompareOp::Lt},
        {"le", CompareOp::Le}, {"gt", CompareOp::Gt}, {"ge", CompareOp::Ge},
    };
    for (auto [function, op] : comparisons)
        module.function(function, {"a", "b"},
                        [op = op, function = function](Evaluator& evaluator, const Arguments& a, Span) {
                            return compare(evaluator, op, a[0], a[1], a.span(0), a.span(1));
                        });
    module.function("neg", {"a"}, [](Evaluator& evaluator, const Arguments& a, Span) {
        return unary(evaluator, ast::UnaryOp::Minus, a[0], a.span(0));
    });
    module.function("itemgetter", {"*items"}, [](Evaluator&, const Arguments& a, Span) {
        return Value::native("itemgetter", {"object"},
                             [items = a.rest()](Evaluator& evaluator, const Arguments& a, Span span) {
                                 std::vector<Value> out;
                                 for (const Value& item : items)
                                     out.push_back(evaluator.subscript(a[0], item, a.span(0), span));
                                 return out.size() == 1 ? out[0] : Value::tuple(std::move(out));
                             });
    });
    module.function("attrgetter", {"name"}, [](Evaluator&, const Arguments& a, Span) {
        return Value::native("attrgetter", {"object"},
                             [name = a.str(0)](Evaluator& evaluator, const Arguments& a, Span span) {
                                 return evaluator.attribute(a[0], name, span);
                             });
    });
}

} // namespace hidet::lang
