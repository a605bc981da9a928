// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/graph/interpret.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "lang/base/ranges.h"
#include "lang/base/scalar.h"
#include "lang/tensor/elements.h"

namespace hidet::test {

using namespace graph;
using ir::DType;

namespace {

// The member of the class of the type: integers and bools in one, floats in the other.
struct Number {
    std::int64_t i = 0;
    double d = 0;
};

struct Buffer {
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::vector<Number> elements;
};

Number of_integer(std::int64_t value, DType dtype) {
    return {ir::wrap_to(value, dtype), 0};
}
Number of_float(double value, DType dtype) {
    return {0, ir::round_to(value, dtype)};
}

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (std::int64_t extent : shape)
        count *= extent;
    return count;
}

bool next_index(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& shape) {
    for (std::size_t d = index.size(); d-- > 0;) {
        if (++index[d] < shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

std::int64_t integer_of(double value, DType dtype) {
    switch (dtype) {
    case DType::U64: return static_cast<std::int64_t>(scalar::saturate<std::uint64_t>(value));
    case DType::I64: return scalar::saturate<std::int64_t>(value);
    case DType::U32: return scalar::saturate<std::uint32_t>(value);
    case DType::Bool: return value != 0;
    default: return ir::wrap_to(scalar::saturate<std::int32_t>(value), dtype);
    }
}

// An expression with what is the same at each of its evaluations, of which there are millions.
struct Code {
    ir::ExprRef expr;
    DType dtype = DType::Bool;
    Number* var = nullptr;          // that it reads, or defines
    const Buffer* buffer = nullptr; // whose element it reads
    Number constant;
    std::vector<Code> args;

    DType from() const { return args[0].dtype; }
};

class Evaluation {
public:
    Evaluation(const Task& task, const SymbolValues& symbols) : m_task(task), m_symbols(symbols) {}

    void set(const ir::VarRef& tensor, Buffer buffer) { m_tensors[tensor.get()] = std::move(buffer); }
    const Buffer& get(const ir::VarRef& tensor) const { return m_tensors.at(tensor.get()); }

    void run() {
        for (const Stage& stage : m_task.stages)
            run(stage);
    }

private:
    const Task& m_task;
    const SymbolValues& m_symbols;
    std::unordered_map<const ir::Var*, Buffer> m_tensors;
    std::unordered_map<const ir::Var*, Number> m_vars;

    std::int64_t integer(const ir::ExprRef& expr) { return eval(code_of(expr)).i; }

    Code code_of(const ir::ExprRef& expr) {
        Code code;
        code.expr = expr;
        if (const auto dtype = ir::scalar_of(expr->type))
            code.dtype = *dtype;
        const auto take = [&](const ir::ExprVec& args) {
            for (const ir::ExprRef& arg : args)
                code.args.push_back(code_of(arg));
        };
        switch (expr->kind) {
        case ir::Kind::Var: code.var = &m_vars[ir::as<ir::Var>(expr)]; break;
        case ir::Kind::SymbolVar: code.constant.i = m_symbols.at(ir::as<ir::SymbolVar>(expr)->name); break;
        case ir::Kind::Constant: code.constant = constant(*ir::as<ir::Constant>(expr)); break;
        case ir::Kind::Unary: take({ir::as<ir::Unary>(expr)->a}); break;
        case ir::Kind::Binary: take({ir::as<ir::Binary>(expr)->a, ir::as<ir::Binary>(expr)->b}); break;
        case ir::Kind::TensorElement:
            code.buffer = &m_tensors.at(ir::as<ir::Var>(ir::as<ir::TensorElement>(expr)->base));
            take(ir::as<ir::TensorElement>(expr)->indices);
            break;
        case ir::Kind::Select: {
            const auto& select = *ir::as<ir::Select>(expr);
            take({select.condition, select.a, select.b});
            break;
        }
        case ir::Kind::Cast: take({ir::as<ir::Cast>(expr)->a}); break;
        case ir::Kind::Let: {
            const auto& let = *ir::as<ir::Let>(expr);
            code.var = &m_vars[let.var.get()];
            take({let.value, let.body});
            break;
        }
        case ir::Kind::Intrinsic: take(ir::as<ir::Intrinsic>(expr)->args); break;
        default: throw std::runtime_error("an expression that compute definitions do not have");
        }
        return code;
    }

    void run(const Stage& stage) {
        Buffer buffer;
        buffer.dtype = dtype_of(stage.tensor);
        for (const ir::ExprRef& extent : graph::shape_of(stage.tensor))
            buffer.shape.push_back(integer(extent));
        buffer.elements.resize(static_cast<std::size_t>(count_of(buffer.shape)));
        const Code value = code_of(stage.value);
        std::vector<std::int64_t> index(buffer.shape.size());
        for (Number& element : buffer.elements) {
            for (std::size_t d = 0; d < index.size(); ++d)
                m_vars[stage.axes[d].get()] = {index[d], 0};
            const DType from = stage.reduction ? result_type(*stage.reduction) : value.dtype;
            element = convert(stage.reduction ? reduced(*stage.reduction, value) : eval(value), from, buffer.dtype);
            next_index(index, buffer.shape);
        }
        set(stage.tensor, std::move(buffer));
    }

    static bool is_arg(const Reduction& reduction) {
        return reduction.op == ReduceOp::ArgMax || reduction.op == ReduceOp::ArgMin;
    }
    static DType result_type(const Reduction& reduction) {
        return is_arg(reduction) ? DType::I64 : reduction.accumulate;
    }

    static Number identity(ReduceOp op, DType dtype) {
        const bool is_float = ir::is_float(dtype);
        const double infinity = std::numeric_limits<double>::infinity();
        switch (op) {
        case ReduceOp::Prod: return is_float ? Number{0, 1} : Number{1, 0};
        case ReduceOp::And: return {1, 1};
        case ReduceOp::Max: return is_float ? Number{0, -infinity} : of_integer(ir::integer_range(dtype).lowest, dtype);
        case ReduceOp::Min:
            return is_float ? Number{0, infinity}
                            : of_integer(static_cast<std::int64_t>(ir::integer_range(dtype).highest), dtype);
        default: return {};
        }
    }

    static bool is_less(const Number& a, const Number& b, DType dtype) {
        if (ir::is_float(dtype))
            return a.d < b.d;
        return ir::is_signed(dtype) ? a.i < b.i : static_cast<std::uint64_t>(a.i) < static_cast<std::uint64_t>(b.i);
    }

    static Number extreme(const Number& a, const Number& b, bool is_max, DType dtype) {
        if (ir::is_float(dtype) && std::isnan(a.d))
            return a;
        if (ir::is_float(dtype) && std::isnan(b.d))
            return b;
        return is_max == is_less(a, b, dtype) ? b : a;
    }

    static Number combined(ReduceOp op, const Number& a, const Number& b, DType dtype) {
        const bool is_float = ir::is_float(dtype);
        switch (op) {
        case ReduceOp::Sum:
            return is_float ? of_float(a.d + b.d, dtype)
                            : of_integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.i) +
                                                                   static_cast<std::uint64_t>(b.i)),
                                         dtype);
        case ReduceOp::Prod:
            return is_float ? of_float(a.d * b.d, dtype)
                            : of_integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.i) *
                                                                   static_cast<std::uint64_t>(b.i)),
                                         dtype);
        case ReduceOp::Max: return extreme(a, b, true, dtype);
        case ReduceOp::Min: return extreme(a, b, false, dtype);
        case ReduceOp::And: return {a.i != 0 && b.i != 0, 0};
        default: return {a.i != 0 || b.i != 0, 0};
        }
    }

    static bool is_better(const Reduction& reduction, const Number& candidate, const Number& best) {
        const DType dtype = reduction.accumulate;
        if (ir::is_float(dtype) && (std::isnan(candidate.d) || std::isnan(best.d)))
            return std::isnan(candidate.d) && (reduction.last || !std::isnan(best.d));
        const bool is_max = reduction.op == ReduceOp::ArgMax;
        if (is_max ? is_less(best, candidate, dtype) : is_less(candidate, best, dtype))
            return true;
        return reduction.last && !is_less(candidate, best, dtype) && !is_less(best, candidate, dtype);
    }

    Number reduced(const Reduction& reduction, const Code& code) {
        std::vector<std::int64_t> extents;
        for (const ir::ExprRef& extent : reduction.extents)
            extents.push_back(integer(extent));
        Number result = is_arg(reduction) ? Number{} : identity(reduction.op, reduction.accumulate);
        for (std::int64_t extent : extents)
            if (extent <= 0)
                return result;
        std::vector<std::int64_t> index(extents.size());
        const std::vector<Number*> axes =
            transformed(reduction.axes, [&](const ir::VarRef& axis) { return &m_vars[axis.get()]; });
        std::optional<Number> best;
        do {
            for (std::size_t d = 0; d < index.size(); ++d)
                *axes[d] = {index[d], 0};
            const Number value = convert(eval(code), code.dtype, reduction.accumulate);
            if (!is_arg(reduction)) {
                result = combined(reduction.op, result, value, reduction.accumulate);
            } else if (!best || is_better(reduction, value, *best)) {
                best = value;
                result = {index[0], 0};
            }
        } while (next_index(index, extents));
        return result;
    }

    static Number convert(const Number& value, DType from, DType to) {
        if (from == to)
            return value;
        if (ir::is_float(from))
            return ir::is_float(to) ? of_float(value.d, to) : of_integer(integer_of(value.d, to), to);
        if (!ir::is_float(to))
            return to == DType::Bool ? Number{value.i != 0, 0} : of_integer(value.i, to);
        return of_float(from == DType::U64 ? static_cast<double>(static_cast<std::uint64_t>(value.i))
                                           : static_cast<double>(value.i),
                        to);
    }

    Number eval(const Code& code) {
        switch (code.expr->kind) {
        case ir::Kind::Var: return *code.var;
        case ir::Kind::Unary: return unary(code);
        case ir::Kind::Binary: return binary(code);
        case ir::Kind::TensorElement: return element(code);
        case ir::Kind::Select: return eval(code.args[eval(code.args[0]).i != 0 ? 1 : 2]);
        case ir::Kind::Cast: return convert(eval(code.args[0]), code.from(), code.dtype);
        case ir::Kind::Let: *code.var = eval(code.args[0]); return eval(code.args[1]);
        case ir::Kind::Intrinsic: return intrinsic(code);
        default: return code.constant;
        }
    }

    static Number constant(const ir::Constant& constant) {
        if (const auto* value = std::get_if<std::int64_t>(&constant.value))
            return {*value, 0};
        return {0, std::get<double>(constant.value)};
    }

    Number unary(const Code& code) {
        const auto& expr = *ir::as<ir::Unary>(code.expr);
        const Number a = eval(code.args[0]);
        const DType dtype = code.from();
        if (expr.op == ir::UnOp::Not)
            return {a.i == 0, 0};
        if (expr.op == ir::UnOp::BitNot)
            return of_integer(~a.i, dtype);
        return ir::is_float(dtype) ? Number{0, -a.d}
                                   : of_integer(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a.i)), dtype);
    }

    Number element(const Code& code) {
        std::int64_t slot = 0;
        for (std::size_t d = 0; d < code.args.size(); ++d) {
            const std::int64_t index = eval(code.args[d]).i, extent = code.buffer->shape.at(d);
            if (index < 0 || index >= extent)
                FAIL("index ", std::to_string(index), " of dimension ", std::to_string(d), " of ",
                     ir::as<ir::Var>(ir::as<ir::TensorElement>(code.expr)->base)->name, " is out of bounds in ",
                     text_of(m_task));
            slot = slot * extent + index;
        }
        return code.buffer->elements[static_cast<std::size_t>(slot)];
    }

    Number binary(const Code& code) {
        using enum ir::BinOp;
        const auto& expr = *ir::as<ir::Binary>(code.expr);
        const Number a = eval(code.args[0]);
        if (expr.op == And && a.i == 0)
            return {0, 0};
        if (expr.op == Or && a.i != 0)
            return {1, 0};
        const Number b = eval(code.args[1]);
        const DType dtype = code.from();
        if (expr.op == And || expr.op == Or)
            return {b.i != 0, 0};
        if (expr.op == Lt)
            return {is_less(a, b, dtype), 0};
        const bool is_equal = ir::is_float(dtype) ? a.d == b.d : a.i == b.i;
        if (expr.op == Le)
            return {is_equal || is_less(a, b, dtype), 0};
        if (expr.op == Eq || expr.op == Ne)
            return {is_equal == (expr.op == Eq), 0};
        return ir::is_float(dtype) ? of_float(float_arithmetic(expr.op, a.d, b.d), dtype)
                                   : of_integer(integer_arithmetic(expr.op, a.i, b.i, dtype), dtype);
    }

    static double float_arithmetic(ir::BinOp op, double a, double b) {
        switch (op) {
        case ir::BinOp::Add: return a + b;
        case ir::BinOp::Sub: return a - b;
        case ir::BinOp::Mul: return a * b;
        case ir::BinOp::Div: return a / b;
        case ir::BinOp::Mod: return std::fmod(a, b);
        case ir::BinOp::FloorDiv: return scalar::FloorDivOp::apply(a, b);
        case ir::BinOp::FloorMod: return scalar::FloorModOp::apply(a, b);
        default: throw std::runtime_error("an operator that floats do not have");
        }
    }

    static std::int64_t integer_arithmetic(ir::BinOp op, std::int64_t a, std::int64_t b, DType dtype) {
        const auto x = static_cast<std::uint64_t>(a);
        const auto y = static_cast<std::uint64_t>(b);
        const bool divides =
            op == ir::BinOp::Div || op == ir::BinOp::Mod || op == ir::BinOp::FloorDiv || op == ir::BinOp::FloorMod;
        if (divides && b == 0)
            FAIL("a division by zero");
        if (divides && !ir::is_signed(dtype))
            return static_cast<std::int64_t>(op == ir::BinOp::Div || op == ir::BinOp::FloorDiv ? x / y : x % y);
        switch (op) {
        case ir::BinOp::Add: return static_cast<std::int64_t>(x + y);
        case ir::BinOp::Sub: return static_cast<std::int64_t>(x - y);
        case ir::BinOp::Mul: return static_cast<std::int64_t>(x * y);
        case ir::BinOp::Div: return scalar::DivOp::apply(a, b);
        case ir::BinOp::Mod: return scalar::ModOp::apply(a, b);
        case ir::BinOp::FloorDiv: return scalar::FloorDivOp::apply(a, b);
        case ir::BinOp::FloorMod: return scalar::FloorModOp::apply(a, b);
        case ir::BinOp::BitAnd: return a & b;
        case ir::BinOp::BitOr: return a | b;
        case ir::BinOp::BitXor: return a ^ b;
        case ir::BinOp::Shl: return b < 64 ? static_cast<std::int64_t>(x << b) : 0;
        case ir::BinOp::Shr:
            return ir::is_signed(dtype) ? a >> std::min<std::int64_t>(b, 63)
                                        : (b < 64 ? static_cast<std::int64_t>(x >> b) : 0);
        default: throw std::runtime_error("an operator that integers do not have");
        }
    }

    Number intrinsic(const Code& code) {
        const auto& expr = *ir::as<ir::Intrinsic>(code.expr);
        const DType dtype = code.from();
        const Number a = eval(code.args[0]);
        const Number b = code.args.size() > 1 ? eval(code.args[1]) : Number{};
        if (!ir::is_float(dtype))
            return integer_function(expr.id, a, b, dtype);
        switch (expr.id) {
        case ir::IntrinsicId::IsNan: return {std::isnan(a.d), 0};
        case ir::IntrinsicId::IsInf: return {std::isinf(a.d), 0};
        case ir::IntrinsicId::IsFinite: return {std::isfinite(a.d), 0};
        case ir::IntrinsicId::Fma: return of_float(std::fma(a.d, b.d, eval(code.args[2]).d), dtype);
        default: return of_float(float_function(expr.id, a.d, b.d), dtype);
        }
    }

    static Number integer_function(ir::IntrinsicId id, const Number& a, const Number& b, DType dtype) {
        switch (id) {
        case ir::IntrinsicId::Min: return is_less(b, a, dtype) ? b : a;
        case ir::IntrinsicId::Max: return is_less(a, b, dtype) ? b : a;
        case ir::IntrinsicId::Abs: return ir::is_signed(dtype) && a.i < 0 ? of_integer(-a.i, dtype) : a;
        default: throw std::runtime_error("a function that integers do not have");
        }
    }

    static double float_function(ir::IntrinsicId id, double a, double b) {
        using enum ir::IntrinsicId;
        switch (id) {
        case Sin: return std::sin(a);
        case Cos: return std::cos(a);
        case Tan: return std::tan(a);
        case Sinh: return std::sinh(a);
        case Cosh: return std::cosh(a);
        case Tanh: return std::tanh(a);
        case Asin: return std::asin(a);
        case Acos: return std::acos(a);
        case Atan: return std::atan(a);
        case Asinh: return std::asinh(a);
        case Acosh: return std::acosh(a);
        case Atanh: return std::atanh(a);
        case Exp: return std::exp(a);
        case Exp2: return std::exp2(a);
        case Expm1: return std::expm1(a);
        case Erf: return std::erf(a);
        case Sqrt: return std::sqrt(a);
        case Rsqrt: return 1 / std::sqrt(a);
        case Log: return std::log(a);
        case Log2: return std::log2(a);
        case Log10: return std::log10(a);
        case Log1p: return std::log1p(a);
        case Round: return std::round(a);
        case Abs: return std::fabs(a);
        case Ceil: return std::ceil(a);
        case Floor: return std::floor(a);
        case Trunc: return std::trunc(a);
        case Min: return std::fmin(a, b);
        case Max: return std::fmax(a, b);
        case Pow: return std::pow(a, b);
        case Atan2: return std::atan2(a, b);
        default: throw std::runtime_error("a function that compute definitions do not have");
        }
    }
};

