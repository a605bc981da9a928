// SPDX-License-Identifier: Apache-2.0
// A function of a script's module as the steps of a launch plan. The values of the plan begin with the function's parameters in
// their order: tensors are inputs, and numbers that are extents of these are symbols of the same name, which the shapes say.
// What the function writes is an output, too, and begins as a copy of the input: a kernel need not write all of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/execute/callables.h"
#include "compiler/graph/plan/expressions.h"
#include "compiler/graph/plan/host_code.h"
#include "lang/base/diagnostic.h"

namespace hidet::session {

// Number: no shape says it. It can be in memory, as a tensor of one element, and what is returned, the Result, is
// (cpu_numbers.h): both are tensors without dimensions in the plan.
enum class ParameterRole : std::uint8_t { Tensor, Extent, Number, Result };
struct PlannedFunction {
    Callable callable;
    std::vector<ParameterRole> roles; // by parameter
};

class FunctionPlan {
public:
    FunctionPlan(DiagnosticSink& sink, Span site, const PlannedFunction& function)
        : m_sink(sink), m_site(site), m_callable(function.callable), m_roles(function.roles), m_expressions(m_body) {}

    // Each false where it cannot be: the sink says why.
    bool add_parameters();
    // `lowered` as the emulator takes it; `functions` are the kernels of its module, which get those that are launched.
    bool add_launches(const ir::Module& lowered, std::vector<artifact::PlanFunction>& functions);
    void add_call(artifact::Row function);
    bool finish(); // at last

    artifact::PlanBody take() { return std::move(m_body); }

private:
    bool refuse(const std::string& why, Span place = {});
    bool add_parameter(const ir::Var& var, ParameterRole role);
    bool add_shape(artifact::Row row, const ir::TensorType& tensor);
    artifact::Row bytes_of(const artifact::PlanValue& value, int item);
    artifact::Row add_workspace(artifact::Row bytes, bool is_zeroed);
    std::vector<bool> written(const ir::Module* lowered) const;
    void add_results(const std::vector<bool>& written);
    bool bind_symbols();
    bool bind_symbol(artifact::PlanSymbol& symbol);

    DiagnosticSink& m_sink;
    const Span m_site;
    const Callable& m_callable;
    const std::vector<ParameterRole>& m_roles;
    artifact::PlanBody m_body;
    graph::Expressions m_expressions;
    std::vector<artifact::PlanArgument> m_arguments; // by parameter
    artifact::Row m_arena = artifact::no_row;        // expression: bytes of workspaces
    const ir::Module* m_lowered = nullptr;           // whose kernels are launched; null: the function is called
};

} // namespace hidet::session
