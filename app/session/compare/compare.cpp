// SPDX-License-Identifier: Apache-2.0
// An element is right within absolute + relative * |wanted|. The relative part covers the rounding of the result to its
// type. The absolute part covers the sums that it is made of: n products of size s, summed one after the other in a type
// with the rounding error eps, are off by some eps * n * s, and since the sum itself is about sqrt(n) * s, that is
// eps * sqrt(n) * |sum|. The size of the sums is taken from the whole tensor, for a sum that cancels out is no more exact
// than its neighbours. The type of the sums is that of the accumulators, not of the result: f16 results of f32 sums are as
// exact as f16 can be, sums of 1024 products in f16 are some 32 times less so, and both are right. No sum is taken to be more
// exact than in f32 unless the result is f64, for the reference has errors too.
#include "app/session/compare/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "lang/base/numeric.h"
#include "lang/base/ranges.h"
#include "lang/tensor/close.h"

namespace hidet::session {

using ir::DType;

namespace {

constexpr int most_cells = 64;
constexpr double safety = 4;

double relative_default(DType dtype) {
    switch (dtype) {
    case DType::F64: return 1e-13;
    case DType::F32: return 1.3e-6;
    case DType::TF32: return 1e-3;
    case DType::F16: return 1e-3;
    case DType::BF16: return 8e-3;
    case DType::F8E4M3: return 0.125;
    case DType::F8E5M2: return 0.25;
    default: return 0;
    }
}

// Half of the distance between neighbours, relative to them.
double rounding_of(DType dtype) {
    switch (dtype) {
    case DType::F64: return 0x1p-53;
    case DType::F16: return 0x1p-11;
    case DType::BF16: return 0x1p-8;
    default: return 0x1p-24;
    }
}

double absolute_default(DType dtype, const Expectation& expectation, const lang::Doubles& wanted) {
    if (!ir::is_float(dtype))
        return 0;
    double squares = 0, count = 0;
    for (double value : wanted)
        if (std::isfinite(value))
            squares += value * value, ++count;
    double size = count > 0 ? std::sqrt(squares / count) : 0;
    double least = rounding_of(dtype == DType::F64 ? DType::F64 : DType::F32);
    double each = rounding_of(expectation.sum_type);
    double length = std::max(expectation.sum_length, 1.0);
    double sums = least * std::sqrt(length);
    if (each > least) // a single addend is rounded once, as the result is
        sums += each * std::sqrt(length - 1);
    return safety * size * (expectation.rounds_to_tf32 ? sums + 0x1p-11 : sums);
}

// Neighbouring floats have neighbouring integers, across zero too.
template <class Bits>
double ordered(Bits bits) {
    constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
    return bits & sign ? -static_cast<double>(bits & ~sign) : static_cast<double>(bits);
}

double ordinal_of(double value, DType dtype) {
    auto narrow = static_cast<float>(value);
    switch (dtype) {
    case DType::F64: return 0;
    case DType::F16: return ordered(f32_to_f16(narrow));
    case DType::BF16: return ordered(f32_to_bf16(narrow));
    case DType::F8E4M3: return ordered(f32_to_e4m3(narrow));
    case DType::F8E5M2: return ordered(f32_to_e5m2(narrow));
    default: return ordered(std::bit_cast<std::uint32_t>(narrow));
    }
}

double ulp_distance_f64(double a, double b) {
    auto ordered_bits = [](double value) {
        auto bits = std::bit_cast<std::int64_t>(value);
        return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
    };
    std::int64_t x = ordered_bits(a), y = ordered_bits(b);
    return static_cast<double>(static_cast<std::uint64_t>(std::max(x, y)) - static_cast<std::uint64_t>(std::min(x, y)));
}

std::string pattern_of(DType dtype) {
    auto bytes = [](auto bits) { return std::string(reinterpret_cast<const char*>(&bits), sizeof bits); };
    switch (dtype) {
    case DType::F64: return bytes(std::uint64_t{0x7FF8DEADBEEF5A5A});
    case DType::F32:
    case DType::TF32: return bytes(float_pattern);
    case DType::F16: return bytes(std::uint16_t{0x7E5A});
    case DType::BF16: return bytes(std::uint16_t{0x7FDA});
    case DType::F8E4M3:
    case DType::F8E5M2: return std::string(1, '\x7F');
    default: break;
    }
    if (dtype == DType::Bool)
        return std::string(1, '\0');
    return std::string(static_cast<std::size_t>(std::max(ir::info(dtype).bits / 8, 1)), '\xA5');
}

std::vector<std::int64_t> index_of(std::int64_t place, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; place /= shape[d])
        index[d] = place % shape[d];
    return index;
}

ErrorMap empty_map(const std::vector<std::int64_t>& shape, std::int64_t count) {
    ErrorMap map;
    if (count == 0)
        return map;
    map.matrix_columns = shape.empty() ? 1 : shape.back();
    if (shape.size() == 1)
        for (map.matrix_columns = 1; map.matrix_columns * map.matrix_columns < count;)
            map.matrix_columns *= 2;
    map.matrix_rows = (count + map.matrix_columns - 1) / map.matrix_columns;
    map.cell_rows = (map.matrix_rows + most_cells - 1) / most_cells;
    map.cell_columns = (map.matrix_columns + most_cells - 1) / most_cells;
    map.rows = static_cast<int>((map.matrix_rows + map.cell_rows - 1) / map.cell_rows);
    map.columns = static_cast<int>((map.matrix_columns + map.cell_columns - 1) / map.cell_columns);
    map.values.assign(static_cast<std::size_t>(map.rows) * static_cast<std::size_t>(map.columns), 0);
    return map;
}

void note_error(ErrorMap& map, std::int64_t place, double error) {
    std::int64_t row = place / map.matrix_columns / map.cell_rows,
                 column = place % map.matrix_columns / map.cell_columns;
    double& cell = map.values[static_cast<std::size_t>(row * map.columns + column)];
    cell = std::max(cell, std::min(error, worst_error));
}

class Comparer {
public:
    Comparer(Comparison& out, const lang::Tensor& got, const lang::Tensor& wanted)
        : m_out(out), m_got(got), m_wanted(wanted), m_pattern(pattern_of(got.dtype)) {}

