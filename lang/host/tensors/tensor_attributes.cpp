// SPDX-License-Identifier: Apache-2.0
// Attributes of tensors and of their devices, hidet's and torch's alike, and the class that both are instances of.
#include "compiler/ir/packing.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/tensors/tensor_shapes.h"

namespace hidet::lang {

std::vector<std::string> tensor_attribute_names() {
    return {"shape",         "dtype", "device",   "T",    "nbytes", "is_cuda", "num_elements", "ndim",
            "requires_grad", "data",  "itemsize", "grad", "mT",     "op",      "storage",      "layout"};
}

std::optional<Value> tensor_attribute(Evaluator& evaluator, const Value& object, std::string_view name, Span span) {
    const TensorRef& tensor = object.as_tensor();
    if (name == "shape")
        return shape_value(tensor->shape);
    if (name == "dtype")
        return dtype_value(tensor->dtype, tensor->is_torch);
    if (name == "device")
        return new_extension<DeviceValue>(tensor->device, tensor->is_torch);
    if (name == "T")
        return Value::tensor(reversed_dims(evaluator, tensor, span));
    if (name == "mT")
        return Value::tensor(
            tensor_transpose(evaluator, tensor, swapped_order(tensor->shape.size(), -2, -1, span), span));
    if (name == "ndim")
        return Value::integer(static_cast<std::int64_t>(tensor->shape.size()));
    if (name == "num_elements" || (name == "size" && !tensor->is_torch))
        return Value::integer(tensor->count());
    if (name == "itemsize")
        return Value::integer(static_cast<std::int64_t>(element_bytes(*tensor, span)));
    if (name == "nbytes")
        return Value::integer(ir::packed_bytes(tensor->dtype, tensor->count()));
    if (name == "is_cuda")
        return Value::boolean(tensor->device == Device::Cuda);
    if (name == "requires_grad")
        return Value::boolean(false);
    if (name == "data")
        return object;
    if (name == "grad" || name == "trace" || name == "op" || name == "layout")
        return Value();
    return std::nullopt;
}

std::span<const Member<DeviceValue>> DeviceValue::members() {
    using D = const DeviceValue&;
    static constexpr Value (*type)(D) = [](D d) { return Value::str(d.device == Device::Cuda ? "cuda" : "cpu"); };
    static constexpr Value (*index)(D) = [](D d) { return d.device == Device::Cuda ? Value::integer(0) : Value(); };
    static constexpr Member<DeviceValue> rows[] = {
        {"type", type},
        {"index", index},
        {"kind", type},
        {"id", index},
        {"is_cuda", [](DeviceValue& d, Evaluator&, Args&, Span) { return Value::boolean(d.device == Device::Cuda); }},
        {"is_cpu", [](DeviceValue& d, Evaluator&, Args&, Span) { return Value::boolean(d.device == Device::Cpu); }},
    };
    return rows;
}

std::string DeviceValue::repr() const {
    return device_name(device);
}

Ref<ClassObject> tensor_class(Evaluator& evaluator, bool is_torch) {
    Evaluator::Impl& impl = evaluator.impl();
    Ref<ClassObject>& type = impl.native_classes[is_torch ? "torch.Tensor" : "hidet.Tensor"];
    if (!type) {
        type = impl.new_class(is_torch ? "torch.Tensor" : "hidet.Tensor", nullptr);
        type->is_builtin = true;
        type->holds = [is_torch, name = type->name](const Value& value) {
            if (!value.is(ValueKind::Tensor))
                return type_name(value) == name; // a symbolic one
            return value.as_tensor()->is_torch == is_torch;
        };
        type->construct = [](Evaluator&, Args&, Span span) -> Value {
            fail(DiagId::BadType, span, "a tensor is made by randn(), zeros(), tensor() and their like");
        };
    }
    return type;
}

} // namespace hidet::lang
