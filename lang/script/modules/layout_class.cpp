// SPDX-License-Identifier: Apache-2.0
// DataLayout as a class that scripts derive from:
//
//   class Diagonal(DataLayout):
//       def __init__(self, n):
//           super().__init__(shape=(n, n), size=n * n)
//           self.n = n
//       def global2local(self, i, j):
//           return i * self.n + (i + j) % self.n
//
// What such a class computes is known to Python alone: it is asked for slots, and composed with other layouts, to prepare
// memory on the host. A tensor of a kernel has a layout of IR.
#include "lang/host/arguments.h"
#include "lang/host/boxed.h"
#include "lang/host/interpreter.h"
#include "lang/script/modules/exports.h"

namespace hidet::lang {

namespace {

constexpr std::string_view class_name = "hidet.ir.DataLayout";
constexpr const char* asked_names[] = {"serialize", "global2cond", "within_bound", "const_shape"};

bool is_derived(Evaluator& evaluator, const Value& value) {
    const Ref<ClassObject>& type = evaluator.impl().native_classes[std::string(class_name)];
    return type && value.is(ValueKind::Instance) && as_instance(value).type->derives_from(*type);
}

// What the one of them takes behind the layout itself.
std::vector<std::string_view> taken_by(std::string_view asked) {
    return asked == "const_shape" ? std::vector<std::string_view>{} : std::vector<std::string_view>{"*index"};
}

std::vector<Value> extents_of(Evaluator& evaluator, const Value& layout, Span span) {
    return evaluator.iterate(evaluator.attribute(layout, "shape", span), span);
}

Value slot_in(Evaluator& evaluator, const Value& layout, std::vector<Value> index, Span span) {
    return evaluator.call(evaluator.attribute(layout, "global2local", span), std::move(index), span);
}

// (i, j) or ([i, j])
std::vector<Value> index_of(Evaluator& evaluator, const Args& args, std::size_t first, Span span) {
    std::vector<Value> index(args.positional.begin() + static_cast<std::ptrdiff_t>(first), args.positional.end());
    if (index.size() == 1 && is_sequence(index[0]))
        index = evaluator.iterate(index[0], span);
    return index;
}

// What a layout of any kind answers besides its slots.
Value answer(Evaluator& evaluator, const Value& layout, std::string_view name, const Args& args, std::size_t first,
             Span span) {
    const std::vector<Value> extents = extents_of(evaluator, layout, span);
    if (name == "const_shape")
        return Value::tuple(extents);
    const std::vector<Value> index = index_of(evaluator, args, first, span);
    if (index.size() != extents.size())
        fail(DiagId::ScriptLayoutRank, span, extents.size(), index.size());
    if (name == "serialize")
        return slot_in(evaluator, layout, index, span);
    bool is_inside = true;
    for (std::size_t d = 0; d < index.size(); ++d) {
        const std::int64_t at = to_int(index[d], span, "an index");
        is_inside = is_inside && at >= 0 && at < to_int(extents[d], span, "an extent");
    }
    return Value::boolean(is_inside);
}

// A product or a concatenation of layouts of which one is a class's.
class ComputedLayout final : public NativeObject {
public:
    ComputedLayout(Value first, Value second, bool is_product)
        : m_first(std::move(first)), m_second(std::move(second)), m_is_product(is_product) {}
    std::string type_name() const override { return "DataLayout"; }
    std::vector<std::string> attributes() const override {
        std::vector<std::string> names{"shape", "size", "global2local"};
        names.insert(names.end(), std::begin(asked_names), std::end(asked_names));
        return names;
    }
    void clear() override { m_first = m_second = Value(); }
    std::unique_ptr<Value> attribute(Evaluator& evaluator, std::string_view name, Span span) override;
    std::unique_ptr<Value> call(Evaluator& evaluator, Args& args, Span span) override {
        return boxed(slot(evaluator, index_of(evaluator, args, 0, span), span));
    }
    std::unique_ptr<Value> binary(Evaluator& evaluator, ast::BinaryOp op, const Value& other, bool is_reflected,
                                  Span span) override;

private:
    Value shape(Evaluator& evaluator, Span span) const {
        std::vector<Value> out = extents_of(evaluator, m_first, span);
        const std::vector<Value> second = extents_of(evaluator, m_second, span);
        for (std::size_t d = 0; m_is_product && d < out.size(); ++d)
            out[d] = evaluator.binary(ast::BinaryOp::Mul, out[d], second[d], span, span);
        if (!m_is_product)
            out.insert(out.end(), second.begin(), second.end());
        return Value::tuple(std::move(out));
    }
    Value slot(Evaluator& evaluator, const std::vector<Value>& index, Span span) const {
        const auto computed = [&](ast::BinaryOp op, const Value& a, const Value& b) {
            return evaluator.binary(op, a, b, span, span);
        };
        const std::vector<Value> inner_extents = extents_of(evaluator, m_second, span);
        const std::size_t outer_rank = extents_of(evaluator, m_first, span).size();
        const std::size_t rank = m_is_product ? outer_rank : outer_rank + inner_extents.size();
        if (index.size() != rank)
            fail(DiagId::ScriptLayoutRank, span, rank, index.size());
        std::vector<Value> outer, inner;
        for (std::size_t d = 0; d < rank; ++d) {
            if (m_is_product) {
                outer.push_back(computed(ast::BinaryOp::FloorDiv, index[d], inner_extents[d]));
                inner.push_back(computed(ast::BinaryOp::Mod, index[d], inner_extents[d]));
            } else {
                (d < outer_rank ? outer : inner).push_back(index[d]);
            }
        }
        const Value block = computed(ast::BinaryOp::Mul, slot_in(evaluator, m_first, outer, span),
                                     evaluator.attribute(m_second, "size", span));
        return computed(ast::BinaryOp::Add, block, slot_in(evaluator, m_second, inner, span));
    }

