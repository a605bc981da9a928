// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/activation.h"

#include <algorithm>
#include <cmath>

namespace hidet::operators {

namespace {

struct ActivationRow {
    const char* name;
    double (*function)(double x, double alpha, double beta);
    bool has_alpha, has_beta;
    double alpha, beta; // otherwise
};

const ActivationRow activation_rows[] = {
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

bool is_called(const ActivationRow& row, Text name) {
    if (std::strlen(row.name) != name.size())
        return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name.data()[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != row.name[i])
            return false;
    }
    return true;
}

double take(List<double>& values, bool wants, double otherwise) {
    if (!wants || values.empty())
        return otherwise;
    --values.count;
    return *values.items++;
}

} // namespace

bool is_activation(Text name) {
    for (const ActivationRow& row : activation_rows)
        if (is_called(row, name))
            return true;
    return false;
}

bool find_activation(Call& call, Text name, Parameters& rest, Activation& found) {
    for (const ActivationRow& row : activation_rows)
        if (is_called(row, name)) {
            found.function = row.function;
            found.alpha = take(rest.alphas, row.has_alpha, row.alpha);
            found.beta = take(rest.betas, row.has_beta, row.beta);
            return true;
        }
    return call.refuse("there is no activation '", name, "'");
}

} // namespace hidet::operators
