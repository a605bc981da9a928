// SPDX-License-Identifier: Apache-2.0
// Elementary functions: the same bits with each instruction set, and near to what the C library says in double.
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <string>

#include "tests/unit/vm/support.h"

using namespace hidet;
using namespace hidet::test;

namespace {

struct MathFunction {
    const char* name;
    double (*reference)(double);
    double lowest, highest;
};

double rsqrt(double x) {
    return 1.0 / std::sqrt(x);
}

const MathFunction functions[] = {
    {"sin", std::sin, -200, 200},    {"cos", std::cos, -200, 200},     {"tan", std::tan, -1.5, 1.5},
    {"exp", std::exp, -87, 88},      {"exp2", std::exp2, -126, 127},   {"log", std::log, 1e-30, 1e30},
    {"log2", std::log2, 1e-30, 1e9}, {"log10", std::log10, 1e-9, 1e9}, {"log1p", std::log1p, -0.9, 10},
    {"tanh", std::tanh, -9, 9},      {"erf", std::erf, -4.5, 4.5},     {"sqrt", std::sqrt, 0, 1e20},
    {"rsqrt", rsqrt, 1e-6, 1e6},     {"sinh", std::sinh, -50, 50},     {"expm1", std::expm1, -5, 5},
    {"atan", std::atan, -50, 50},    {"asin", std::asin, -1, 1},       {"floor", std::floor, -9, 9},
    {"ceil", std::ceil, -9, 9},      {"round", std::round, -9, 9},
};

std::vector<float> run_with(const MathFunction& function, const std::vector<float>& in, vm::VectorIsa isa) {
    KernelText k{.params = "x: *f32[256], y: *f32[256]", .args = "x, y", .block = "256, 1, 1"};
    k.body = std::string("y[threadIdx.x] = math.") + function.name + "(x[threadIdx.x])\n";
    auto program = compile(module_text(k));
    std::vector<float> x = in, y(256);
    vm::Machine machine({.isa = isa});
    REQUIRE(run(program, machine, {map(machine, x, "x"), map(machine, y, "y")}) == "");
    return y;
}

} // namespace

TEST_CASE("functions are those of the host") {
    for (const MathFunction& function : functions)
        SUBCASE(function.name) {
            std::vector<float> x;
            for (int i = 0; i < 256; ++i)
                x.push_back(static_cast<float>(function.lowest + (function.highest - function.lowest) * i / 255));
            std::vector<float> y = run_with(function, x, vm::VectorIsa::Best);
            for (std::size_t i = 0; i < x.size(); ++i) {
                auto expected = static_cast<float>(function.reference(x[i]));
                float unit = std::fabs(std::nextafter(expected, 2 * expected + 1) - expected) + 1e-37f;
                if (!(y[i] == expected || std::fabs(y[i] - expected) <= 2 * unit))
                    FAIL(function.name, "(", x[i], ") is ", y[i], ", not ", expected);
            }
            for (vm::VectorIsa isa : {vm::VectorIsa::V2, vm::VectorIsa::V3, vm::VectorIsa::V4})
                if (vm::has_isa(isa))
                    REQUIRE(std::memcmp(run_with(function, x, isa).data(), y.data(), y.size() * sizeof(float)) == 0);
        }
}
