// SPDX-License-Identifier: Apache-2.0
// sys, time, typing, abc, copy, collections, dataclasses, warnings: as much of them as scripts use.
#include <chrono>
#include <map>
#include <unordered_map>

#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/builtins/sorting.h"
#include "lang/host/interpreter.h"
#include "lang/host/members.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/text_of.h"
#include "lang/host/typing.h"

namespace hidet::lang {

static Value typing_form(std::string name) {
    return new_extension<TypingForm>(std::move(name));
}

namespace {
struct Stream final : WithMembers<Stream> {
    std::string type_name() const override { return "TextIOWrapper"; }
    static std::span<const Member<Stream>> members() {
        static constexpr Member<Stream> rows[] = {
            {"write",
             {"text"},
             [](Stream&, Evaluator& evaluator, const Arguments& a, Span) {
                 evaluator.print(a.str(0));
                 return Value::integer(code_point_count(a.str(0)));
             }},
            {"flush", [](Stream&, Evaluator&, Args&, Span) { return Value(); }},
        };
        return rows;
    }
};
} // namespace

void make_sys(Evaluator& evaluator, HostModule& module) {
    module.function("exit", [](Evaluator& evaluator, Args& args, Span span) -> Value {
        evaluator.impl().raise("SystemExit", args.positional, span);
    });
    module.add("argv", evaluator.new_list({Value::str("script.py")}));
    module.add("maxsize", Value::integer(9223372036854775807));
    module.add("version", Value::str("3.11 (hidet studio)"));
    module.add("version_info", Value::tuple({Value::integer(3), Value::integer(11), Value::integer(0)}));
    module.add("platform", Value::str("hidet"));
    module.add("path", evaluator.new_list({}));
    module.function("getrecursionlimit", [](Evaluator& evaluator, Args&, Span) {
        return Value::integer(evaluator.options().max_call_depth);
    });
    module.function("setrecursionlimit", [](Evaluator&, Args&, Span) { return Value(); });
    module.add("stdout", new_extension<Stream>());
    module.add("stderr", new_extension<Stream>());
}

// In preview time stands still: what depends on it is unknown.
void make_time(Evaluator&, HostModule& module) {
    for (const char* clock :
         {"time", "perf_counter", "monotonic", "process_time", "time_ns", "perf_counter_ns", "monotonic_ns"})
        module.function(
            clock, [is_whole = std::string_view(clock).ends_with("_ns")](Evaluator& evaluator, Args&, Span) {
                if (evaluator.in_preview())
                    return Value::unknown();
                const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
                return is_whole ? Value::integer(now.count()) : Value::real(std::chrono::duration<double>(now).count());
            });
    module.function("sleep", [](Evaluator&, Args&, Span span) -> Value {
        fail(DiagId::RefusedFunction, span, "time.sleep", "a script that waits does nothing");
    });
}

void make_typing(Evaluator& evaluator, HostModule& module) {
    for (const char* form :
         {"Any",       "AnyStr",   "Callable",  "ClassVar",  "Dict",    "Final",       "FrozenSet", "Generic",
          "Iterable",  "Iterator", "List",      "Literal",   "Mapping", "NewType",     "NoReturn",  "Optional",
          "ParamSpec", "Protocol", "Sequence",  "Set",       "Sized",   "Tuple",       "Type",      "TypeVar",
          "Union",     "Hashable", "Annotated", "TypeAlias", "Self",    "Concatenate", "cast"})
        module.add(form, typing_form(form));
    module.add("TYPE_CHECKING", Value::boolean(false));
    for (const char* decorator : {"overload", "final"})
        module.function(decorator, {"func"}, [](Evaluator&, const Arguments& a, Span) { return a[0]; });
    Ref<ClassObject> named = evaluator.impl().new_class("NamedTuple", nullptr);
    named->is_builtin = true;
    named->construct = [](Evaluator&, Args&, Span span) -> Value {
        fail(DiagId::RefusedFunction, span, "typing.NamedTuple", "use a dataclass");
    };
    module.add("NamedTuple", Value::object(ValueKind::Class, named));
}

void make_abc(Evaluator&, HostModule& module) {
    module.add("ABC", typing_form("ABC"));
    module.add("ABCMeta", typing_form("ABCMeta"));
    module.function("abstractmethod", {"func"}, [](Evaluator&, const Arguments& a, Span) { return a[0]; });
}

void make_warnings(Evaluator&, HostModule& module) {
    for (const char* function : {"warn", "filterwarnings", "simplefilter"})
        module.function(function, [](Evaluator&, Args&, Span) { return Value(); });
}

// ---- copy ---------------------------------------------------------------------------------------------------------

namespace {

using Copies = std::unordered_map<const Object*, Value>; // of what is copied, so that it is copied once

Value copied(Evaluator& evaluator, const Value& value, bool deep, Copies& done, Span span) {
    evaluator.charge_steps(1, span);
    evaluator.impl().check_stack(span);
    if (auto known = done.find(value.object()); value.object() && known != done.end())
        return known->second;
    auto inner = [&](const Value& item) { return deep ? copied(evaluator, item, deep, done, span) : item; };
    auto charge = [&](std::size_t items) { evaluator.charge_steps(items / 4, span); };
    switch (value.kind()) {
    case ValueKind::List: {
        Value copy = evaluator.new_list({});
        done.emplace(value.object(), copy);
        charge(value.items().size());
        for (const Value& item : std::vector(value.items()))
            as_sequence(copy).items.push_back(inner(item));
        return copy;
    }
    case ValueKind::Tuple: {
        if (!deep)
            return value;
        std::vector<Value> items;
        for (const Value& item : value.items())
            items.push_back(inner(item));
        return done.emplace(value.object(), Value::tuple(std::move(items))).first->second;
    }
    case ValueKind::Dict: {
        Value copy = evaluator.impl().new_dict();
        as_dict(copy).factory = as_dict(value).factory;
        done.emplace(value.object(), copy);
        charge(as_dict(value).table.size());
        for (const ValueTable::Entry& entry : as_dict(value).table.living())
            as_dict(copy).table.set(evaluator, inner(entry.key), inner(entry.value), span);
        return copy;
    }
    case ValueKind::Set: {
        Value copy = evaluator.impl().new_set();
        charge(as_set(value).table.size());
        for (const ValueTable::Entry& entry : as_set(value).table.living())
            as_set(copy).table.set(evaluator, entry.key, Value(), span);
        return copy;
    }
    case ValueKind::Instance: {
        Ref<InstanceObject> copy(new InstanceObject);
        copy->type = as_instance(value).type;
        evaluator.impl().track(*copy);
        done.emplace(value.object(), Value::object(ValueKind::Instance, copy));
        charge(as_instance(value).fields.size());
        as_instance(value).fields.for_each(
            [&](const std::string& name, const Value& field) { copy->fields.set(name, field); });
        for (const std::string& name : copy->fields.names())
            copy->fields.set(name, inner(Value(*copy->fields.find(name))));
        return Value::object(ValueKind::Instance, copy);
    }
    case ValueKind::Tensor:
        return Value::tensor(converted(evaluator, value.as_tensor(), kind_of(*value.as_tensor()), span));
    default: return value;
    }
}

} // namespace

void make_copy(Evaluator&, HostModule& module) {
    for (bool deep : {false, true})
        module.function(deep ? "deepcopy" : "copy", {"x"}, [deep](Evaluator& evaluator, const Arguments& a, Span span) {
            Copies done;
            return copied(evaluator, a[0], deep, done, span);
        });
}

// ---- collections --------------------------------------------------------------------------------------------------

// A method that the class does not have already. The function is given the object that it is called on.
using ObjectMethod = std::function<Value(Evaluator&, const Value& self, Args&, Span)>;
static void add_method(ClassObject& type, const char* name, std::size_t others, ObjectMethod method) {
    if (!type.table.find(name))
        type.table.set(name, Value::native(name, [name, others, method = std::move(method)](Evaluator& evaluator,
                                                                                            Args& args, Span span) {
                           return method(evaluator, self_argument(args, name, others, span), args, span);
                       }));
}

static Value named_tuple(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "namedtuple", {"typename", "field_names"});
    std::vector<std::string> names;
    if (a[1].is(ValueKind::Str)) {
        std::string text = a.str(1);
        for (char& c : text)
            c = c == ',' ? ' ' : c;
        for (const std::string& name : split(text, ' '))
            if (!name.empty())
                names.push_back(name);
    } else {
        for (const Value& name : evaluator.iterate(a[1], a.span(1)))
            names.push_back(evaluator.str(name));
    }
    Ref<ClassObject> type = evaluator.impl().new_class(a.str(0), nullptr);
    add_method(*type, "__init__", 0,
               [names, title = a.str(0)](Evaluator& evaluator, const Value& self, Args& args, Span span) {
                   evaluator.charge_steps(names.size() * (1 + args.keywords.size() / 8), span);
                   if (args.positional.size() - 1 > names.size())
                       fail(DiagId::TooManyArguments, span, title, cat(names.size(), " arguments"),
                            cat(args.positional.size() - 1, " were"));
                   for (std::size_t i = 0; i < names.size(); ++i) {
                       const Value* value = i + 1 < args.positional.size() ? &args.positional[i + 1] : nullptr;
                       for (const auto& [key, keyword] : args.keywords)
                           if (key == names[i])
                               value = &keyword;
                       if (!value)
                           fail(DiagId::MissingArgument, span, title, names[i]);
                       as_instance(self).fields.set(names[i], *value);
                   }
                   return Value();
               });
    auto values = [names, title = a.str(0), &evaluator](const Value& self, Span span) {
        evaluator.charge_steps(2 * names.size(), span); // each is looked up
        std::vector<Value> out;
        for (const std::string& name : names) {
            const Value* field = as_instance(self).fields.find(name);
            if (!field)
                fail(DiagId::UnknownAttribute, span, title, name);
            out.push_back(*field);
        }
        return Value::tuple(std::move(out));
    };
    add_method(*type, "__iter__", 0, [values](Evaluator& evaluator, const Value& self, Args&, Span span) {
        return Value::object(ValueKind::Iterator, evaluator.impl().iterator(values(self, span), span));
    });
    type->table.set("__len__", Value::native("__len__", [n = names.size()](Evaluator&, Args&, Span) {
                        return Value::integer(static_cast<std::int64_t>(n));
                    }));
    add_method(*type, "__getitem__", 1, [values](Evaluator& evaluator, const Value& self, Args& args, Span span) {
        return evaluator.subscript(values(self, span), args.positional[1], span, span);
    });
    add_method(*type, "__eq__", 1, [values](Evaluator& evaluator, const Value& self, Args& args, Span span) {
        const Value& other = args.positional[1];
        bool same_type = other.is(ValueKind::Instance) && as_instance(other).type == as_instance(self).type;
        if (!same_type && !other.is(ValueKind::Tuple))
            return Value::boolean(false);
        return Value::boolean(equal(evaluator, values(self, span), same_type ? values(other, span) : other, span));
    });
    add_method(*type, "__hash__", 0, [values](Evaluator& evaluator, const Value& self, Args&, Span span) {
        return Value::integer(static_cast<std::int64_t>(hash_value(evaluator, values(self, span), span)));
    });
    add_method(*type, "__repr__", 0,
               [names, values, title = a.str(0)](Evaluator& evaluator, const Value& self, Args&, Span span) {
                   const OpenText text(evaluator, self);
                   if (text.is_within_itself())
                       return Value::str("...");
                   const Value all = values(self, span);
                   std::string out = title + "(";
                   for (std::size_t i = 0; i < names.size(); ++i)
                       out += cat(i > 0 ? ", " : "", names[i], "=", evaluator.repr(all.items()[i]));
                   return Value::str(out + ")");
               });
    return Value::object(ValueKind::Class, type);
}

