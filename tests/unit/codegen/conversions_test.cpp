// SPDX-License-Identifier: Apache-2.0
// Every conversion between two types of numbers, at the edges of both: NaN, infinities, both zeros, halves between two values,
// the ends of every range. What it has to be is said here, in the plainest way; the folder of constants, the virtual machine and
// compiled C++ are compared with it. Values of less than a byte are read from packed memory and written to it.
#include <bit>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "compiler/artifact/host_table.h"
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/scalar.h"
#include "compiler/transform/pass.h"
#include "lang/base/text.h"
#include "tests/unit/codegen/loaded.h"
#include "tests/unit/codegen/with_cxx.h"
#include "tests/unit/vm/support.h"

using namespace hidet;
using ir::DType;

namespace {

// ---- what a value of a type is ------------------------------------------------------------------------------------------

using Real = long double; // holds the values of all types
__extension__ typedef __int128 Wide;

struct Number { // of an integer type, or of a float
    bool is_real;
    Wide whole;
    Real real;
};

struct FloatFormat {
    int exponent_bits, digits; // digits after the point
    bool has_infinity;         // what is too large becomes it, else the largest number
    Real largest;
};

FloatFormat format_of(DType dtype) {
    switch (dtype) {
    case DType::F8E4M3: return {4, 3, false, 448};
    case DType::F8E5M2: return {5, 2, false, 57344};
    case DType::F16: return {5, 10, true, 65504};
    case DType::BF16: return {8, 7, true, 0x1.FEp127L};
    case DType::TF32: return {8, 10, true, 0x1.FFCp127L};
    case DType::F32: return {8, 23, true, 0x1.FFFFFEp127L};
    default: return {11, 52, true, std::numeric_limits<double>::max()};
    }
}

// To nearest, of two equally near the even one.
Real rounded(Real value, DType dtype) {
    const FloatFormat format = format_of(dtype);
    if (std::isnan(value) || value == 0)
        return value;
    if (std::isinf(value))
        return format.has_infinity ? value : std::copysign(format.largest, value);
    const int lowest = 2 - (1 << (format.exponent_bits - 1)); // exponent of the smallest normal number
    int exponent = 0;
    std::frexp(value, &exponent);
    const Real step = std::ldexp(Real(1), std::max(exponent - 1, lowest) - format.digits);
    const Real result = std::nearbyint(value / step) * step;
    if (std::fabs(result) <= format.largest)
        return result;
    return std::copysign(format.has_infinity ? std::numeric_limits<Real>::infinity() : format.largest, value);
}

int bits_in(DType dtype) {
    return dtype == DType::Bool ? 1 : ir::info(dtype).bits;
}
bool has_sign(DType dtype) {
    return dtype != DType::Bool && ir::is_signed(dtype);
}

Wide low_bits(Wide value, DType dtype) {
    const Wide size = Wide(1) << bits_in(dtype);
    Wide rest = value % size;
    rest += rest < 0 ? size : 0;
    return has_sign(dtype) && rest >= size / 2 ? rest - size : rest;
}

Wide nearest_end(Real value, DType dtype) { // toward zero
    const Wide high = (Wide(1) << (bits_in(dtype) - (has_sign(dtype) ? 1 : 0))) - 1;
    const Wide low = has_sign(dtype) ? -high - 1 : 0;
    if (std::isnan(value))
        return 0;
    return value <= Real(low) ? low : value >= Real(high) ? high : static_cast<Wide>(value);
}

Number converted(const Number& value, DType from, DType to) {
    if (from == to)
        return value;
    if (to == DType::Bool)
        return {false, value.is_real ? !(value.real == 0) : value.whole != 0, 0};
    if (ir::is_float(to)) {
        if (value.is_real)
            return {true, 0, rounded(value.real, to)};
        const bool is_short = to != DType::F32 && to != DType::F64; // through f64
        const Real wide = is_short ? rounded(Real(value.whole), DType::F64) : Real(value.whole);
        return {true, 0, rounded(wide, to)};
    }
    if (!value.is_real)
        return {false, low_bits(value.whole, to), 0};
    const bool is_narrow = bits_in(to) < 32; // an i32 first
    return {false, low_bits(nearest_end(value.real, is_narrow ? DType::I32 : to), to), 0};
}

// ---- values in memory ---------------------------------------------------------------------------------------------------

constexpr int values_each = 320;

Real decoded(std::uint64_t bits, DType dtype) {
    if (dtype == DType::F64)
        return std::bit_cast<double>(bits);
    if (dtype == DType::F32 || dtype == DType::TF32)
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const FloatFormat format = format_of(dtype);
    const int sign_at = format.exponent_bits + format.digits, bias = (1 << (format.exponent_bits - 1)) - 1;
    const auto fraction = static_cast<int>(bits & ((1u << format.digits) - 1));
    const auto exponent = static_cast<int>(bits >> format.digits & ((1u << format.exponent_bits) - 1));
    const Real sign = bits >> sign_at & 1 ? -1 : 1;
    const int highest = (1 << format.exponent_bits) - 1;
    if (dtype == DType::F8E4M3 && exponent == highest && fraction == 7)
        return std::numeric_limits<Real>::quiet_NaN();
    if (dtype != DType::F8E4M3 && exponent == highest)
        return fraction ? std::numeric_limits<Real>::quiet_NaN() : sign * std::numeric_limits<Real>::infinity();
    const Real size = exponent ? Real((1 << format.digits) + fraction) : Real(fraction);
    return sign * std::ldexp(size, std::max(exponent, 1) - bias - format.digits);
}

std::size_t memory_for(DType dtype) {
    return static_cast<std::size_t>(ir::packed_bytes(dtype, values_each));
}

Number read(const std::vector<unsigned char>& memory, DType dtype, int i) {
    std::uint64_t bits = 0;
    if (ir::is_subbyte(dtype)) { // from the lowest bits of a unit on
        const std::size_t unit = ir::info(dtype).storage == DType::U32 ? 4 : 1;
        const int per_unit = static_cast<int>(8 * unit) / bits_in(dtype);
        std::memcpy(&bits, memory.data() + static_cast<std::size_t>(i / per_unit) * unit, unit);
        return {false, low_bits(static_cast<Wide>(bits >> (i % per_unit * bits_in(dtype))), dtype), 0};
    }
    const auto bytes = static_cast<std::size_t>(ir::info(dtype).bits / 8);
    std::memcpy(&bits, memory.data() + static_cast<std::size_t>(i) * bytes, bytes);
    if (ir::is_float(dtype))
        return {true, 0, decoded(bits, dtype)};
    return {false, low_bits(static_cast<Wide>(bits), dtype), 0};
}

void write_integer(std::vector<unsigned char>& memory, DType dtype, int i, std::uint64_t value) {
    if (!ir::is_subbyte(dtype)) {
        const auto bytes = static_cast<std::size_t>(ir::info(dtype).bits / 8);
        std::memcpy(memory.data() + static_cast<std::size_t>(i) * bytes, &value, bytes);
        return;
    }
    const std::size_t unit = ir::info(dtype).storage == DType::U32 ? 4 : 1;
    const int per_unit = static_cast<int>(8 * unit) / bits_in(dtype), shift = i % per_unit * bits_in(dtype);
    std::uint32_t bits = 0;
    unsigned char* place = memory.data() + static_cast<std::size_t>(i / per_unit) * unit;
    std::memcpy(&bits, place, unit);
    bits |= static_cast<std::uint32_t>(value & ((1u << bits_in(dtype)) - 1)) << shift;
    std::memcpy(place, &bits, unit);
}

// The bits of a float that the type holds.
std::uint64_t encoded(Real value, DType dtype) {
    if (dtype == DType::F64)
        return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    if (dtype == DType::F32 || dtype == DType::TF32)
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const std::uint64_t patterns = std::uint64_t{1} << ir::info(dtype).bits;
    for (std::uint64_t bits = 0; bits < patterns; ++bits) {
        const Real found = decoded(bits, dtype);
        const bool is_it = found == value && std::signbit(found) == std::signbit(value);
        if (is_it || (std::isnan(value) && std::isnan(found)))
            return bits;
    }
    FAIL("no bits for a value");
    return 0;
}

const std::vector<Real>& edges() {
    static const std::vector<Real> values = [] {
        const Real inf = std::numeric_limits<Real>::infinity();
        std::vector<Real> out{0, -0.0L, std::numeric_limits<Real>::quiet_NaN(), inf, -inf};
        const auto add = [&](Real value) { out.push_back(value), out.push_back(-value); };
        for (int bits : {1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64})
            for (Real by : {-1.0L, -0.5L, 0.0L, 0.5L, 1.0L})
                add(std::ldexp(Real(1), bits) + by);
        for (Real value : {0.25L,     0.75L,      2.5L,       13.0L,        448.0L,      456.0L,          464.0L,
                           480.0L,    57344.0L,   61440.0L,   65504.0L,     65519.0L,    65520.0L,        0x1p-24L,
                           0x1p-25L,  0x1.8p-25L, 0x1p-14L,   0x1.ffcp-15L, 0x1p-9L,     0x1p-10L,        0x1.8p-10L,
                           0x1p-16L,  0x1p-17L,   0x1p-126L,  0x1p-133L,    0x1p-134L,   0x1p-149L,       0x1.01p0L,
                           0x1.03p0L, 0x1.002p0L, 0x1.006p0L, 0x1.FEp127L,  0x1.FFp127L, 0x1.FFFFFEp127L, 1e300L})
            add(value);
        return out;
    }();
    return values;
}

std::vector<unsigned char> inputs(DType dtype) {
    std::vector<unsigned char> memory(memory_for(dtype));
    const int width = bits_in(dtype);
    for (int i = 0; i < values_each; ++i) {
        const Real edge = edges()[static_cast<std::size_t>(i) % edges().size()];
        std::uint64_t bits = static_cast<std::uint64_t>(i) & ((std::uint64_t{1} << std::min(width, 62)) - 1);
        if (width > 8)
            bits =
                ir::is_float(dtype)
                    ? encoded(rounded(edge, dtype), dtype)
                    : static_cast<std::uint64_t>(low_bits(nearest_end(edge, i % 2 ? DType::I64 : DType::U64), dtype));
        write_integer(memory, dtype, i, bits);
    }
    return memory;
}

std::string text_of(const Number& number) {
    return number.is_real ? cat(static_cast<double>(number.real)) : cat(static_cast<std::int64_t>(number.whole));
}

bool is_same(const Number& a, const Number& b) {
    if (!a.is_real)
        return a.whole == b.whole;
    return (std::isnan(a.real) && std::isnan(b.real)) ||
           (a.real == b.real && std::signbit(a.real) == std::signbit(b.real));
}

std::vector<DType> number_types() {
    std::vector<DType> out;
    for (const ir::DTypeInfo& row : ir::all_dtypes())
        if (!ir::has_lanes(row.dtype))
            out.push_back(row.dtype);
    return out;
}

void compare(const std::vector<unsigned char>& x, DType from, const std::vector<unsigned char>& y, DType to) {
    for (int i = 0; i < values_each; ++i) {
        const Number value = read(x, from, i), expected = converted(value, from, to), actual = read(y, to, i);
        if (!is_same(expected, actual))
            FAIL(cat(ir::info(from).name, " ", text_of(value), " as ", ir::info(to).name, " is ", text_of(actual),
                     ", not ", text_of(expected)));
    }
}

// ---- who converts -------------------------------------------------------------------------------------------------------

ir::ScalarValue value_of(const Number& number) {
    ir::ScalarValue out;
    if (number.is_real)
        out.d = static_cast<double>(number.real);
    else
        out.i = static_cast<std::int64_t>(number.whole);
    return out;
}

// A public function for each type: x becomes one array of every other type.
std::string module_text(const std::vector<DType>& types) {
    std::string text = "module 'test' level loop\n";
    for (DType from : types) {
        std::string params = cat("x: *", ir::info(from).short_name, "[", values_each, "]"), body;
        for (DType to : types) {
            params += cat(", y", ir::info(to).short_name, ": *", ir::info(to).short_name, "[", values_each, "]");
            body += cat("        y", ir::info(to).short_name, "[i] = cast(x[i], ", ir::info(to).short_name, ")\n");
            if (to == from)
                body.replace(body.rfind("cast("), std::string::npos, "x[i]\n");
        }
        text += cat("\ndef from_", ir::info(from).short_name, "(", params,
                    "):\n    attrs.func_kind = 'public'\n    for i in range(", values_each, "):\n", body);
    }
    return text;
}

using Outputs = std::map<DType, std::vector<unsigned char>>;
Outputs outputs(const std::vector<DType>& types) {
    Outputs out;
    for (DType dtype : types)
        out[dtype].assign(memory_for(dtype), 0xff);
    return out;
}

void compare_all(const std::vector<unsigned char>& x, DType from, const Outputs& results) {
    for (const auto& [to, y] : results)
        compare(x, from, y, to);
}

} // namespace

