// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/filling.h"

#include <algorithm>
#include <cmath>

#include "lang/tensor/random.h"

namespace hidet::session {

namespace {

constexpr std::int64_t piece = 1 << 20; // elements at a time, for they go through doubles

class Filler {
public:
    Filler(Fill fill, std::uint64_t seed, const lang::Tensor& tensor, double largest)
        : m_fill(fill), m_random(seed), m_is_unsigned(tensor.dtype == ir::DType::Bool || !ir::is_signed(tensor.dtype)),
          m_largest(largest), m_row(row_of(tensor)), m_first_row(static_cast<std::int64_t>(seed % 8)) {}

    double real(std::int64_t place) {
        switch (m_fill) {
        case Fill::Ones: return 1;
        case Fill::Arange: return static_cast<double>(place);
        case Fill::Random: return m_random.normal();
        case Fill::Special: return special((place / m_row + m_first_row) % 8);
        case Fill::Uniform: return m_random.uniform();
        default: return 0;
        }
    }
    std::int64_t integer(std::int64_t place) {
        switch (m_fill) {
        case Fill::Ones: return 1;
        case Fill::Arange: return place;
        case Fill::Random:
        case Fill::Special:
            return m_is_unsigned ? static_cast<std::int64_t>(m_random.next() % 9)
                                 : static_cast<std::int64_t>(m_random.next() % 17) - 8;
        case Fill::Uniform: return static_cast<std::int64_t>(m_random.next() % 9);
        default: return 0;
        }
    }

private:
    // Of a matrix its rows; what has few of them has pieces.
    static std::int64_t row_of(const lang::Tensor& tensor) {
        const std::int64_t row = tensor.shape.empty() ? 1 : std::max<std::int64_t>(tensor.shape.back(), 1);
        return tensor.count() / row >= 8 ? row : (tensor.count() + 7) / 8;
    }
    double special(std::int64_t kind) {
        const double number = m_random.normal();
        switch (kind) {
        case 1: return 0;
        case 2: return -std::fabs(number);
        case 3: return number * 1e-3;
        case 4: return m_largest <= 1 ? number : std::copysign((1 + m_random.uniform() / 2) * m_largest / 1.5, number);
        case 6: return m_random.next() % 2 == 0 ? number : std::copysign(0.0, number);
        default: return number;
        }
    }

    Fill m_fill;
    lang::Random m_random;
    bool m_is_unsigned;
    double m_largest;
    std::int64_t m_row, m_first_row; // zeros of one tensor do not meet those of the next
};

} // namespace

void fill(lang::Tensor& tensor, Fill fill, std::uint64_t seed, double largest) {
    if (fill != Fill::Zeros && fill != Fill::Ones && fill != Fill::Arange && fill != Fill::Random &&
        fill != Fill::Uniform && fill != Fill::Special)
        return;
    Filler filler(fill, seed, tensor, largest);
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
