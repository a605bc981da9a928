// SPDX-License-Identifier: Apache-2.0
// Single operators on tensors with data. What was built for one call serves all that are alike: same operator, attributes,
// dtypes and shapes.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "compiler/graph/plan/runner.h"

namespace hidet::graph {

class EagerOperators {
public:
    explicit EagerOperators(lang::Engine& engine) : m_engine(engine) {}

    // On the GPU when an input is there. Nothing: the sink says why. OpError when the operator refuses its inputs.
    std::optional<Tensors> run(const OpInfo& op, const Tensors& inputs, const Attributes& attributes, Span site,
                               DiagnosticSink& sink);
    std::size_t built() const { return m_runners.size(); } // different ones

private:
    std::shared_ptr<Runner> runner_of(const OpInfo& op, const Tensors& inputs, const Attributes& attributes, Span site,
                                      DiagnosticSink& sink);

    lang::Engine& m_engine;
    std::map<std::string, std::shared_ptr<Runner>> m_runners;
};

} // namespace hidet::graph