TEST_CASE("constants are converted as the types say") {
    for (DType from : number_types()) {
        const std::vector<unsigned char> x = inputs(from);
        for (DType to : number_types())
            for (int i = 0; i < values_each; ++i) {
                const Number value = read(x, from, i), expected = converted(value, from, to);
                const ir::ScalarValue result = ir::converted(value_of(value), from, to);
                Number actual{ir::is_float(to), result.i, 0};
                if (actual.is_real)
                    actual.real = result.d;
                if (to == DType::U64)
                    actual.whole = static_cast<std::uint64_t>(result.i);
                if (!is_same(expected, actual))
                    FAIL(cat(ir::info(from).name, " ", text_of(value), " as ", ir::info(to).name, " is ",
                             text_of(actual), ", not ", text_of(expected)));
            }
    }
}

TEST_CASE("the virtual machine converts as the types say") {
    const std::vector<DType> types = number_types();
    const artifact::Program program = test::compile(module_text(types));
    for (DType from : types) {
        std::vector<unsigned char> x = inputs(from);
        Outputs results = outputs(types);
        vm::Machine machine(vm::MachineOptions{});
        std::vector<vm::Argument> args{test::map(machine, x, "x", {}, Device::Cpu)};
        for (DType to : types)
            args.push_back(test::map(machine, results[to], "y", {}, Device::Cpu));
        REQUIRE(test::run(program, machine, args, cat("from_", ir::info(from).short_name)) == "");
        compare_all(x, from, results);
    }
}

