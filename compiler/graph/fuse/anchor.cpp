// SPDX-License-Identifier: Apache-2.0
// The anchor's own program: by rules, or by a module that somebody wrote.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/analysis/calls.h"
#include "compiler/graph/fuse/piece.h"
#include "compiler/ir/function_renamer.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "compiler/schedule/kernel.h"
#include "compiler/transform/pass.h"

namespace hidet::graph {

using namespace ir;

namespace {

VarRef host_variable(const VarRef& tensor) {
    return make_var(tensor->name, parameter_type(dtype_of(tensor), shape_of(tensor)));
}

Task with_outputs(Task task, const std::vector<std::size_t>& live) {
    VarVec outputs = transformed(live, [&](std::size_t i) { return task.outputs[i]; });
    task.outputs = std::move(outputs);
    return task;
}

ModuleRef prepared(const ModuleRef& schedule, const artifact::TargetSpec& target) {
    DiagnosticSink sink;
    const ModuleRef module = compiler::lower(schedule, {.to = compiler::LowerTo::Fusion, .target = target}, sink);
    if (!module)
        throw OpError("the schedule cannot be lowered: ", (sink.all().empty() ? "" : sink.all()[0].message));
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

Shape permuted(const Shape& shape, const Ints& order) {
    return transformed(order, [&](const std::int64_t axis) { return shape[static_cast<std::size_t>(axis)]; });
}

// What a module takes of a tensor of the anchor.
class Wanted {
public:
    Wanted(const Piece& piece, const AnchorSchedule& schedule) : m_piece(piece), m_schedule(schedule) {}

    std::size_t count() const { return node().inputs.size() + node().outputs.size(); }
    const Ints* order(std::size_t i) const { // null: the tensor as it is
        const auto& orders = m_schedule.orders;
        return i < orders.size() && orders[i] ? &*orders[i] : nullptr;
    }
    TensorSpec spec(std::size_t i) const {
        const std::size_t inputs = node().inputs.size();
        TensorSpec spec = m_piece.graph().value(i < inputs ? node().inputs[i] : node().outputs[i - inputs]).spec;
        if (const Ints* axes = order(i))
            spec.shape = permuted(spec.shape, *axes);
        return spec;
    }

private:
    const Node& node() const { return m_piece.anchor(); }
    const Piece& m_piece;
    const AnchorSchedule& m_schedule;
};

bool takes(const TypeRef& parameter, const TensorSpec& spec) {
    const TypeRef element = element_of(parameter);
    if (!element || scalar_of(element) != spec.dtype)
        return false;
    const TensorType* type = tensor_of(parameter);
    return !type || same_dim(element_count(type->shape), element_count(spec.shape));
}

void check_parameters(const Piece& piece, const Wanted& wanted, const Function& launch) {
    if (launch.params.size() != wanted.count())
        throw OpError("a schedule of '", piece.anchor().task->name, "' takes ", wanted.count(), " tensors, not ",
                      launch.params.size());
    for (std::size_t i = 0; i < wanted.count(); ++i)
        if (!takes(launch.params[i]->type, wanted.spec(i)))
            throw OpError("parameter '", launch.params[i]->name, "' of the schedule must be ", text_of(wanted.spec(i)),
                          ", in this shape or another one");
}

// What a tensor becomes when its axes come in that order.
Task permutation(const VarRef& tensor, const Ints& order) {
    TaskBuilder builder("permute");
    const VarRef from = builder.input(tensor->name, dtype_of(tensor), shape_of(tensor));
    const auto element = [&](const Indices& axes) {
        Indices at_axes(axes.size());
        for (std::size_t i = 0; i < axes.size(); ++i)
            at_axes[static_cast<std::size_t>(order[i])] = axes[i];
        return at(from, at_axes);
    };
    return builder.finish(
        {builder.compute(tensor->name + "_permuted", dtype_of(tensor), permuted(shape_of(tensor), order), element)});
}

// Functions of a module that somebody wrote have the names that he gave them. In a group they are called by what they
// compute: "matmul_add" the only kernel, "matmul_add_reduce" one of several.
std::map<std::string, std::string> names_of(const Module& module, const std::string& group, Assembly& assembly) {
    const auto is_kernel = [](const FunctionRef& function) { return function->func_kind == FuncKind::CudaKernel; };
    const bool is_only = std::ranges::count_if(module.functions, is_kernel) == 1;
    std::map<std::string, std::string> names;
    for (const FunctionRef& function : module.functions) {
        const bool is_launch = function->func_kind == FuncKind::Public;
        const std::string wanted = is_launch                        ? group + "_launch"
                                   : is_only && is_kernel(function) ? group
                                                                    : group + "_" + function->name;
        names[function->name] = assembly.unique_name(wanted);
    }
    return names;
}

} // namespace

namespace {

bool is_known(const Value& value) {
    return value.is_constant() && value.data->has_data();
}

VarVec constants_of(const Graph& graph, const Node& node) {
    VarVec constants;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (is_known(graph.value(node.inputs[i])))
            constants.push_back(node.task->inputs[i]);
    return constants;
}

// Kernels of the scheduler as part of a program.
class Launches {
public:
    explicit Launches(AnchorProgram& program) : m_program(program) {}