void make_collections(Evaluator& evaluator, HostModule& module) {
    module.add("OrderedDict", evaluator.impl().builtin("dict"));
    module.function("namedtuple", named_tuple);
    module.function("defaultdict", [](Evaluator& evaluator, Args& args, Span span) {
        Value dict = evaluator.impl().new_dict();
        Args rest = args;
        if (!args.positional.empty()) {
            as_dict(dict).factory = args.positional[0];
            rest.positional.erase(rest.positional.begin());
        }
        fill_dict(evaluator, as_dict(dict), rest, span, "defaultdict");
        return dict;
    });
    module.function("Counter", {"iterable="}, [](Evaluator& evaluator, const Arguments& a, Span span) {
        Value dict = evaluator.impl().new_dict();
        as_dict(dict).factory = evaluator.impl().builtin("int");
        if (a.given(0))
            for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
                const Value* found = as_dict(dict).table.find(evaluator, item, span);
                const std::int64_t before = found ? found->as_int() : 0;
                as_dict(dict).table.set(evaluator, item, Value::integer(before + 1), span);
            }
        return dict;
    });
    module.refusal = [](std::string_view name) { return name == "deque" ? std::string("use a list") : std::string(); };
}

// ---- dataclasses --------------------------------------------------------------------------------------------------

