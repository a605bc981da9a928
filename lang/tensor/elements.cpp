// SPDX-License-Identifier: Apache-2.0
#include "lang/tensor/elements.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compiler/ir/packing.h"
#include "lang/base/check.h"
#include "lang/base/numeric.h"
#include "lang/base/scalar.h"
#include "lang/base/text.h"
#include "lang/tensor/whole.h"

namespace hidet::lang {

using ir::DType;

std::int64_t Tensor::count() const {
    return count_of(shape);
}

std::int64_t count_of(const Shape& shape) {
    if (std::ranges::find(shape, 0) != shape.end())
        return 0;
    std::int64_t count = 1;
    for (std::int64_t extent : shape)
        count *= extent;
    return count;
}

std::string shape_text(const Shape& shape) {
    std::string out = "(";
    for (std::size_t i = 0; i < shape.size(); ++i)
        out += cat(i > 0 ? ", " : "", shape[i]);
    return out + (shape.size() == 1 ? ",)" : ")");
}

bool holds_values(DType dtype) {
    return holds_numbers(dtype) || ir::is_subbyte(dtype);
}

bool holds_numbers(DType dtype) {
    switch (ir::info(dtype).cls) {
    case ir::DTypeClass::Bool:
    case ir::DTypeClass::Int:
    case ir::DTypeClass::UInt:
    case ir::DTypeClass::Float: return true;
    default: return false;
    }
}

TensorKind kind_of(const Tensor& tensor) {
    return {tensor.dtype, tensor.device, tensor.is_torch};
}

TensorRef view_of(const TensorRef& tensor, Shape shape, std::int64_t first_element) {
    TensorRef view(new Tensor(*tensor));
    view->shape = std::move(shape);
    HIDET_CHECK(first_element == 0 || !ir::is_subbyte(tensor->dtype), "an element that may begin within a byte");
    view->offset += static_cast<std::size_t>(ir::packed_bytes(tensor->dtype, first_element));
    return view;
}

namespace {

#include "lang/base/elements.inl"

template <class T>
T from_whole(Whole number) {
    auto rounded = [&]<class To>(To) {
        return number.is_unsigned ? static_cast<To>(static_cast<std::uint64_t>(number.bits))
                                  : static_cast<To>(number.bits);
    };
    if constexpr (std::is_same_v<T, float>)
        return rounded(T());
    else if constexpr (std::is_integral_v<T>)
        return from<T>(number.bits);
    else
        return from<T>(rounded(double()));
}

// Calls f(T*) with the C++ type of the elements.
template <class F>
void with_elements(DType dtype, std::byte* data, F&& f) {
    switch (dtype) {
    case DType::Bool: return f(reinterpret_cast<bool*>(data));
    case DType::I8: return f(reinterpret_cast<std::int8_t*>(data));
    case DType::I16: return f(reinterpret_cast<std::int16_t*>(data));
    case DType::I32: return f(reinterpret_cast<std::int32_t*>(data));
    case DType::I64: return f(reinterpret_cast<std::int64_t*>(data));
    case DType::U8: return f(reinterpret_cast<std::uint8_t*>(data));
    case DType::U16: return f(reinterpret_cast<std::uint16_t*>(data));
    case DType::U32: return f(reinterpret_cast<std::uint32_t*>(data));
    case DType::U64: return f(reinterpret_cast<std::uint64_t*>(data));
    case DType::F8E4M3: return f(reinterpret_cast<E4M3*>(data));
    case DType::F8E5M2: return f(reinterpret_cast<E5M2*>(data));
    case DType::F16: return f(reinterpret_cast<Half*>(data));
    case DType::BF16: return f(reinterpret_cast<Brain*>(data));
    case DType::TF32:
    case DType::F32: return f(reinterpret_cast<float*>(data));
    case DType::F64: return f(reinterpret_cast<double*>(data));
    default: internal_failure(__FILE__, __LINE__, "elements of this type are no numbers", ir::info(dtype).name);
    }
}

// Likewise, of elements that stay as they are.
template <class F>
void read_elements(const Tensor& tensor, F&& f) {
    with_elements(tensor.dtype, const_cast<std::byte*>(tensor.read()),
                  [&]<class T>(T* data) { f(static_cast<const T*>(data)); });
}

// Elements of less than a byte, in the units that hold them.
class PackedElements {
public:
    PackedElements(DType dtype, const std::byte* data)
        : m_dtype(dtype), m_packing(ir::packing_of(dtype)),
          m_unit_bytes(static_cast<std::size_t>(ir::bytes_of(m_packing.unit))), m_data(data) {}
    std::int64_t operator[](std::size_t i) const {
        return ir::wrap_to(static_cast<std::int64_t>(unit(i) >> shift(i)), m_dtype);
    }
    void set(std::byte* data, std::size_t i, std::int64_t value) const {
        const std::uint32_t mask = ((1u << m_packing.bits) - 1) << shift(i);
        const std::uint32_t next = (unit(i) & ~mask) | ((static_cast<std::uint32_t>(value) << shift(i)) & mask);
        std::memcpy(data + place(i), &next, m_unit_bytes);
    }

private:
    std::size_t place(std::size_t i) const { return i / static_cast<std::size_t>(m_packing.per_unit) * m_unit_bytes; }
    int shift(std::size_t i) const {
        return static_cast<int>(i % static_cast<std::size_t>(m_packing.per_unit)) * m_packing.bits;
    }
    std::uint32_t unit(std::size_t i) const {
        std::uint32_t bits = 0;
        std::memcpy(&bits, m_data + place(i), m_unit_bytes);
        return bits;
    }
    DType m_dtype;
    ir::Packing m_packing;
    std::size_t m_unit_bytes;
    const std::byte* m_data;
};

Integers read_packed(const Tensor& tensor) {
    const PackedElements elements(tensor.dtype, tensor.read());
    Integers out(static_cast<std::size_t>(tensor.count()));
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = elements[i];
    return out;
}

void write_packed(const Tensor& tensor, const Integers& values) {
    std::byte* data = tensor.data();
    const PackedElements elements(tensor.dtype, data);
    for (std::size_t i = 0; i < values.size(); ++i)
        elements.set(data, i, values[i]);
}

} // namespace

Doubles read_doubles(const Tensor& tensor) {
    if (ir::is_subbyte(tensor.dtype)) {
        const Integers values = read_packed(tensor);
        return Doubles(values.begin(), values.end());
    }
    Doubles out(static_cast<std::size_t>(tensor.count()));
    read_elements(tensor, [&](const auto* data) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = double_of(data[i]);
    });
    return out;
}