Buffer buffer_of(const lang::TensorRef& tensor) {
    Buffer buffer{tensor->dtype, tensor->shape, {}};
    if (ir::is_float(tensor->dtype))
        for (double value : lang::read_doubles(*tensor))
            buffer.elements.push_back({0, value});
    else
        for (std::int64_t value : lang::read_integers(*tensor))
            buffer.elements.push_back({value, 0});
    return buffer;
}

lang::TensorRef empty_tensor(DType dtype, std::vector<std::int64_t> shape) {
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    tensor->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(tensor->count() * ir::bytes_of(dtype)));
    return tensor;
}

lang::TensorRef tensor_of(const Buffer& buffer) {
    const lang::TensorRef tensor = empty_tensor(buffer.dtype, buffer.shape);
    lang::Doubles doubles;
    lang::Integers integers;
    for (const Number& number : buffer.elements) {
        doubles.push_back(number.d);
        integers.push_back(number.i);
    }
    if (ir::is_float(buffer.dtype))
        lang::write_doubles(*tensor, doubles);
    else
        lang::write_integers(*tensor, integers);
    return tensor;
}

class CountedSymbols : public FreshSymbols {
public:
    Dim fresh(std::string_view hint) override { return symbol_dim(std::string(hint) + std::to_string(m_next++)); }

private:
    int m_next = 0;
};