    Value m_first, m_second;
    bool m_is_product;
};

bool is_any_layout(Evaluator& evaluator, const Value& value) {
    return value.is(ValueKind::Layout) || value.extension<ComputedLayout>() || is_derived(evaluator, value);
}

// Nothing: the two make no layout.
std::unique_ptr<Value> combined(Evaluator& evaluator, ast::BinaryOp op, const Value& first, const Value& second,
                                Span span) {
    if (op != ast::BinaryOp::Mul && op != ast::BinaryOp::Add)
        return nullptr;
    const auto layout_of = [&](const Value& value) {
        return op == ast::BinaryOp::Add && is_sequence(value) ? Value::layout(ir::row_major(to_shape(value, span)))
                                                              : value;
    };
    const Value a = layout_of(first), b = layout_of(second);
    if (!is_any_layout(evaluator, a) || !is_any_layout(evaluator, b))
        return nullptr;
    const std::size_t outer = extents_of(evaluator, a, span).size(), inner = extents_of(evaluator, b, span).size();
    if (op == ast::BinaryOp::Mul && outer != inner)
        fail(DiagId::ScriptLayoutRank, span, outer, inner);
    return boxed(new_extension<ComputedLayout>(a, b, op == ast::BinaryOp::Mul));
}

std::unique_ptr<Value> ComputedLayout::binary(Evaluator& evaluator, ast::BinaryOp op, const Value& other,
                                              bool is_reflected, Span span) {
    const Value self = Value::extension(Ref<NativeObject>(this));
    return is_reflected ? combined(evaluator, op, other, self, span) : combined(evaluator, op, self, other, span);
}

std::unique_ptr<Value> ComputedLayout::attribute(Evaluator& evaluator, std::string_view name, Span span) {
    if (name == "shape")
        return boxed(shape(evaluator, span));
    if (name == "size")
        return boxed(evaluator.binary(ast::BinaryOp::Mul, evaluator.attribute(m_first, "size", span),
                                      evaluator.attribute(m_second, "size", span), span, span));
    const Ref<ComputedLayout> self(this);
    if (name == "global2local")
        return boxed(name, [self](Evaluator& inner, Args& args, Span call) {
            Arguments(args, call, "global2local", {"*index"});
            return self->slot(inner, args.positional, call);
        });
    for (const char* asked : asked_names)
        if (name == asked)
            return boxed(name, [self, asked](Evaluator& inner, Args& args, Span call) {
                Arguments(args, call, asked, taken_by(asked));
                return answer(inner, Value::extension(self), asked, args, 0, call);
            });
    return nullptr;
}

// ---- the class ------------------------------------------------------------------------------------------------------

Value init(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "DataLayout", {"self", "shape=", "size="});
    if (!a[0].is(ValueKind::Instance))
        fail(DiagId::BadType, span, "DataLayout.__init__() is called with an object of a derived class");
    NameTable& fields = as_instance(a[0]).fields;
    const bool has_shape = a.has(1);
    fields.set("shape", Value::tuple(has_shape ? evaluator.iterate(a[1], a.span(1)) : std::vector<Value>()));
    fields.set("size", a.or_none(2));
    return {};
}

NativeFunction of_instance(const char* name) {
    return [name](Evaluator& evaluator, Args& args, Span span) {
        std::vector<std::string_view> parameters = taken_by(name);
        parameters.insert(parameters.begin(), "self");
        Arguments a(args, span, name, parameters);
        return answer(evaluator, a[0], name == std::string_view("__call__") ? "serialize" : name, args, 1, span);
    };
}

NativeFunction operation(ast::BinaryOp op, bool is_reflected) {
    return [op, is_reflected](Evaluator& evaluator, Args& args, Span span) {
        Arguments a(args, span, "operator", {"self", "other"});
        auto made =
            is_reflected ? combined(evaluator, op, a[1], a[0], span) : combined(evaluator, op, a[0], a[1], span);
        if (!made)
            fail(DiagId::UnsupportedOperand, span, ast::spelling(op), type_name(a[is_reflected ? 1 : 0]),
                 type_name(a[is_reflected ? 0 : 1]));
        return *made;
    };
}

void fill_class(NameTable& table, std::initializer_list<std::pair<const char*, Value>> makers) {
    const auto add = [&](const char* name, NativeFunction body) {
        table.set(name, Value::native(name, std::move(body)));
    };
    add("__init__", init);
    add("__call__", of_instance("__call__"));
    add("__mul__", operation(ast::BinaryOp::Mul, false));
    add("__rmul__", operation(ast::BinaryOp::Mul, true));
    add("__add__", operation(ast::BinaryOp::Add, false));
    add("__radd__", operation(ast::BinaryOp::Add, true));
    add("global2local", [](Evaluator&, Args& args, Span span) -> Value {
        Arguments(args, span, "global2local", {"self", "*index"});
        fail(DiagId::BadType, span, "a class derived from DataLayout needs a method global2local()");
    });
    for (const char* name : asked_names)
        add(name, of_instance(name));
    for (const auto& [name, maker] : makers) {
        Ref<MethodWrapper> fixed(new MethodWrapper);
        fixed->what = MethodWrapper::What::Static;
        fixed->function = maker;
        table.set(name, Value::extension(fixed));
    }
}

} // namespace

Value layout_class(Evaluator& evaluator, std::initializer_list<std::pair<const char*, Value>> makers) {
    Ref<ClassObject>& type = evaluator.impl().native_classes[std::string(class_name)];
    if (!type) {
        type = evaluator.impl().new_class("DataLayout", nullptr);
        type->is_builtin = true;
        type->holds = [&evaluator](const Value& value) { return is_any_layout(evaluator, value); };
        fill_class(type->table, makers);
    }
    return Value::object(ValueKind::Class, type);
}

ir::LayoutRef to_layout(Evaluator& evaluator, const Value& value, Span span) {
    want_known(value);
    if (!value.is(ValueKind::Layout) && is_any_layout(evaluator, value))
        fail(DiagId::BadType, span,
             "a tensor has no layout that a class of the script computes: only Python can ask that, and row_major(), "
             "column_major(), their products and swizzle() are for tensors");
    if (!value.is(ValueKind::Layout))
        fail(DiagId::ScriptNotALayout, span, describe(value));
    return value.as_layout();
}

} // namespace hidet::lang
