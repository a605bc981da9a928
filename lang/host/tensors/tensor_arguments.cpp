// SPDX-License-Identifier: Apache-2.0
// dtypes, devices, shapes and nested lists as arguments.
#include "compiler/ir/type.h"
#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

using ir::DType;

std::string TorchDType::repr() const {
    return cat("torch.", ir::info(dtype).name);
}

std::span<const Member<TorchDType>> TorchDType::members() {
    static constexpr Member<TorchDType> rows[] = {
        {"is_floating_point", [](const TorchDType& self) { return Value::boolean(ir::is_float(self.dtype)); }},
        {"itemsize", [](const TorchDType& self) { return Value::integer(ir::bytes_of(self.dtype)); }},
    };
    return rows;
}

Value dtype_value(DType dtype, bool is_torch) {
    if (is_torch)
        return new_extension<TorchDType>(dtype);
    return Value::type(ir::data_type(dtype));
}

DType dtype_argument(const Value& value, Span span) {
    want_known(value);
    if (const auto* torch = value.extension<TorchDType>())
        return torch->dtype;
    if (value.is(ValueKind::Type))
        if (const auto* data = ir::as<ir::DataType>(value.as_type()))
            return data->dtype;
    if (value.is(ValueKind::Str)) {
        if (auto dtype = ir::find_dtype(value.as_str()))
            return *dtype;
        std::vector<std::string> names = transformed<std::string>(ir::all_dtypes(), &ir::DTypeInfo::name);
        throw DiagnosticError(
            Diagnostic::make(DiagId::UnknownDType, span, value.as_str()).suggest({}, value.as_str(), names));
    }
    if (value.is(ValueKind::Class)) {
        const std::string& name = as_class(value).name;
        if (name == "float" || name == "int" || name == "bool")
            return name == "float" ? DType::F32 : name == "int" ? DType::I64 : DType::Bool;
    }
    fail(DiagId::BadType, span, cat("a data type is wanted, not '", type_name(value), "'"));
}

const TensorRef& tensor_argument(const Arguments& a, std::size_t i) {
    want_known(a[i]);
    if (!a[i].is(ValueKind::Tensor))
        a.wrong_type(i, "a tensor");
    return a[i].as_tensor();
}

Device device_argument(const Value& value, Span span) {
    want_known(value);
    if (value.is(ValueKind::None))
        return Device::Cpu;
    if (const auto* device = value.extension<DeviceValue>())
        return device->device;
    if (value.is(ValueKind::Int) && value.as_int() == 0)
        return Device::Cuda;
    if (!value.is(ValueKind::Str))
        fail(DiagId::BadType, span, cat("a device is wanted, not '", type_name(value), "'"));
    const std::string& name = value.as_str();
    if (name == "cpu")
        return Device::Cpu;
    if (name == "cuda" || name == "cuda:0" || name == "vcuda")
        return Device::Cuda;
    fail(DiagId::UnknownDevice, span, name);
}

std::optional<DType> optional_dtype(const Arguments& a, std::size_t i) {
    return a.has(i) ? std::optional(dtype_argument(a[i], a.span(i))) : std::nullopt;
}

void take_kind(const Arguments& a, std::size_t dtype, TensorKind& kind) {
    kind.dtype = optional_dtype(a, dtype).value_or(kind.dtype);
    if (a.has(dtype + 1))
        kind.device = device_argument(a[dtype + 1], a.span(dtype + 1));
}

Shape shape_argument(Evaluator& evaluator, const Value& value, Span span) {
    want_known(value);
    std::vector<Value> items;
    if (value.is(ValueKind::Int))
        items.push_back(value);
    else
        items = evaluator.iterate(value, span);
    check_rank(items.size(), span);
    Shape shape;
    for (const Value& item : items) {
        want_known(item);
        if (!item.is(ValueKind::Int) && !item.is(ValueKind::Bool))
            fail(DiagId::BadShape, span,
                 item.is(ValueKind::Str)
                     ? cat("a dimension must be an int: symbolic tensors such as '", item.as_str(), "' are for graphs")
                     : cat("a dimension must be an int, not '", type_name(item), "'"));
        if (item.as_int() < 0)
            fail(DiagId::BadShape, span, cat("a dimension cannot be negative: ", item.as_int()));
        shape.push_back(item.as_int());
    }
    return shape;
}

