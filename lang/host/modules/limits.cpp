// SPDX-License-Identifier: Apache-2.0
#include "lang/host/modules/limits.h"

#include <limits>

#include "lang/host/arguments.h"
#include "lang/host/boxed.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

namespace {

// From 1 to the next number of the type.
double epsilon_of(ir::DType dtype) {
    double step = 1;
    while (ir::round_to(1 + step / 2, dtype) == 1 + step / 2 && 1 + step / 2 > 1)
        step /= 2;
    return step;
}

// The smallest power of two whose next number is as near as that of 1, in proportion. Those of double cannot be told
// from what rounds to them.
double smallest_normal_of(ir::DType dtype) {
    if (dtype == ir::DType::F64)
        return std::numeric_limits<double>::min();
    const double next = 1 + epsilon_of(dtype);
    double power = 1;
    while (ir::round_to(power / 2 * next, dtype) == power / 2 * next)
        power /= 2;
    return power;
}

class Limits final : public NativeObject {
public:
    explicit Limits(ir::DType dtype) : m_dtype(dtype) {}
    std::string type_name() const override { return ir::is_float(m_dtype) ? "finfo" : "iinfo"; }
    std::vector<std::string> attributes() const override {
        if (ir::is_float(m_dtype))
            return {"bits", "dtype", "eps", "max", "min", "smallest_normal", "tiny"};
        return {"bits", "dtype", "max", "min"};
    }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        if (name == "bits")
            return boxed(Value::integer(ir::info(m_dtype).bits));
        if (name == "dtype")
            return boxed(Value::type(ir::data_type(m_dtype)));
        return ir::is_float(m_dtype) ? of_float(name) : of_integer(name);
    }

private:
    std::unique_ptr<Value> of_float(std::string_view name) const {
        if (name == "max" || name == "min")
            return boxed(Value::real(name == "max" ? ir::float_max(m_dtype) : -ir::float_max(m_dtype)));
        if (name == "eps")
            return boxed(Value::real(epsilon_of(m_dtype)));
        if (name == "smallest_normal" || name == "tiny")
            return boxed(Value::real(smallest_normal_of(m_dtype)));
        return nullptr;
    }
    std::unique_ptr<Value> of_integer(std::string_view name) const {
        const ir::IntegerRange range = ir::integer_range(m_dtype);
        if (name == "min")
            return boxed(Value::integer(range.lowest));
        if (name != "max")
            return nullptr;
        if (m_dtype == ir::DType::U64)
            return boxed(Value::real(static_cast<double>(range.highest)));
        return boxed(Value::integer(static_cast<std::int64_t>(range.highest)));
    }

    ir::DType m_dtype;
};

Value limits(Args& args, Span span, const char* name, bool (*has)(ir::DType), const char* wanted) {
    Arguments a(args, span, name, {"dtype"});
    const ir::DType dtype = dtype_argument(a[0], a.span(0));
    if (!has(dtype))
        fail(DiagId::WrongArgumentType, a.span(0), name, wanted, "dtype", ir::info(dtype).name);
    return limits_of(dtype);
}

} // namespace

bool has_float_limits(ir::DType dtype) {
    return ir::is_float(dtype);
}

bool has_integer_limits(ir::DType dtype) {
    return dtype != ir::DType::Bool && (ir::is_integer(dtype) || ir::is_subbyte(dtype));
}

Value limits_of(ir::DType dtype) {
    return new_extension<Limits>(dtype);
}

Value float_limits(Evaluator&, Args& args, Span span) {
    return limits(args, span, "finfo", has_float_limits, "a floating-point type");
}

Value integer_limits(Evaluator&, Args& args, Span span) {
    return limits(args, span, "iinfo", has_integer_limits, "an integer type");
}

} // namespace hidet::lang