Integers read_integers(const Tensor& tensor) {
    if (ir::is_subbyte(tensor.dtype))
        return read_packed(tensor);
    Integers out(static_cast<std::size_t>(tensor.count()));
    read_elements(tensor, [&](const auto* data) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = integer_of(data[i]);
    });
    return out;
}

void write_doubles(const Tensor& tensor, const Doubles& values) {
    tensor.storage->uninitialised = false;
    if (ir::is_subbyte(tensor.dtype)) {
        Integers wholes(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) // as in a kernel: an int32 first
            wholes[i] = from<std::int32_t>(values[i]);
        return write_packed(tensor, wholes);
    }
    with_elements(tensor.dtype, tensor.data(), [&]<class T>(T* data) {
        for (std::size_t i = 0; i < values.size(); ++i)
            data[i] = from<T>(values[i]);
    });
}

void write_integers(const Tensor& tensor, const Integers& values) {
    tensor.storage->uninitialised = false;
    if (ir::is_subbyte(tensor.dtype))
        return write_packed(tensor, values);
    with_elements(tensor.dtype, tensor.data(), [&]<class T>(T* data) {
        for (std::size_t i = 0; i < values.size(); ++i)
            data[i] = from<T>(values[i]);
    });
}

void convert_elements(const Tensor& from, const Tensor& to) {
    if (ir::is_float(from.dtype))
        return write_doubles(to, read_doubles(from));
    Integers values = read_integers(from);
    to.storage->uninitialised = false;
    if (ir::is_subbyte(to.dtype))
        return write_packed(to, values);
    with_elements(to.dtype, to.data(), [&]<class T>(T* data) {
        for (std::size_t i = 0; i < values.size(); ++i)
            data[i] = from_whole<T>(whole_of(values[i], from.dtype));
    });
}

std::string text_of(Whole number) {
    return number.is_unsigned ? std::to_string(static_cast<std::uint64_t>(number.bits)) : std::to_string(number.bits);
}

double distance(Whole a, Whole b) {
    if (a < b)
        std::swap(a, b);
    auto low = static_cast<std::uint64_t>(a.bits) - static_cast<std::uint64_t>(b.bits);
    bool has_carry = a.is_beyond() && !b.is_unsigned && b.bits < 0 && low < static_cast<std::uint64_t>(a.bits);
    return static_cast<double>(low) + (has_carry ? 0x1p64 : 0.0);
}

double element_double(const Tensor& tensor, std::int64_t i) {
    if (ir::is_subbyte(tensor.dtype))
        return static_cast<double>(element_integer(tensor, i));
    double out = 0;
    read_elements(tensor, [&](const auto* data) { out = double_of(data[i]); });
    return out;
}

std::int64_t element_integer(const Tensor& tensor, std::int64_t i) {
    if (ir::is_subbyte(tensor.dtype))
        return PackedElements(tensor.dtype, tensor.read())[static_cast<std::size_t>(i)];
    std::int64_t out = 0;
    read_elements(tensor, [&](const auto* data) { out = integer_of(data[i]); });
    return out;
}

std::vector<std::int64_t> broadcast_indices(const Shape& from, const Shape& out) {
    std::size_t rank = out.size();
    std::vector<std::int64_t> strides(rank, 0), index(rank, 0);
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::int64_t extent = from[from.size() - 1 - i];
        strides[rank - 1 - i] = extent == 1 ? 0 : stride;
        stride *= extent;
    }
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count_of(out)));
    std::int64_t at = 0;
    for (std::int64_t& target : indices) {
        target = at;
        for (std::size_t d = rank; d-- > 0;) {
            at += strides[d];
            if (++index[d] < out[d])
                break;
            at -= strides[d] * out[d];
            index[d] = 0;
        }
    }
    return indices;
}

} // namespace hidet::lang