namespace {

struct Field : NativeObject {
    Value default_value = Value::unbound();
    Value factory;
    std::string type_name() const override { return "Field"; }
};

// Fields of the class and of its bases, first the bases': name and default.
std::vector<std::pair<std::string, Value>> fields_of(Evaluator& evaluator, const ClassObject& type, Span span) {
    std::vector<const ClassObject*> chain;
    for (const ClassObject* at = &type; at; at = at->base.get())
        chain.push_back(at);
    evaluator.charge_steps(chain.size(), span);
    std::vector<std::pair<std::string, Value>> out;
    std::map<std::string, std::size_t, std::less<>> places;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
        const Value* annotations = (*at)->table.find("__annotations__");
        if (!annotations || !annotations->is(ValueKind::Dict))
            continue;
        for (const ValueTable::Entry& entry : as_dict(*annotations).table.entries()) {
            evaluator.charge_steps(2, span);
            if (!entry.key.is(ValueKind::Str) || !entry.value.is(ValueKind::Str) ||
                entry.value.as_str().starts_with("ClassVar"))
                continue;
            const std::string& name = entry.key.as_str();
            const Value* value = (*at)->table.find(name);
            const auto [place, is_new] = places.emplace(name, out.size());
            if (is_new)
                out.emplace_back(name, Value::unbound());
            out[place->second].second = value ? *value : Value::unbound();
        }
    }
    return out;
}

