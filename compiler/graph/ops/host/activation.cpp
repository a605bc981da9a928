// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/activation.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "compiler/graph/core/shape.h"

namespace hidet::graph {

namespace {

struct Row {
    const char* name;
    double (*function)(double x, double alpha, double beta);
    bool has_alpha;
    bool has_beta;
    double alpha; // default
    double beta;
};

const Row rows[] = {
    {"affine", [](double x, double a, double b) { return a * x + b; }, true, true, 1, 0},
    {"elu", [](double x, double a, double) { return x >= 0 ? x : a * std::expm1(x); }, true, false, 1, 0},
    {"hardsigmoid", [](double x, double a, double b) { return std::min(std::max(a * x + b, 0.0), 1.0); }, true, true,
     0.2, 0.5},
    {"leakyrelu", [](double x, double a, double) { return x >= 0 ? x : a * x; }, true, false, 0.01, 0},
    {"relu", [](double x, double, double) { return x < 0 ? 0 : x; }, false, false, 0, 0},
    {"scaledtanh", [](double x, double a, double b) { return a * std::tanh(b * x); }, true, true, 1, 1},
    {"sigmoid", [](double x, double, double) { return 1 / (1 + std::exp(-x)); }, false, false, 0, 0},
    {"softplus",
     [](double x, double, double) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }, false,
     false, 0, 0},
    {"softsign", [](double x, double, double) { return x / (1 + std::fabs(x)); }, false, false, 0, 0},
    {"tanh", [](double x, double, double) { return std::tanh(x); }, false, false, 0, 0},
    {"thresholdedrelu", [](double x, double a, double) { return x >= a ? x : 0; }, true, false, 1, 0},
};

// Names are compared without regard to case.
const Row& row_of(const std::string& name) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const Row& row : rows)
        if (lower == row.name)
            return row;
    throw OpError("there is no activation '" + name + "'");
}

} // namespace

Activation::Activation(const std::string& name, std::optional<double> alpha, std::optional<double> beta) {
    const Row& row = row_of(name);
    m_function = row.function;
    m_alpha = alpha.value_or(row.alpha);
    m_beta = beta.value_or(row.beta);
}

bool Activation::takes_alpha(const std::string& name) {
    return row_of(name).has_alpha;
}

bool Activation::takes_beta(const std::string& name) {
    return row_of(name).has_beta;
}

} // namespace hidet::graph
