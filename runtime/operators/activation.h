// SPDX-License-Identifier: Apache-2.0
// What recurrent layers do to their gates.
#pragma once

#include "runtime/operators/call.h"

namespace hidet::operators {

struct Activation {
    double (*function)(double x, double alpha, double beta) = nullptr;
    double alpha = 0, beta = 0;
    double operator()(double x) const { return function(x, alpha, beta); }
};

// By ONNX's names, without regard to case.
bool is_activation(Text name);

// Parameters are listed for those that take them, in order; what is taken is gone.
struct Parameters {
    List<double> alphas, betas;
};
bool find_activation(Call& call, Text name, Parameters& rest, Activation& found);

} // namespace hidet::operators