Value field_values(Evaluator& evaluator, const ClassObject& type, const Value& self, Span span) {
    std::vector<Value> out;
    for (const auto& [name, unused] : fields_of(evaluator, type, span)) {
        const Value* value = as_instance(self).fields.find(name);
        out.push_back(value ? *value : Value());
    }
    return Value::tuple(std::move(out));
}

void initialise(Evaluator& evaluator, const Ref<ClassObject>& type, InstanceObject& self, Args& args, Span span) {
    auto fields = fields_of(evaluator, *type, span);
    evaluator.charge_steps(fields.size() * (2 + args.keywords.size()), span);
    if (args.positional.size() - 1 > fields.size())
        fail(DiagId::TooManyArguments, args.span_of(fields.size() + 1, span), type->name,
             cat("at most ", fields.size(), " positional arguments"),
             cat(args.positional.size() - 1, args.positional.size() == 2 ? " was" : " were"));
    for (std::size_t k = 0; k < args.keywords.size(); ++k) {
        std::vector<std::string> names = transformed(fields, [&](const auto& field) { return field.first; });
        const std::string& name = args.keywords[k].first;
        Span at = k < args.keyword_name_spans.size() ? args.keyword_name_spans[k] : span;
        if (std::ranges::find(names, name) == names.end())
            throw DiagnosticError(
                Diagnostic::make(DiagId::UnknownKeyword, at, type->name, name).suggest(at, name, names));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        auto& [name, otherwise] = fields[i];
        std::optional<Value> value;
        if (i + 1 < args.positional.size())
            value = args.positional[i + 1];
        for (const auto& [key, keyword] : args.keywords)
            if (key == name)
                value = keyword;
        if (!value && !otherwise.is(ValueKind::Unbound)) {
            const auto* field = otherwise.extension<Field>();
            if (!field) {
                value = otherwise;
            } else if (!field->factory.is(ValueKind::None)) {
                value = evaluator.call(field->factory, {}, span);
            } else if (!field->default_value.is(ValueKind::Unbound)) {
                value = field->default_value;
            }
        }
        if (!value)
            fail(DiagId::MissingArgument, span, type->name, name);
        self.fields.set(name, *value);
    }
    evaluator.impl().call_method(args.positional[0], "__post_init__", {}, span);
}

