// SPDX-License-Identifier: Apache-2.0
// math
#include <cmath>
#include <limits>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/integers.h"
#include "lang/host/operators.h"

namespace hidet::lang {

namespace {

void add(HostModule& module, const char* name, NativeFunction function) {
    Ref<NativeFunctionObject> native(new NativeFunctionObject);
    native->name = cat("math.", name);
    native->function = std::move(function);
    native->has_ir_form = true;
    module.add(name, Value::object(ValueKind::Native, native));
}

void add(HostModule& module, const char* name, const Parameters& parameters, BoundFunction function) {
    add(module, name, bound(name, parameters, std::move(function)));
}

double number(Evaluator& evaluator, const Arguments& a, std::size_t i) {
    want_known(a[i]);
    if (a[i].is(ValueKind::Tensor)) {
        Value item = evaluator.call_method(a[i], "item", a.span(i));
        want_known(item);
        return item.as_double();
    }
    if (auto real = evaluator.impl().call_method(a[i], "__float__", {}, a.span(i)))
        return real->as_double();
    return a.real(i);
}

Value integral(double value, Span span) {
    if (std::isnan(value))
        fail(DiagId::BadValue, span, "cannot convert float NaN to integer");
    if (!(std::fabs(value) < 9223372036854775808.0))
        fail(DiagId::IntegerOverflow, span, cat("int(", python_float(value), ")"));
    return Value::integer(static_cast<std::int64_t>(value));
}

using Unary = double (*)(double);
struct Row {
    const char* name;
    Unary function;
    double lowest; // of the domain
    double highest;
};
constexpr double inf = std::numeric_limits<double>::infinity();
double degrees(double x) {
    return x * 180 / 3.14159265358979323846;
}
double radians(double x) {
    return x * 3.14159265358979323846 / 180;
}
const Row rows[] = {
    {"acos", std::acos, -1, 1},        {"acosh", std::acosh, 1, inf},      {"asin", std::asin, -1, 1},
    {"asinh", std::asinh, -inf, inf},  {"atan", std::atan, -inf, inf},     {"atanh", std::atanh, -1, 1},
    {"cos", std::cos, -inf, inf},      {"cosh", std::cosh, -inf, inf},     {"degrees", degrees, -inf, inf},
    {"erf", std::erf, -inf, inf},      {"erfc", std::erfc, -inf, inf},     {"exp", std::exp, -inf, inf},
    {"exp2", std::exp2, -inf, inf},    {"expm1", std::expm1, -inf, inf},   {"fabs", std::fabs, -inf, inf},
    {"gamma", std::tgamma, -inf, inf}, {"lgamma", std::lgamma, -inf, inf}, {"log1p", std::log1p, -1, inf},
    {"log2", std::log2, 0, inf},       {"log10", std::log10, 0, inf},      {"radians", radians, -inf, inf},
    {"sin", std::sin, -inf, inf},      {"sinh", std::sinh, -inf, inf},     {"sqrt", std::sqrt, 0, inf},
    {"tan", std::tan, -inf, inf},      {"tanh", std::tanh, -inf, inf},
};

Value apply(Evaluator& evaluator, const Row& row, Args& args, Span span) {
    Arguments a(args, span, row.name, {"x"});
    double x = number(evaluator, a, 0);
    bool is_log = std::string_view(row.name).starts_with("log");
    if (x < row.lowest || x > row.highest || (is_log && x == row.lowest))
        fail(DiagId::BadValue, a.span(0), "math domain error");
    double result = row.function(x);
    if (std::isinf(result) && std::isfinite(x))
        throw HostError(Diagnostic::make(DiagId::IntegerOverflow, a.span(0), cat(row.name, "(", python_float(x), ")")),
                        {Value::str("math range error")});
    return Value::real(result);
}

Value logarithm(Evaluator& evaluator, const Arguments& a, Span) {
    double x = number(evaluator, a, 0);
    if (x <= 0 || (a.given(1) && number(evaluator, a, 1) <= 0))
        fail(DiagId::BadValue, a.span(0), "math domain error");
    if (!a.given(1))
        return Value::real(std::log(x));
    double base = std::log(number(evaluator, a, 1));
    if (base == 0)
        fail(DiagId::DivisionByZero, a.span(1), "float division");
    return Value::real(std::log(x) / base);
}

template <double (*function)(double)>
Value rounding(Evaluator& evaluator, const Arguments& a, Span) {
    if (a[0].is(ValueKind::Int) || a[0].is(ValueKind::Bool))
        return Value::integer(a[0].as_int());
    return integral(function(number(evaluator, a, 0)), a.span(0));
}

template <class F>
BoundFunction test(F f) {
    return [f](Evaluator& evaluator, const Arguments& a, Span) { return Value::boolean(f(number(evaluator, a, 0))); };
}

template <class F>
BoundFunction binary_real(F f) {
    return [f](Evaluator& evaluator, const Arguments& a, Span span) {
        double x = number(evaluator, a, 0), y = number(evaluator, a, 1);
        return Value::real(f(x, y, span));
    };
}

BoundFunction of_any_number(IntegerFold fold) {
    return [fold](Evaluator&, const Arguments& a, Span span) { return fold(a.rest(), span); };
}
Value factorial(Evaluator& evaluator, const Arguments& a, Span span) {
    if (a.integer(0) < 0)
        fail(DiagId::BadValue, a.span(0), "factorial() not defined for negative values");
    Value result = Value::integer(1);
    for (std::int64_t i = 2; i <= a.integer(0); ++i) {
        evaluator.charge_steps(1, span);
        result = binary(evaluator, ast::BinaryOp::Mul, result, Value::integer(i), span, span);
    }
    return result;
}
Value binomial(Evaluator& evaluator, const Arguments& a, Span span) {
    const std::int64_t n = a.integer(0);
    if (n < 0 || a.integer(1) < 0)
        fail(DiagId::BadValue, span, "comb() wants integers that are not negative");
    const std::int64_t k = std::min(a.integer(1), n - a.integer(1));
    if (k < 0)
        return Value::integer(0);
    Value result = Value::integer(1);
    for (std::int64_t i = 1; i <= k; ++i) {
        evaluator.charge_steps(1, span);
        result = Value::integer(
            binary(evaluator, ast::BinaryOp::Mul, result, Value::integer(n - k + i), span, span).as_int() / i);
    }
    return result;
}
Value integer_root(Evaluator&, const Arguments& a, Span) {
    std::int64_t n = a.integer(0);
    if (n < 0)
        fail(DiagId::BadValue, a.span(0), "isqrt() argument must be nonnegative");
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
    while (root > 0 && root > n / root)
        --root;
    while (root + 1 <= n / (root + 1))
        ++root;
    return Value::integer(root);
}
Value product_of(Evaluator& evaluator, const Arguments& a, Span span) {
    Value result = a.given(1) ? a[1] : Value::integer(1);
    for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
        evaluator.charge_steps(1, span);
        result = binary(evaluator, ast::BinaryOp::Mul, result, item, span, a.span(0));
    }
    return result;
}
Value exact_sum(Evaluator& evaluator, const Arguments& a, Span) {
    long double total = 0;
    for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
        if (!item.is_number())
            fail(DiagId::BadType, a.span(0), cat("must be real number, not ", type_name(item)));
        total += static_cast<long double>(item.as_double());
    }
    return Value::real(static_cast<double>(total));
}
Value is_close(Evaluator& evaluator, const Arguments& a, Span) {
    double x = number(evaluator, a, 0), y = number(evaluator, a, 1);
    if (x == y)
        return Value::boolean(true);
    double limit = std::max(a.real(2, 1e-9) * std::max(std::fabs(x), std::fabs(y)), a.real(3, 0));
    return Value::boolean(std::isfinite(x) && std::isfinite(y) && std::fabs(x - y) <= limit);
}
Value hypotenuse(Evaluator&, const Arguments& a, Span) {
    double sum = 0;
    for (const Value& x : a.rest())
        sum = std::hypot(sum, x.as_double());
    return Value::real(sum);
}
Value fraction(Evaluator& evaluator, const Arguments& a, Span) {
    double whole = 0, part = std::modf(number(evaluator, a, 0), &whole);
    return Value::tuple({Value::real(part), Value::real(whole)});
}
Value mantissa(Evaluator& evaluator, const Arguments& a, Span) {
    int exponent = 0;
    double part = std::frexp(number(evaluator, a, 0), &exponent);
    return Value::tuple({Value::real(part), Value::integer(exponent)});
}

} // namespace

