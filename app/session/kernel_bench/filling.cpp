// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/filling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lang/tensor/random.h"

namespace hidet::session {

namespace {

constexpr std::int64_t piece = 1 << 20; // elements at a time, for they go through doubles

class Filler {
public:
    Filler(Fill fill, const FillNumbers& numbers, const lang::Tensor& tensor)
        : m_fill(fill), m_random(numbers.seed), m_source(numbers.source),
          m_is_unsigned(tensor.dtype == ir::DType::Bool || !ir::is_signed(tensor.dtype)), m_largest(numbers.largest),
          m_subnormal(least_normal(tensor.dtype) / 4), m_row(row_of(tensor)),
          m_first_row(static_cast<std::int64_t>(numbers.seed % 8)) {}

    double real(std::int64_t place) {
        switch (m_fill) {
        case Fill::Ones: return 1;
        case Fill::Arange: return static_cast<double>(place);
        case Fill::Random: return number();
        case Fill::Special: return special((place / m_row + m_first_row) % 8);
        case Fill::NotFinite: return not_finite(place);
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
        case Fill::NotFinite:
            if (m_source && m_source->count() > 0)
                return lang::element_integer(*m_source, drawn());
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
    static double least_normal(ir::DType dtype) {
        switch (dtype) {
        case ir::DType::F64: return 0x1p-1022;
        case ir::DType::F16: return 0x1p-14;
        default: return 0x1p-126;
        }
    }
    std::int64_t drawn() {
        return static_cast<std::int64_t>(m_random.next() % static_cast<std::uint64_t>(m_source->count()));
    }
    double number() {
        return m_source && m_source->count() > 0 ? lang::element_double(*m_source, drawn()) : m_random.normal();
    }
    double special(std::int64_t kind) {
        const double number = this->number();
        switch (kind) {
        case 1: return 0;
        case 2: return -std::fabs(number);
        case 3: return number * 1e-3;
        case 4: return m_largest <= 1 ? number : std::copysign((1 + m_random.uniform() / 2) * m_largest / 1.5, number);
        case 6: return m_random.next() % 2 == 0 ? number : std::copysign(0.0, number);
        case 7:
            return m_random.next() % 2 == 0 ? number : std::copysign((1 + m_random.uniform()) * m_subnormal, number);
        default: return number;
        }
    }
    // One element of every other row, so that rows without one show whether it reaches them.
    double not_finite(std::int64_t place) {
        const double number = this->number();
        const std::int64_t row = place / m_row + m_first_row;
        if (place % m_row != (row * 7 + row / 8 * 3 + 2) % m_row)
            return number;
        switch (row % 8) {
        case 1: return std::numeric_limits<double>::quiet_NaN();
        case 3: return std::numeric_limits<double>::infinity();
        case 5: return -std::numeric_limits<double>::infinity();
        default: return number;
        }
    }

    Fill m_fill;
    lang::Random m_random;
    lang::TensorRef m_source;
    bool m_is_unsigned;
    double m_largest, m_subnormal;
    std::int64_t m_row, m_first_row; // zeros of one tensor do not meet those of the next
};

} // namespace

void fill(lang::Tensor& tensor, Fill fill, const FillNumbers& numbers) {
    if (fill != Fill::Zeros && fill != Fill::Ones && fill != Fill::Arange && fill != Fill::Random &&
        fill != Fill::Uniform && fill != Fill::Special && fill != Fill::NotFinite)
        return;
    Filler filler(fill, numbers, tensor);
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
