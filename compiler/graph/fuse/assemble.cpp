// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/assemble.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/schedule/kernel.h"
#include "compiler/schedule/narrow.h"
#include "compiler/schedule/pieces.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::int64_t alignment = 256; // of tensors in the workspace

Dim aligned(const Dim& bytes) {
    return simplified(mul(ceil_div(bytes, alignment), dim(alignment)));
}

Dim bytes_of_tensor(const Var& tensor) {
    const TensorType* type = tensor_of(tensor.type);
    ExprVec extents = transformed(type->shape, [&](const ExprRef& extent) { return cast_to(extent, DType::I64); });
    return mul(element_count(extents), dim(bytes_of(*scalar_of(type->element))));
}

} // namespace

Assembly::Assembly(const Graph& graph, const Group& group)
    : m_graph(graph), m_nodes(group.nodes.begin(), group.nodes.end()) {
    m_taken["launch"] = 1;
    for (NodeId id : group.nodes)
        name_tensors(graph.node(id));
}

void Assembly::name_tensors(const Node& node) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (m_names.emplace(node.inputs[i], node.task->inputs[i]->name).second)
            m_order.push_back(node.inputs[i]);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (m_names.emplace(node.outputs[i], node.task->outputs[i]->name).second)
            m_order.push_back(node.outputs[i]);
}

VarRef Assembly::host(ValueId value) {
    VarRef& var = m_tensors[value];
    if (!var)
        var = make_parameter(value);
    return var;
}

VarRef Assembly::make_parameter(ValueId value) const {
    const TensorSpec& spec = m_graph.value(value).spec;
    return make_var(m_names.at(value), parameter_type(spec.dtype, spec.shape));
}

VarRef Assembly::between(const VarRef& tensor) {
    m_between.push_back(make_var(tensor->name, tensor->type));
    return m_between.back();
}

StmtRef Assembly::added_by(const std::function<void()>& what) {
    StmtVec before = std::exchange(m_body, {});
    what();
    return make_seq(std::exchange(m_body, std::move(before)));
}

void Assembly::choose(const Dim& condition, const std::function<void()>& first, const std::function<void()>& second) {
    StmtRef chosen = added_by(first);
    const std::size_t before = m_program.kernels.size();
    StmtRef other = added_by(second);
    for (std::size_t i = before; i < m_program.kernels.size(); ++i)
        m_program.kernels[i].is_alternative = true;
    run(make_if(condition, std::move(chosen), std::move(other)));
}

VarRef Assembly::packed(ValueId constant, const Task& task) {
    for (std::size_t i = 0; i < m_packed.size(); ++i)
        if (const PackedConstant& known = m_program.packed[i];
            known.value == constant && text_of(known.task) == text_of(task))
            return m_packed[i];
    const VarRef& tensor = task.outputs[0];
    m_packed.push_back(make_var(tensor->name, parameter_type(dtype_of(tensor), shape_of(tensor))));
    m_program.packed.push_back({constant, task});
    return m_packed.back();
}

bool Assembly::is_output(ValueId value) const {
    const auto is_inside = [&](const Use& use) { return m_nodes.contains(use.node); };
    return m_graph.is_output(value) || !std::ranges::all_of(m_graph.value(value).uses, is_inside);
}

std::string Assembly::unique_name(const std::string& wanted) {
    const int count = m_taken[wanted]++;
    return count == 0 ? wanted : unique_name(wanted + "_" + std::to_string(count));
}

void Assembly::add_kernel(FunctionRef kernel, std::vector<NodeId> nodes) {
    if (kernel->func_kind == FuncKind::CudaKernel) { // tensors of a plan are aligned, and each has its place
        Function copy = *kernel;
        copy.wide_access = true;
        kernel = make<Function>(std::move(copy));
    } else {
        kernel = with_loops_in_pieces(kernel);
    }
    m_program.kernels.push_back({.name = kernel->name, .nodes = std::move(nodes)});
    m_functions.push_back(std::move(kernel));
}

void Assembly::place(const VarRef& tensor, VarRef workspace, StmtVec& places) {
    const ExprRef address = add(std::move(workspace), m_workspace);
    places.push_back(make_let_stmt(tensor, make_cast(address, tensor->type)));
    m_workspace = simplified(add(m_workspace, aligned(bytes_of_tensor(*tensor))));
}

GroupProgram Assembly::finish(const std::string& name) {
    VarRef workspace = make_var("workspace", pointer_type(data_type(DType::U8)));
    VarVec inputs;
    VarVec outputs;
    StmtVec body;
    for (ValueId value : m_order) {
        const NodeId producer = m_graph.value(value).producer;
        const bool is_inside = producer.valid() && m_nodes.contains(producer);
        if (is_inside && is_output(value)) { // also when it has no elements, and no kernel writes it
            m_program.outputs.push_back(value);
            outputs.push_back(host(value));
            continue;
        }
        const auto tensor = m_tensors.find(value);
        if (tensor == m_tensors.end())
            continue;
        if (!is_inside) {
            m_program.inputs.push_back(value);
            inputs.push_back(tensor->second);
        } else {
            place(tensor->second, workspace, body);
        }
    }
    for (const VarRef& tensor : m_between)
        place(tensor, workspace, body);

    Function launch;
    launch.name = "launch";
    launch.func_kind = FuncKind::Public;
    launch.ret = void_type();
    launch.params = std::move(inputs);
    launch.params.insert(launch.params.end(), m_packed.begin(), m_packed.end());
    launch.params.insert(launch.params.end(), outputs.begin(), outputs.end());
    if (!body.empty()) { // also of tensors without elements: they have an address
        m_program.workspace_bytes = is_constant(m_workspace, 0) ? dim(alignment) : m_workspace;
        launch.params.push_back(workspace);
    }
    body.insert(body.end(), m_body.begin(), m_body.end());
    launch.body = make_seq(std::move(body));

    Module module;
    module.name = name;
    module.functions = std::move(m_functions);
    module.functions.push_back(make<Function>(std::move(launch)));
    m_program.module = with_narrow_indices(make<Module>(std::move(module)));
    return std::move(m_program);
}

StmtRef launch_of(const Function& kernel, ExprVec args) {
    if (kernel.func_kind == FuncKind::CpuKernel)
        return make_evaluate(make_call(kernel.name, std::move(args), kernel.ret));
    const ExprRef blocks = kernel.grid_dim[0];
    if (is_constant(blocks, 0))
        return nullptr;
    LaunchStmt launch;
    launch.kernel = kernel.name;
    launch.args = std::move(args);
    launch.grid = kernel.grid_dim;
    launch.cluster = {int_constant(1), int_constant(1), int_constant(1)};
    launch.block = kernel.block_dim;
    launch.dynamic_smem_bytes = int_constant(0);
    if (constant_int(blocks))
        return make<LaunchStmt>(std::move(launch));
    VarRef grid = make_var("blocks", blocks->type);
    launch.grid[0] = grid;
    return make_seq(
        {make_let_stmt(grid, blocks), make_if(less(int_constant(0), grid), make<LaunchStmt>(std::move(launch)))});
}

} // namespace hidet::graph