    void run(const Expectation& expectation) {
        lang::Doubles got = lang::read_doubles(m_got), wanted = lang::read_doubles(m_wanted);
        const Tolerance tolerance = tolerance_of(expectation, m_got.dtype, wanted);
        m_out.relative = *tolerance.relative;
        m_out.absolute = *tolerance.absolute;
        m_equal_nan = expectation.equal_nan;
        m_finite_only = expectation.finite_only;
        m_out.count = m_got.count();
        m_out.map = empty_map(m_got.shape, m_out.count);
        if (!ir::is_float(m_got.dtype) && !ir::is_float(m_wanted.dtype))
            for_integers();
        else
            for_floats(got, wanted);
        if (m_numbers == 0)
            return;
        m_out.max_absolute = m_absolute;
        m_out.max_relative = m_relative;
        m_out.max_ulp = m_ulp;
        m_out.mean_absolute = m_sum / static_cast<double>(m_numbers);
    }

private:
    // Differences of 64-bit integers do not survive in doubles.
    void for_integers() {
        lang::Integers got = lang::read_integers(m_got), wanted = lang::read_integers(m_wanted);
        bool is_unsigned = m_got.dtype == DType::U64 && m_wanted.dtype == DType::U64;
        for (std::size_t i = 0; i < got.size(); ++i) {
            bool less = is_unsigned ? static_cast<std::uint64_t>(got[i]) < static_cast<std::uint64_t>(wanted[i])
                                    : got[i] < wanted[i];
            auto a = static_cast<std::uint64_t>(got[i]), b = static_cast<std::uint64_t>(wanted[i]);
            element(i, static_cast<double>(got[i]), static_cast<double>(wanted[i]),
                    static_cast<double>(less ? b - a : a - b));
        }
    }
    void for_floats(const lang::Doubles& got, const lang::Doubles& wanted) {
        for (std::size_t i = 0; i < got.size(); ++i) {
            m_out.got_nan += std::isnan(got[i]);
            m_out.got_infinite += std::isinf(got[i]);
            m_out.wanted_nan += std::isnan(wanted[i]);
            m_out.wanted_infinite += std::isinf(wanted[i]);
            if (m_finite_only && !std::isfinite(wanted[i]))
                continue;
            const bool are_nan = m_equal_nan && std::isnan(got[i]) && std::isnan(wanted[i]);
            if (got[i] == wanted[i] || (are_nan && !is_pattern_alone(i)))
                element(i, got[i], wanted[i], 0);
            else if (std::isfinite(got[i]) && std::isfinite(wanted[i]))
                element(i, got[i], wanted[i], std::fabs(got[i] - wanted[i]));
            else
                bad(i, got[i], wanted[i], worst_error);
        }
    }
    void element(std::size_t i, double got, double wanted, double difference) {
        bool finite = std::isfinite(wanted);
        m_numbers += finite;
        m_sum += difference;
        m_absolute = std::max(m_absolute, difference);
        if (difference == 0)
            return;
        double allowed = m_out.absolute + m_out.relative * std::fabs(wanted);
        if (wanted != 0 || difference > allowed)
            m_relative = std::max(m_relative, difference / std::fabs(wanted));
        m_ulp = std::max(m_ulp, ir::is_float(m_got.dtype)
                                    ? ulp_distance(got, ir::round_to(wanted, m_got.dtype), m_got.dtype)
                                    : difference);
        double error = allowed > 0 ? difference / allowed : worst_error;
        if (difference > allowed)
            bad(i, got, wanted, std::max(error, std::nextafter(1.0, 2.0)));
        else
            note_error(m_out.map, static_cast<std::int64_t>(i), error);
    }
    void bad(std::size_t i, double got, double wanted, double error) {
        if (m_out.bad++ == 0)
            m_out.first_bad = index_of(static_cast<std::int64_t>(i), m_got.shape);
        const double apart = std::isfinite(got) && std::isfinite(wanted) ? std::fabs(got - wanted)
                                                                         : std::numeric_limits<double>::infinity();
        if (apart > m_worst) {
            m_worst = apart;
            m_out.worst = index_of(static_cast<std::int64_t>(i), m_got.shape);
            m_out.got = got;
            m_out.wanted = wanted;
        }
        m_out.never_written += is_unwritten(m_got, i);
        note_error(m_out.map, static_cast<std::int64_t>(i), error);
    }

