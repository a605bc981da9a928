// SPDX-License-Identifier: Apache-2.0
// Integer expressions as straight lines over the trips of a loop, and powers of two that divide them.
#pragma once

#include <functional>
#include <optional>

#include "compiler/analysis/ranges.h"

namespace hidet::compiler {

// value(trip) = base + stride * trip; the base does not depend on the trip.
struct Strided {
    ir::ExprRef base;
    std::int64_t stride = 0;
};

class StridedForm {
public:
    // The value of an immutable variable; null where it is not known.
    using ValueOf = std::function<ir::ExprRef(const ir::Var&)>;

    StridedForm(const Ranges& ranges, ValueOf value_of) : m_ranges(ranges), m_value_of(std::move(value_of)) {}

    // A power of two, at most `most`, of which the value is a multiple; what wraps is one all the same.
    static constexpr std::int64_t most = 64;
    std::int64_t multiple_of(const ir::ExprRef& expr) const { return multiple_of(expr, 0); }

    // Over `trips` trips of the loop over `loop`. `is_inside`: the variable is defined by the loop's body, so that it is
    // seen through. Quotients and remainders by constants are lines where all trips lie between two multiples. Nothing: it
    // is no such line, or that is not known.
    std::optional<Strided> of(const ir::ExprRef& expr, const ir::Var& loop, std::int64_t trips,
                              const std::function<bool(const ir::Var&)>& is_inside) const;

private:
    struct Loop;
    std::int64_t multiple_of(const ir::ExprRef& expr, int depth) const;
    std::optional<Strided> of(const ir::ExprRef& expr, const Loop& loop, int depth) const;
    std::optional<Strided> of_binary(const ir::Binary& expr, const Loop& loop, int depth) const;
    std::optional<Strided> of_division(const ir::Binary& expr, const Strided& a, const Loop& loop) const;
    bool crosses_no_multiple(const Strided& line, const Loop& loop, std::int64_t of) const;

    const Ranges& m_ranges;
    const ValueOf m_value_of;
};

} // namespace hidet::compiler
