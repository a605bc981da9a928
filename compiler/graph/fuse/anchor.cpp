// SPDX-License-Identifier: Apache-2.0
// The anchor's own program: by rules, or by a module that somebody wrote.
#include <algorithm>
#include <unordered_map>

#include "compiler/analysis/calls.h"
#include "compiler/graph/fuse/piece.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "compiler/schedule/kernel.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"

namespace hidet::graph {

using namespace ir;

namespace {

VarRef host_variable(const VarRef& tensor) {
    return make_var(tensor->name, parameter_type(dtype_of(tensor), shape_of(tensor)));
}

Task with_outputs(Task task, const std::vector<std::size_t>& live) {
    VarVec outputs;
    for (std::size_t i : live)
        outputs.push_back(task.outputs[i]);
    task.outputs = std::move(outputs);
    return task;
}

ModuleRef prepared(const ModuleRef& schedule, const artifact::TargetSpec& target) {
    DiagnosticSink sink;
    const ModuleRef module = compiler::lower(schedule, {.to = compiler::LowerTo::Fusion, .target = target}, sink);
    if (!module)
        throw OpError("the schedule cannot be lowered: " + (sink.all().empty() ? "" : sink.all()[0].message));
    return module;
}

const Function& launch_function(const Module& module) {
    const Function* found = nullptr;
    for (const FunctionRef& function : module.functions)
        if (function->func_kind == FuncKind::Public && (!found || function->name.starts_with("launch")))
            found = function.get();
    if (!found)
        throw OpError("the schedule has no public function");
    return *found;
}

void check_parameters(const Piece& piece, const Function& launch) {
    const Node& node = piece.anchor();
    std::vector<ValueId> tensors = node.inputs;
    tensors.insert(tensors.end(), node.outputs.begin(), node.outputs.end());
    if (launch.params.size() != tensors.size())
        throw OpError("a schedule of '" + node.task->name + "' takes " + std::to_string(tensors.size()) +
                      " tensors, not " + std::to_string(launch.params.size()));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const TypeRef element = element_of(launch.params[i]->type);
        if (!element || scalar_of(element) != piece.graph().value(tensors[i]).spec.dtype)
            throw OpError("parameter '" + launch.params[i]->name + "' of the schedule must be " +
                          text_of(piece.graph().value(tensors[i]).spec));
    }
}

} // namespace

namespace {

VarVec constants_of(const Graph& graph, const Node& node) {
    VarVec constants;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (const Value& value = graph.value(node.inputs[i]); value.is_constant() && value.data->has_data())
            constants.push_back(node.task->inputs[i]);
    return constants;
}

} // namespace

AnchorProgram schedule_anchor(const Piece& piece, const artifact::TargetSpec& target, Assembly& assembly) {
    const Node& node = piece.anchor();
    const Task task = with_outputs(*node.task, piece.live_outputs());
    const ScheduledTask scheduled =
        schedule(task, target, assembly.unique_name(piece.name()), constants_of(piece.graph(), node));
    AnchorProgram program;
    program.inputs.resize(node.inputs.size());
    program.outputs.resize(node.outputs.size());
    std::unordered_map<const Var*, VarRef> variables;
    const auto variable_of = [&](const VarRef& tensor) {
        VarRef& variable = variables[tensor.get()];
        if (variable)
            return variable;
        variable = host_variable(tensor);
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (node.task->inputs[i] == tensor)
                program.inputs[i] = variable;
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            if (node.task->outputs[i] == tensor)
                program.outputs[i] = variable;
        for (const Task& packing : scheduled.packings)
            if (packing.outputs[0] == tensor) {
                const auto input = std::ranges::find(node.task->inputs, packing.inputs[0]) - node.task->inputs.begin();
                program.packed.push_back({static_cast<std::size_t>(input), packing, variable});
            }
        if (std::ranges::find(scheduled.between, tensor) != scheduled.between.end())
            program.between.push_back(variable);
        return variable;
    };
    StmtVec launches;
    for (const ScheduledKernel& kernel : scheduled.kernels) {
        ExprVec args;
        for (const VarRef& tensor : kernel.arguments)
            args.push_back(variable_of(tensor));
        StmtRef launch = launch_of(*kernel.function, std::move(args));
        if (!launch)
            continue;
        program.functions.insert(program.functions.end(), kernel.callees.begin(), kernel.callees.end());
        program.functions.push_back(kernel.function);
        launches.push_back(std::move(launch));
    }
    program.launch = make_seq(std::move(launches));
    return program;
}

AnchorProgram prepare_schedule(const Piece& piece, const ModuleRef& schedule, const artifact::TargetSpec& target,
                               Assembly& assembly) {
    const ModuleRef module = prepared(schedule, target);
    const Function& launch = launch_function(*module);
    check_parameters(piece, launch);
    const Node& node = piece.anchor();
    AnchorProgram program;
    const std::string launch_name = assembly.unique_name(piece.name() + "_launch");
    const compiler::CallOrder order = compiler::callees_first(*module);
    for (const FunctionRef& function : order.functions) {
        if (function.get() != &launch) {
            if (function->func_kind != FuncKind::Public) // nobody else asks for it
                program.functions.push_back(function);
            assembly.unique_name(function->name);
            continue;
        }
        Function copy = *function;
        copy.name = launch_name;
        copy.func_kind = FuncKind::CpuInternal;
        program.functions.push_back(make<Function>(std::move(copy)));
    }
    ExprVec args;
    for (std::size_t i = 0; i < launch.params.size(); ++i) {
        VarRef variable = make_var(launch.params[i]->name, launch.params[i]->type);
        (i < node.inputs.size() ? program.inputs : program.outputs).push_back(variable);
        args.push_back(variable);
    }
    program.launch = make_evaluate(make_call(launch_name, std::move(args), launch.ret));
    return program;
}

} // namespace hidet::graph
