// SPDX-License-Identifier: Apache-2.0
// Iterators over every kind of value that has items.
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

std::int64_t RangeObject::size() const {
    if (step > 0)
        return start < stop ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

static Ref<IteratorObject> make(std::string name, std::function<bool(Evaluator&, Value&)> next) {
    Ref<IteratorObject> iterator(new IteratorObject);
    iterator->name = std::move(name);
    iterator->step = std::move(next);
    return iterator;
}

bool IteratorObject::next(Evaluator& evaluator, Value& item) {
    Evaluator::Impl& impl = evaluator.impl();
    impl.check_stack(impl.current);
    if (is_stepping)
        impl.raise("ValueError", {Value::str(name + " already executing")}, impl.current);
    struct Step {
        bool& is_open;
        explicit Step(bool& is_open) : is_open(is_open) { is_open = true; }
        ~Step() { is_open = false; }
    } open(is_stepping);
    return step(evaluator, item);
}

Value Evaluator::Impl::new_iterator(std::string name, std::function<bool(Evaluator&, Value&)> next) {
    Ref<IteratorObject> iterator = make(std::move(name), std::move(next));
    track(*iterator); // it may come to hold itself, as one in its own chain does
    return Value::object(ValueKind::Iterator, std::move(iterator));
}

static Ref<IteratorObject> over_table(const char* name, Value owner, ValueTable& table, Span span) {
    return make(name, [owner = std::move(owner), &table, i = std::size_t{0}, size = table.size(),
                       span](Evaluator& evaluator, Value& item) mutable {
        if (table.size() != size)
            evaluator.impl().raise("RuntimeError", {Value::str("dictionary changed size during iteration")}, span);
        const auto& entries = table.entries();
        const std::size_t first = i;
        while (i < entries.size() && !entries[i].alive)
            ++i;
        evaluator.impl().charge_items(i - first, span);
        if (i >= entries.size())
            return false;
        item = entries[i++].key;
        return true;
    });
}

// An instance with __next__, or with __getitem__ only.
static Ref<IteratorObject> over_instance(Value object, Span span) {
    return make("iterator", [object = std::move(object), span](Evaluator& evaluator, Value& item) {
        try {
            auto next = evaluator.impl().call_method(object, "__next__", {}, span);
            if (!next)
                fail(DiagId::NotIterable, span, type_name(object));
            item = *next;
            return true;
        } catch (const RaisedError& error) {
            evaluator.charge_steps(cost::exception, span);
            if (error.exception->type->name == "StopIteration")
                return false;
            throw;
        }
    });
}

static Ref<IteratorObject> over_items(Value object, Span span) {
    return make("iterator",
                [object = std::move(object), span, i = std::int64_t{0}](Evaluator& evaluator, Value& item) mutable {
                    try {
                        auto got = evaluator.impl().call_method(object, "__getitem__", {Value::integer(i++)}, span);
                        if (!got) // its class has lost the method
                            fail(DiagId::NotIterable, span, type_name(object));
                        item = *got;
                        return true;
                    } catch (const RaisedError& error) {
                        if (error.exception->type->name != "IndexError")
                            throw;
                    } catch (const DiagnosticError& error) {
                        if (error.diagnostic.id != DiagId::IndexOutOfRange)
                            throw;
                    }
                    evaluator.charge_steps(cost::exception, span);
                    return false;
                });
}

Ref<IteratorObject> Evaluator::Impl::iterator(const Value& iterable, Span span) {
    charge_steps(cost::iteration, span);
    switch (iterable.kind()) {
    case ValueKind::List:
    case ValueKind::Tuple:
        return make(iterable.is(ValueKind::List) ? "list_iterator" : "tuple_iterator",
                    [iterable, i = std::size_t{0}](Evaluator&, Value& item) mutable {
                        const auto& items = as_sequence(iterable).items;
                        if (i >= items.size())
                            return false;
                        item = items[i++];
                        return true;
                    });
    case ValueKind::Range: {
        const RangeObject& range = as_range(iterable);
        return make("range_iterator",
                    [at = range.start, step = range.step, left = range.size()](Evaluator&, Value& item) mutable {
                        if (left == 0)
                            return false;
                        item = Value::integer(at);
                        if (--left > 0)
                            at += step;
                        return true;
                    });
    }
    case ValueKind::Str:
        return make("str_iterator", [iterable, at = std::size_t{0}](Evaluator&, Value& item) mutable {
            const std::string& text = iterable.as_str();
            if (at >= text.size())
                return false;
            std::size_t end = at + 1;
            while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
                ++end;
            item = Value::str(text.substr(at, end - at));
            at = end;
            return true;
        });
    case ValueKind::Dict: return over_table("dict_keyiterator", iterable, as_dict(iterable).table, span);
    case ValueKind::Set: return over_table("set_iterator", iterable, as_set(iterable).table, span);
    case ValueKind::Iterator: return Ref<IteratorObject>(&as_iterator(iterable));
    case ValueKind::Unknown: throw UnknownValue{};
    case ValueKind::Tensor: {
        const TensorRef& tensor = iterable.as_tensor();
        if (tensor->shape.empty())
            fail(DiagId::BadType, span, "iteration over a tensor without dimensions");
        return make("tensor_iterator",
                    [iterable, i = std::int64_t{0}, span](Evaluator& evaluator, Value& item) mutable {
                        if (i >= iterable.as_tensor()->shape[0])
                            return false;
                        evaluator.charge_steps(2 * cost::call, span);
                        item = tensor_index(evaluator, iterable, Value::integer(i++), span);
                        return true;
                    });
    }
    case ValueKind::Instance:
        if (auto made = call_method(iterable, "__iter__", {}, span))
            return made->is(ValueKind::Instance) ? over_instance(*made, span) : iterator(*made, span);
        if (as_instance(iterable).type->find("__getitem__"))
            return over_items(iterable, span);
        break;
    case ValueKind::Extension:
        if (auto items = static_cast<NativeObject*>(iterable.object())->iterate(self, span))
            return iterator(Value::tuple(std::move(*items)), span);
        break;
    default: break;
    }
    fail(DiagId::NotIterable, span, type_name(iterable));
}

} // namespace hidet::lang