    template <class VariableOf>
    void add(const ScheduledTask& scheduled, const VariableOf& variable_of) {
        for (const ScheduledKernel& kernel : scheduled.kernels) {
            ExprVec args =
                transformed<ExprRef>(kernel.arguments, [&](const VarRef& tensor) { return variable_of(tensor); });
            StmtRef launch = launch_of(*kernel.function, std::move(args));
            if (!launch)
                continue;
            m_program.functions.insert(m_program.functions.end(), kernel.callees.begin(), kernel.callees.end());
            m_program.functions.push_back(kernel.function);
            statements.push_back(std::move(launch));
        }
    }
    StmtVec statements;

private:
    AnchorProgram& m_program;
};

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
    Launches launches(program);
    launches.add(scheduled, variable_of);
    program.launch = make_seq(std::move(launches.statements));
    return program;
}

AnchorProgram prepare_schedule(const Piece& piece, const AnchorSchedule& schedule, const artifact::TargetSpec& target,
                               Assembly& assembly) {
    const ModuleRef module = prepared(schedule.module, target);
    const Function& launch = launch_function(*module);
    const Wanted wanted(piece, schedule);
    check_parameters(piece, wanted, launch);
    const Node& node = piece.anchor();
    AnchorProgram program;
    const std::map<std::string, std::string> names = names_of(*module, piece.name(), assembly);
    FunctionRenamer renamer(names);
    const compiler::CallOrder order = compiler::callees_first(*module);
    for (const FunctionRef& function : order.functions) {
        if (function->func_kind == FuncKind::Public && function.get() != &launch)
            continue; // nobody else asks for it
        Function copy = *renamer.rewrite(function);
        if (function.get() == &launch)
            copy.func_kind = FuncKind::CpuInternal;
        program.functions.push_back(make<Function>(std::move(copy)));
    }
    ExprVec args;
    Launches packing(program);
    // Into memory that the program has for this: what it computes with is not known before it runs.
    const auto pack_at_run_time = [&](const Task& task, const VarRef& variable) {
        const std::string name = assembly.unique_name(piece.name() + "_pack");
        const VarRef from = host_variable(task.inputs[0]);
        packing.add(graph::schedule(task, target, name, {}),
                    [&](const VarRef& tensor) { return tensor == task.inputs[0] ? from : variable; });
        program.between.push_back(variable);
        return from;
    };
    for (std::size_t i = 0; i < launch.params.size(); ++i) {
        VarRef variable = make_var(launch.params[i]->name, launch.params[i]->type);
        VarRef taken = variable;
        if (const Ints* axes = wanted.order(i)) {
            Task task = permutation(node.task->inputs[i], *axes);
            taken = nullptr;
            if (is_known(piece.graph().value(node.inputs[i])))
                program.packed.push_back({i, std::move(task), variable});
            else
                taken = pack_at_run_time(task, variable);
        }
        (i < node.inputs.size() ? program.inputs : program.outputs).push_back(taken);
        args.push_back(variable);
    }
    StmtVec body = std::move(packing.statements);
    for (const Dim& extent : schedule.counted)
        body.push_back(make_assert(make_binary(BinOp::Lt, extent, dim(std::int64_t{1} << 31)),
                                   text_of(extent) + " does not fit into 32 bits"));
    body.push_back(make_evaluate(make_call(names.at(launch.name), std::move(args), launch.ret)));
    program.launch = make_seq(std::move(body));
    return program;
}

} // namespace hidet::graph