// Threads of a block write values that share a unit.
TEST_CASE("threads of a kernel convert and pack as the types say") {
    const std::vector<DType> types = number_types();
    for (DType from : types) {
        test::KernelText kernel{.params = cat("x: *", ir::info(from).short_name, "[", values_each, "]"),
                                .args = "x",
                                .block = cat(values_each, ", 1, 1")};
        for (DType to : types) {
            const std::string type = ir::info(to).short_name, place = cat("y", type, "[threadIdx.x]");
            kernel.params += cat(", y", type, ": *", type, "[", values_each, "]");
            kernel.args += cat(", y", type);
            kernel.body +=
                cat(place, " = ", to == from ? "x[threadIdx.x]" : cat("cast(x[threadIdx.x], ", type, ")"), "\n");
        }
        const artifact::Program program = test::compile(test::module_text(kernel));
        std::vector<unsigned char> x = inputs(from);
        Outputs results = outputs(types);
        vm::Machine machine(vm::MachineOptions{});
        std::vector<vm::Argument> args{test::map(machine, x, "x")};
        for (DType to : types)
            args.push_back(test::map(machine, results[to], "y"));
        REQUIRE(test::run(program, machine, args) == "");
        compare_all(x, from, results);
    }
}

TEST_CASE_FIXTURE(test::WithCxx, "compiled C++ converts as the types say") {
    if (is_skipped())
        return;
    const std::vector<DType> types = number_types();
    DiagnosticSink sink;
    compiler::LowerOptions options;
    options.verify = true;
    const ir::ModuleRef lowered = compiler::lower(test::parsed_module(module_text(types)), options, sink);
    REQUIRE(lowered);
    const auto source = compiler::generate_cpp(lowered, sink);
    REQUIRE(source.has_value());
    test::Loaded code(compiler, source->text, {"-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused"});
    hidet_host host{};
    for (DType from : types) {
        std::vector<unsigned char> x = inputs(from);
        Outputs results = outputs(types);
        std::vector<void*> values{x.data()};
        for (DType to : types)
            values.push_back(results[to].data());
        std::vector<void*> args;
        for (void*& value : values)
            args.push_back(&value);
        for (const artifact::EntryPoint& entry : source->entries)
            if (entry.name == cat("from_", ir::info(from).short_name))
                code.find<void (*)(const hidet_host*, void* const*, void*)>(entry.symbol)(&host, args.data(), nullptr);
        compare_all(x, from, results);
    }
}