void make_math(Evaluator&, HostModule& module) {
    module.add("pi", Value::real(3.14159265358979323846));
    module.add("e", Value::real(2.71828182845904523536));
    module.add("tau", Value::real(6.28318530717958647692));
    module.add("inf", Value::real(inf));
    module.add("nan", Value::real(std::numeric_limits<double>::quiet_NaN()));
    for (const Row& row : rows)
        add(module, row.name,
            [&row](Evaluator& evaluator, Args& args, Span span) { return apply(evaluator, row, args, span); });
    add(module, "log", {"x", "base="}, logarithm);
    add(module, "ceil", {"x"}, rounding<std::ceil>);
    add(module, "floor", {"x"}, rounding<std::floor>);
    add(module, "trunc", {"x"}, rounding<std::trunc>);
    add(module, "isnan", {"x"}, test([](double x) { return std::isnan(x); }));
    add(module, "isinf", {"x"}, test([](double x) { return std::isinf(x); }));
    add(module, "isfinite", {"x"}, test([](double x) { return std::isfinite(x); }));
    add(module, "pow", {"x", "y"}, binary_real([](double x, double y, Span span) {
            if (x < 0 && y != std::floor(y))
                fail(DiagId::BadValue, span, "math domain error");
            return std::pow(x, y);
        }));
    add(module, "fmod", {"x", "y"}, binary_real([](double x, double y, Span span) {
            if (y == 0)
                fail(DiagId::BadValue, span, "math domain error");
            return std::fmod(x, y);
        }));
    add(module, "atan2", {"x", "y"}, binary_real([](double x, double y, Span) { return std::atan2(x, y); }));
    add(module, "copysign", {"x", "y"}, binary_real([](double x, double y, Span) { return std::copysign(x, y); }));
    add(module, "ldexp", {"x", "y"},
        binary_real([](double x, double y, Span) { return std::ldexp(x, static_cast<int>(y)); }));
    add(module, "comb", {"n", "k"}, binomial);
    add(module, "factorial", {"n"}, factorial);
    add(module, "frexp", {"x"}, mantissa);
    add(module, "fsum", {"iterable"}, exact_sum);
    add(module, "gcd", {"*integers"}, of_any_number(common_divisor));
    add(module, "hypot", {"*coordinates"}, hypotenuse);
    add(module, "isclose", {"a", "b", "*", "rel_tol=", "abs_tol="}, is_close);
    add(module, "isqrt", {"n"}, integer_root);
    add(module, "lcm", {"*integers"}, of_any_number(common_multiple));
    add(module, "modf", {"x"}, fraction);
    add(module, "prod", {"iterable", "*", "start="}, product_of);
}

} // namespace hidet::lang