    // Of a byte the pattern is the NaN that is computed, too.
    bool is_pattern_alone(std::size_t i) const {
        return m_pattern.size() > 1 && is_unwritten(m_got, i) && !is_unwritten(m_wanted, i);
    }
    bool is_unwritten(const lang::Tensor& tensor, std::size_t i) const {
        return tensor.dtype == m_got.dtype && tensor.dtype != DType::Bool &&
               std::memcmp(tensor.read() + i * m_pattern.size(), m_pattern.data(), m_pattern.size()) == 0;
    }

    Comparison& m_out;
    const lang::Tensor& m_got;
    const lang::Tensor& m_wanted;
    std::string m_pattern;
    bool m_equal_nan = true, m_finite_only = false;
    std::int64_t m_numbers = 0;
    double m_absolute = 0, m_relative = 0, m_ulp = 0, m_sum = 0;
    double m_worst = -1;
};

bool shapes_agree(const lang::Tensor& a, const lang::Tensor& b) {
    return a.shape == b.shape || (a.count() == b.count() && (a.shape.size() <= 1 || b.shape.size() <= 1));
}

// Nothing of a scalar.
std::string at_text(const char* which, const std::vector<std::int64_t>& index) {
    return index.empty() ? "" : cat(",", which, " at ", lang::shape_text(index));
}

} // namespace