// ---- nested lists -------------------------------------------------------------------------------------------------

namespace {

class Flattener {
public:
    Flattener(Evaluator& evaluator, Span span) : m_evaluator(evaluator), m_span(span) {}

    void take(const Value& value, std::size_t depth) {
        want_known(value);
        m_evaluator.impl().check_stack(m_span);
        m_evaluator.charge_steps(1, m_span);
        check_rank(depth, m_span);
        if (value.is(ValueKind::Tensor) && value.as_tensor()->shape.empty() && value.as_tensor()->has_data())
            return take(element_value(*value.as_tensor(), 0, m_span), depth);
        if (value.is_number()) {
            if (leaf_depth && *leaf_depth != depth)
                ragged();
            leaf_depth = depth;
            has_float = has_float || value.is(ValueKind::Float);
            has_int = has_int || value.is(ValueKind::Int);
            floats.push_back(value.as_double());
            integers.push_back(value.is(ValueKind::Float) ? static_cast<std::int64_t>(value.as_double())
                                                          : value.as_int());
            return;
        }
        bool is_list = value.is(ValueKind::List) || value.is(ValueKind::Tuple) || value.is(ValueKind::Range) ||
                       value.is(ValueKind::Tensor);
        if (!is_list)
            fail(DiagId::BadType, m_span, cat("a tensor holds numbers, not '", type_name(value), "'"));
        std::vector<Value> items = m_evaluator.iterate(value, m_span);
        auto extent = static_cast<std::int64_t>(items.size());
        if (depth == shape.size()) {
            if (leaf_depth)
                ragged();
            shape.push_back(extent);
        } else if (shape[depth] != extent) {
            ragged();
        }
        for (const Value& item : items)
            take(item, depth + 1);
    }

    Shape shape;
    Doubles floats;
    Integers integers;
    bool has_float = false;
    bool has_int = false;
    std::optional<std::size_t> leaf_depth;

private:
    [[noreturn]] void ragged() { fail(DiagId::BadShape, m_span, "the nested lists have different lengths"); }
    Evaluator& m_evaluator;
    Span m_span;
};

} // namespace

TensorRef tensor_of_data(Evaluator& evaluator, const Value& data, std::optional<DType> dtype, TensorKind kind,
                         Span span) {
    if (data.is(ValueKind::Tensor)) {
        kind.dtype = dtype.value_or(data.as_tensor()->dtype);
        return kind.dtype == data.as_tensor()->dtype && kind.device == data.as_tensor()->device
                   ? data.as_tensor()
                   : converted(evaluator, data.as_tensor(), kind, span);
    }
    Flattener flat(evaluator, span);
    flat.take(data, 0);
    if (count_of(flat.shape) != static_cast<std::int64_t>(flat.floats.size()))
        fail(DiagId::BadShape, span, "the nested lists have different lengths");
    kind.dtype = dtype                                   ? *dtype
                 : flat.has_float || flat.floats.empty() ? DType::F32
                 : flat.has_int                          ? DType::I64
                                                         : DType::Bool;
    if (!holds_values(kind.dtype))
        fail(DiagId::BadType, span, cat("a tensor of ", ir::info(kind.dtype).name, " cannot be made from numbers"));
    return ir::is_float(kind.dtype) || flat.has_float ? from_doubles(evaluator, flat.shape, kind, flat.floats, span)
                                                      : from_integers(evaluator, flat.shape, kind, flat.integers, span);
}

} // namespace hidet::lang
