// SPDX-License-Identifier: Apache-2.0
// What expressions of host code do with tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/host/evaluator.h"
#include "lang/host/members.h"
#include "lang/host/objects.h"
#include "lang/host/tensors/tensor_data.h"
#include "lang/tensor/close.h"

namespace hidet::lang {

class Arguments;

bool tensor_truth(Evaluator& evaluator, const Value& value, Span span); // one element only
std::string tensor_text(const TensorRef& tensor);
std::string tensor_signature(const Tensor& tensor); // "Tensor(shape=(3,), dtype='float32', device='cpu')"

std::optional<Value> tensor_attribute(Evaluator& evaluator, const Value& object, std::string_view name, Span span);
std::vector<std::string> tensor_attribute_names();
Ref<ClassObject> tensor_class(Evaluator& evaluator, bool is_torch);

Value tensor_index(Evaluator& evaluator, const Value& object, const Value& index, Span span);
void tensor_assign(Evaluator& evaluator, const Value& object, const Value& index, const Value& value, Span span);

// Nothing: the operand on the other side is no number and no tensor.
std::optional<Value> tensor_binary(Evaluator& evaluator, ast::BinaryOp op, const Value& a, const Value& b, Span a_span,
                                   Span b_span, bool in_place);
std::optional<Value> tensor_compare(Evaluator& evaluator, ast::CompareOp op, const Value& a, const Value& b,
                                    Span a_span, Span b_span);
Value tensor_unary(Evaluator& evaluator, ast::UnaryOp op, const Value& a, Span span);

TensorRef tensor_matmul(Evaluator& evaluator, const TensorRef& a, const TensorRef& b, Span span);
TensorRef tensor_transpose(Evaluator& evaluator, const TensorRef& tensor, const std::vector<std::int64_t>& order,
                           Span span);
TensorRef tensor_map(Evaluator& evaluator, const TensorRef& tensor, double (*function)(double),
                     Span span); // exp, relu, ...
// The elements that steps of `strides` elements reach from the first one on: transposed, or a diagonal.
TensorRef strided_copy(Evaluator& evaluator, const TensorRef& tensor, const Shape& shape, const Shape& strides,
                       Span span);
void refuse_write_to_view(const Tensor& tensor, Span span);
void charge_elements(Evaluator& evaluator, std::int64_t count, Span span); // work on so many, and memory for it

enum class Reduction : std::uint8_t { Sum, Mean, Max, Min, Product, ArgMax, ArgMin, Any, All, Variance, Norm };
// Over the given dimensions, or over all of them when `dims` is empty.
TensorRef tensor_reduce(Evaluator& evaluator, const TensorRef& tensor, Reduction what, std::vector<std::int64_t> dims,
                        bool keep, Span span);
TensorRef tensor_softmax(Evaluator& evaluator, const TensorRef& tensor, std::int64_t dim, Span span);
std::int64_t checked_dim(std::int64_t dim, std::size_t rank, Span span);

// A tensor, a dtype, a device or a shape out of an argument; failures are diagnostics at its span.
const TensorRef& tensor_argument(const Arguments& a, std::size_t i);
ir::DType dtype_argument(const Value& value, Span span);
std::optional<ir::DType> optional_dtype(const Arguments& a, std::size_t i);
// The arguments for the type and, behind it, the device, where they are given.
void take_kind(const Arguments& a, std::size_t dtype, TensorKind& kind);
Device device_argument(const Value& value, Span span);
Shape shape_argument(Evaluator& evaluator, const Value& value, Span span);
// Nested lists of numbers, or a tensor.
TensorRef tensor_of_data(Evaluator& evaluator, const Value& data, std::optional<ir::DType> dtype, TensorKind kind,
                         Span span);
Value dtype_value(ir::DType dtype, bool is_torch);

std::vector<std::int64_t> shape_like(Evaluator& evaluator, const Value& value, Span span); // ints, negative ones too
Value tensor_where(Evaluator& evaluator, const Value& condition, const Value& a, const Value& b, Span span);

// tensor.device
struct DeviceValue : WithMembers<DeviceValue> {
    DeviceValue(Device device, bool is_torch) : device(device), is_torch(is_torch) {}
    std::string type_name() const override { return "device"; }
    std::string repr() const override;
    static std::span<const Member<DeviceValue>> members();
    bool equals(const NativeObject& other) const override {
        const auto* that = dynamic_cast<const DeviceValue*>(&other);
        return that && that->device == device;
    }
    std::size_t hash() const override { return static_cast<std::size_t>(device); }
    Device device;
    bool is_torch;
};

// What torch.max(x, dim) gives.
struct ValuesAndIndices : WithMembers<ValuesAndIndices> {
    ValuesAndIndices(Value values, Value indices) : values(std::move(values)), indices(std::move(indices)) {}
    std::string type_name() const override { return "torch.return_types"; }
    static std::span<const Member<ValuesAndIndices>> members();
    std::unique_ptr<Value> subscript(Evaluator& evaluator, const Value& index, Span span) override;
    std::unique_ptr<std::vector<Value>> iterate(Evaluator& evaluator, Span span) override;
    Value values, indices;
};

// torch.float32: prints as such, and is accepted wherever a dtype is.
struct TorchDType : WithMembers<TorchDType> {
    explicit TorchDType(ir::DType dtype) : dtype(dtype) {}
    std::string type_name() const override { return "dtype"; }
    std::string repr() const override;
    static std::span<const Member<TorchDType>> members();
    bool equals(const NativeObject& other) const override {
        const auto* that = dynamic_cast<const TorchDType*>(&other);
        return that && that->dtype == dtype;
    }
    std::size_t hash() const override { return static_cast<std::size_t>(dtype); }
    ir::DType dtype;
};

} // namespace hidet::lang
