// SPDX-License-Identifier: Apache-2.0
// The activations that recurrent layers may name.
#pragma once

#include <optional>
#include <string>

namespace hidet::graph {

class Activation {
public:
    // OpError: an unknown name. Without alpha or beta the function's own defaults hold.
    Activation(const std::string& name, std::optional<double> alpha, std::optional<double> beta);
    double operator()(double x) const { return m_function(x, m_alpha, m_beta); }
    static bool takes_alpha(const std::string& name);
    static bool takes_beta(const std::string& name);

private:
    double (*m_function)(double x, double alpha, double beta);
    double m_alpha = 0;
    double m_beta = 0;
};

} // namespace hidet::graph
