// SPDX-License-Identifier: Apache-2.0
#include "lang/host/modules/integers.h"

#include "lang/base/text.h"
#include "lang/host/operators.h"

namespace hidet::lang {

namespace {

WideInteger magnitude(WideInteger value) {
    return value < 0 ? -value : value;
}

WideInteger divisor_of(WideInteger a, WideInteger b) {
    return b == 0 ? magnitude(a) : divisor_of(b, a % b);
}

WideInteger multiple_of(WideInteger a, WideInteger b) {
    const WideInteger divisor = divisor_of(a, b);
    return divisor == 0 ? 0 : magnitude(a / divisor * b);
}

Value folded(const std::vector<Value>& integers, std::int64_t start, WideInteger (*combine)(WideInteger, WideInteger),
             Span span) {
    Value out = Value::integer(start);
    for (const Value& item : integers) {
        if (!item.is(ValueKind::Int))
            fail(DiagId::BadType, span, cat("'", type_name(item), "' object cannot be interpreted as an integer"));
        out = integer_of(combine(out.as_int(), item.as_int()), span);
    }
    return out;
}

} // namespace

Value integer_of(WideInteger value, Span span) {
    if (value != static_cast<std::int64_t>(value))
        fail(DiagId::IntegerOverflow, span, "the result");
    return Value::integer(static_cast<std::int64_t>(value));
}

Value common_divisor(const std::vector<Value>& integers, Span span) {
    return folded(integers, 0, divisor_of, span);
}

Value common_multiple(const std::vector<Value>& integers, Span span) {
    return folded(integers, 1, multiple_of, span);
}

} // namespace hidet::lang