OpCall call_of(const OpInfo& op, const std::vector<lang::TensorRef>& inputs, const Attributes& attributes) {
    OpCall call(op, {}, attributes);
    for (const lang::TensorRef& input : inputs)
        call.inputs.push_back({input->dtype, graph::shape_of(input->shape)});
    return call;
}

std::vector<lang::TensorRef> run_on_host(const OpCall& call, const std::vector<lang::TensorRef>& inputs) {
    CountedSymbols symbols;
    const std::vector<TensorSpec> specs = call.op->infer(call, symbols);
    std::vector<lang::TensorRef> results = call.op->run({call, inputs});
    REQUIRE(results.size() == specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i) {
        REQUIRE(results[i]->dtype == specs[i].dtype);
        REQUIRE(results[i]->shape.size() == specs[i].shape.size());
        for (std::size_t d = 0; d < specs[i].shape.size(); ++d)
            if (const auto extent = constant_of(specs[i].shape[d]))
                REQUIRE(results[i]->shape[d] == *extent);
    }
    return results;
}

} // namespace

std::vector<lang::TensorRef> evaluate(const Task& task, const std::vector<lang::TensorRef>& inputs,
                                      const SymbolValues& symbols) {
    Evaluation evaluation(task, symbols);
    REQUIRE(inputs.size() == task.inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        evaluation.set(task.inputs[i], buffer_of(inputs[i]));
    evaluation.run();
    std::vector<lang::TensorRef> results;
    for (const ir::VarRef& output : task.outputs)
        results.push_back(tensor_of(evaluation.get(output)));
    return results;
}

std::vector<lang::TensorRef> apply(const OpInfo& op, const std::vector<lang::TensorRef>& inputs,
                                   const Attributes& attributes) {
    const OpCall call = call_of(op, inputs, attributes);
    return op.define ? evaluate(op.define(call), inputs) : run_on_host(call, inputs);
}

lang::TensorRef tensor(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
    const lang::TensorRef made = empty_tensor(dtype, std::move(shape));
    REQUIRE(static_cast<std::size_t>(made->count()) == values.size());
    if (ir::is_float(dtype))
        lang::write_doubles(*made, values);
    else
        lang::write_integers(*made, lang::Integers(values.begin(), values.end()));
    return made;
}

lang::TensorRef random_tensor(DType dtype, std::vector<std::int64_t> shape, std::uint64_t seed) {
    std::vector<double> values(static_cast<std::size_t>(count_of(shape)));
    std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    for (double& value : values) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto bits = static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
        value = ir::is_float(dtype) ? bits * 2 - 1 : std::floor(bits * 17) - (ir::is_signed(dtype) ? 8 : 0);
        if (dtype == DType::Bool)
            value = bits < 0.5;
    }
    return tensor(dtype, std::move(shape), values);
}

std::vector<double> values_of(const lang::TensorRef& tensor) {
    if (ir::is_float(tensor->dtype))
        return lang::read_doubles(*tensor);
    const lang::Integers integers = lang::read_integers(*tensor);
    return {integers.begin(), integers.end()};
}

std::string blocker_of(const OpInfo& op, const std::vector<TensorSpec>& inputs, const Attributes& attributes) {
    CountedSymbols symbols;
    try {
        const OpCall call(op, inputs, attributes);
        if (op.define)
            op.define(call);
        else
            op.infer(call, symbols);
    } catch (const OpError& error) {
        return error.what();
    }
    return {};
}

void expect_close(const lang::TensorRef& actual, const std::vector<double>& expected, double tolerance) {
    const std::vector<double> values = values_of(actual);
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]) && std::isnan(expected[i]))
            continue;
        const bool is_close = values[i] == expected[i] ||
                              (std::isfinite(expected[i]) &&
                               std::fabs(values[i] - expected[i]) <= tolerance * (1 + std::fabs(expected[i])));
        if (!is_close)
            FAIL("element ", std::to_string(i), " is ", std::to_string(values[i]), ", expected ",
                 std::to_string(expected[i]));
    }
}

} // namespace hidet::test