std::string extents_text(const std::vector<std::int64_t>& shape) {
    const std::vector<std::string> extents = transformed(shape, [](std::int64_t extent) { return cat(extent); });
    return cat("[", join(extents, ", "), "]");
}

double ulp_distance(double a, double b, DType dtype) {
    if (dtype == DType::F64)
        return ulp_distance_f64(a, b);
    return std::fabs(ordinal_of(a, dtype) - ordinal_of(b, dtype));
}

void fill_with_pattern(lang::Tensor& tensor) {
    std::string pattern = pattern_of(tensor.dtype);
    std::byte* data = tensor.data();
    const std::size_t count =
        std::min(static_cast<std::size_t>(tensor.count()), (tensor.storage->bytes - tensor.offset) / pattern.size());
    for (std::size_t i = 0; i < count; ++i)
        std::memcpy(data + i * pattern.size(), pattern.data(), pattern.size());
    tensor.storage->uninitialised = false; // a device would begin with zeros, and hide what is never written
}

Tolerance tolerance_of(const Expectation& expectation, DType dtype, const lang::Doubles& wanted) {
    const Tolerance& asked = expectation.tolerance;
    return {asked.absolute.value_or(absolute_default(dtype, expectation, wanted)) * expectation.widened,
            asked.relative.value_or(relative_default(dtype)) * expectation.widened};
}

Comparison compare(const std::string& name, const lang::Tensor& got, const lang::Tensor& wanted,
                   const Expectation& expectation) {
    Comparison out;
    out.tensor = name;
    out.dtype = ir::info(got.dtype).short_name;
    out.shape = got.shape;
    if (!shapes_agree(got, wanted))
        out.refusal = cat("'", name, "' has the shape ", extents_text(got.shape), ", and the reference gives ",
                          extents_text(wanted.shape));
    else if (!lang::holds_numbers(got.dtype) || !lang::holds_numbers(wanted.dtype))
        out.refusal = cat("elements of type ", ir::info(got.dtype).name, " cannot be compared");
    else
        Comparer(out, got, wanted).run(expectation);
    return out;
}

std::optional<double> largest_error(const std::vector<Comparison>& comparisons) {
    std::optional<double> largest;
    for (const Comparison& comparison : comparisons)
        if (comparison.max_absolute)
            largest = std::max(largest.value_or(0), *comparison.max_absolute);
    return largest;
}

bool is_wrong(const Comparison& comparison, double got, double wanted) {
    if (got == wanted || (std::isnan(got) && std::isnan(wanted)))
        return false;
    return !std::isfinite(got) || !std::isfinite(wanted) ||
           std::fabs(got - wanted) > comparison.absolute + comparison.relative * std::fabs(wanted);
}

const Comparison* first_wrong(const std::vector<Comparison>& comparisons) {
    for (const Comparison& comparison : comparisons)
        if (!comparison.refusal.empty() || comparison.bad > 0)
            return &comparison;
    return nullptr;
}

std::string describe(const Comparison& comparison, const char* what) {
    if (!comparison.refusal.empty())
        return comparison.refusal;
    if (comparison.bad == 0)
        return "";
    DType dtype = *ir::find_dtype(comparison.dtype);
    std::string out = cat(comparison.bad, " of ", comparison.count, comparison.count == 1 ? " element" : " elements",
                          " of '", comparison.tensor, comparison.bad == 1 ? "' is " : "' are ", what);
    const bool is_one = comparison.bad == 1;
    if (comparison.never_written == comparison.bad)
        return cat(out, at_text(is_one ? "" : " the first", comparison.first_bad), ": never written");
    const auto [got, wanted] = lang::told_apart(comparison.got, comparison.wanted, dtype);
    out += cat(at_text(is_one ? "" : " worst", comparison.worst), ": got ", got, ", expected ", wanted);
    if (comparison.never_written > 0)
        out += cat("; ", comparison.never_written, comparison.never_written == 1 ? " was" : " were", " never written");
    return out;
}

} // namespace hidet::session
