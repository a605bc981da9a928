// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/filling.h"

#include <algorithm>

#include "lang/tensor/random.h"

namespace hidet::session {

namespace {

constexpr std::int64_t piece = 1 << 20; // elements at a time, for they go through doubles

class Filler {
public:
    Filler(Fill fill, std::uint64_t seed, ir::DType dtype)
        : m_fill(fill), m_random(seed), m_is_unsigned(dtype == ir::DType::Bool || !ir::is_signed(dtype)) {}

    double real(std::int64_t place) {
        switch (m_fill) {
        case Fill::Ones: return 1;
        case Fill::Arange: return static_cast<double>(place);
        case Fill::Random: return m_random.normal();
        case Fill::Uniform: return m_random.uniform();
        default: return 0;
        }
    }
    std::int64_t integer(std::int64_t place) {
        switch (m_fill) {
        case Fill::Ones: return 1;
        case Fill::Arange: return place;
        case Fill::Random:
            return m_is_unsigned ? static_cast<std::int64_t>(m_random.next() % 9)
                                 : static_cast<std::int64_t>(m_random.next() % 17) - 8;
        case Fill::Uniform: return static_cast<std::int64_t>(m_random.next() % 9);
        default: return 0;
        }
    }

private:
    Fill m_fill;
    lang::Random m_random;
    bool m_is_unsigned;
};

} // namespace

void fill(lang::Tensor& tensor, Fill fill, std::uint64_t seed) {
    if (fill != Fill::Zeros && fill != Fill::Ones && fill != Fill::Arange && fill != Fill::Random &&
        fill != Fill::Uniform)
        return;
    Filler filler(fill, seed, tensor.dtype);
    lang::TensorRef whole(new lang::Tensor(tensor));
    std::int64_t count = tensor.count();
    for (std::int64_t begin = 0; begin < count; begin += piece) {
        std::int64_t length = std::min(piece, count - begin);
        lang::TensorRef part = lang::view_of(whole, {length}, begin);
        if (ir::is_float(tensor.dtype)) {
            lang::Doubles values(static_cast<std::size_t>(length));
            for (std::int64_t i = 0; i < length; ++i)
                values[static_cast<std::size_t>(i)] = filler.real(begin + i);
            lang::write_doubles(*part, values);
        } else {
            lang::Integers values(static_cast<std::size_t>(length));
            for (std::int64_t i = 0; i < length; ++i)
                values[static_cast<std::size_t>(i)] = filler.integer(begin + i);
            lang::write_integers(*part, values);
        }
    }
}

} // namespace hidet::session