Value decorate(Evaluator& evaluator, const Value& target, bool frozen, bool ordered, Span span) {
    evaluator.charge_steps(cost::class_definition, span);
    if (!target.is(ValueKind::Class))
        fail(DiagId::BadType, span, "dataclass() decorates a class");
    Ref<ClassObject> type(&as_class(target));
    add_method(*type, "__init__", 0, [type](Evaluator& evaluator, const Value& self, Args& args, Span span) {
        initialise(evaluator, type, as_instance(self), args, span);
        return Value();
    });
    add_method(*type, "__repr__", 0, [type](Evaluator& evaluator, const Value& self, Args&, Span span) {
        const OpenText text(evaluator, self);
        if (text.is_within_itself())
            return Value::str("...");
        std::string out = as_instance(self).type->name + "(";
        bool first = true;
        for (const auto& [name, unused] : fields_of(evaluator, *type, span)) {
            const Value* value = as_instance(self).fields.find(name);
            out += cat(std::exchange(first, false) ? "" : ", ", name, "=", value ? evaluator.repr(*value) : "?");
        }
        return Value::str(out + ")");
    });
    const auto values = [type](Evaluator& evaluator, const Value& self, Span span) {
        return field_values(evaluator, *type, self, span);
    };
    add_method(*type, "__eq__", 1, [values](Evaluator& evaluator, const Value& a, Args& args, Span span) {
        const Value& b = args.positional[1];
        if (!b.is(ValueKind::Instance) || as_instance(b).type != as_instance(a).type)
            return Value::boolean(false);
        return Value::boolean(equal(evaluator, values(evaluator, a, span), values(evaluator, b, span), span));
    });
    if (frozen) {
        add_method(*type, "__hash__", 0, [values](Evaluator& evaluator, const Value& self, Args&, Span span) {
            const Value all = values(evaluator, self, span);
            return Value::integer(static_cast<std::int64_t>(hash_value(evaluator, all, span)));
        });
        add_method(*type, "__setattr__", 1, [type](Evaluator& evaluator, const Value&, Args& args, Span span) -> Value {
            fail(DiagId::ReadOnlyAttribute, span, evaluator.str(args.positional[1]), type->name);
        });
    }
    if (ordered)
        add_method(*type, "__lt__", 1, [type, values](Evaluator& evaluator, const Value& a, Args& args, Span span) {
            const Value& b = args.positional[1];
            if (!b.is(ValueKind::Instance))
                fail(DiagId::UnsupportedCompare, span, "<", type->name, type_name(b));
            return Value::boolean(less(evaluator, values(evaluator, a, span), values(evaluator, b, span), span));
        });
    return target;
}

} // namespace

void make_dataclasses(Evaluator&, HostModule& module) {
    module.function("dataclass", [](Evaluator& evaluator, Args& args, Span span) {
        Arguments a(args, span, "dataclass",
                    {"cls=", "*", "init=", "repr=", "eq=", "order=", "unsafe_hash=", "frozen=", "slots=", "kw_only="});
        bool frozen = a.boolean(6, false) || a.boolean(5, false), ordered = a.boolean(4, false);
        if (a.given(0))
            return decorate(evaluator, a[0], frozen, ordered, span);
        return Value::native("dataclass", {"cls"},
                             [frozen, ordered](Evaluator& evaluator, const Arguments& a, Span span) {
                                 return decorate(evaluator, a[0], frozen, ordered, span);
                             });
    });
    module.function("field", {"*", "default=", "default_factory=", "init=", "repr=", "compare=", "hash=", "metadata="},
                    [](Evaluator&, const Arguments& a, Span) {
                        Ref<Field> field(new Field);
                        if (a.given(0))
                            field->default_value = a[0];
                        if (a.given(1))
                            field->factory = a[1];
                        return Value::extension(field);
                    });
    module.function("asdict", {"obj"}, [](Evaluator& evaluator, const Arguments& a, Span) {
        return evaluator.attribute(a[0], "__dict__", a.span(0));
    });
    module.function("replace", [](Evaluator& evaluator, Args& args, Span span) {
        if (args.positional.size() != 1 || !args.positional[0].is(ValueKind::Instance))
            fail(DiagId::BadType, span, "replace() wants an instance of a dataclass");
        const InstanceObject& old = as_instance(args.positional[0]);
        Args fresh;
        fresh.keywords = args.keywords;
        old.fields.for_each([&](const std::string& name, const Value& value) {
            bool given = std::ranges::any_of(args.keywords, [&](const auto& keyword) { return keyword.first == name; });
            if (!given)
                fresh.keywords.emplace_back(name, value);
        });
        return evaluator.impl().construct(*old.type, fresh, span);
    });
}

} // namespace hidet::lang
