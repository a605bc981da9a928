// SPDX-License-Identifier: Apache-2.0
// Operators of the host (runtime/operators) as steps of a plan.
#pragma once

#include "runtime/capi/package.h"
#include "runtime/operators/call.h"
#include "runtime/package/backend.h"

namespace hidet::capi {

// Those of a context: one at a time.
class HostOperators {
public:
    // The options outlive it.
    HostOperators(Package& package, const package::Plan& plan, const hidet_context_options& options)
        : m_package(package), m_plan(plan), m_options(options) {}
    bool open(Problem& problem); // the plan has no other operators than there are

    package::List<const void*> operands; // of the step that comes, in memory of the host, or of the GPU that exchanges
    struct {
        hidet_device device = {HIDET_CPU, 0};
        void* stream = nullptr;
    } exchanged_on;

    // Results have memory of `make`, and are described in the step but for their addresses.
    using Make = unsigned char* (*)(void* self, package::HostStep& step, std::size_t result, std::uint64_t bytes,
                                    Problem& problem);
    bool run(package::HostStep& step, void* self, Make make, Problem& problem);

    // Before each run: what the plan says of its inputs (runtime/package/input_check.h). `elements` gives those of an input, the
    // first `bytes` of its memory, to be read until it is called again; null: the problem says why.
    using Elements = const void* (*)(void* self, package::Row value, std::uint64_t bytes, Problem& problem);
    bool check_inputs(package::Execution& execution, void* self, Elements elements, Problem& problem);

private:
    struct Run;
    bool check(const package::Step& step, Problem& problem);
    bool exchange(const operators::Exchanged& what, Problem& problem) const;
    bool describe(const package::HostStep& step, Problem& problem);
    bool describe(const package::HostStep& step, const package::PlanAttribute<package::Flat>& from,
                  operators::Attribute& to, package::Memory& memory, Problem& problem);

    Package& m_package;
    const package::Plan& m_plan;
    const hidet_context_options& m_options;
    package::Memory m_memory;
    package::List<operators::Tensor> m_inputs;   // of one step
    package::List<operators::Extents> m_results; // of one step, until the next
    bool m_has_input_checks = false;
};

} // namespace hidet::capi
