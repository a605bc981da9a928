// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/function_plan.h"

#include <algorithm>

#include "app/session/execute/cpu_part.h"
#include "compiler/artifact/scalars.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/capi/dtypes.h"

namespace hidet::session {

using artifact::ArgumentKind;
using artifact::ExprOp;
using artifact::no_row;
using artifact::PlanArgument;
using artifact::PlanStep;
using artifact::PlanValue;
using artifact::Row;
using artifact::StepKind;

namespace {

// The dynamic dimensions that code names, wherever it does.
class NamedSymbols : public ir::Walker {
public:
    std::vector<std::string> names;

protected:
    using ir::Walker::visit;
    void visit(const ir::SymbolVar& symbol) override { add(symbol.name); }
    void visit(const ir::Intrinsic& call) override {
        if (call.id == ir::IntrinsicId::GetSymbolValue)
            add(std::get<std::string>(ir::as<ir::Constant>(call.args[0])->value));
        walk_children(call);
    }

private:
    void add(const std::string& name) {
        if (std::ranges::find(names, name) == names.end())
            names.push_back(name);
    }
};

bool is_of(const PlanArgument& argument, Row value) {
    return argument.kind != ArgumentKind::Scalar && argument.value == value;
}

// What an array in the memory of a caller has: no vectors, no parts of a byte.
std::optional<ir::DType> element_of_arrays(ir::DType dtype) {
    if (dtype == ir::DType::TF32) // of which it is the upper bits
        return ir::DType::F32;
    if (ir::is_subbyte(dtype) || (ir::info(dtype).lanes > 1 && !ir::is_complex(dtype)) ||
        !capi::find_dtype(package::text(ir::info(dtype).name)))
        return std::nullopt;
    return dtype;
}

} // namespace

bool FunctionPlan::refuse(const std::string& why, Span place) {
    Diagnostic refused = Diagnostic::make(DiagId::CannotExport, m_site, m_callable.name, "package", why);
    const Span function = m_callable.function->origin.span;
    if (place.known())
        refused.notes.push_back({place, "it does this"});
    else if (function.known())
        refused.notes.push_back({function, cat("'", m_callable.name, "' is here")});
    m_sink.report(std::move(refused));
    return false;
}

bool FunctionPlan::add_parameters() {
    const ir::VarVec& params = m_callable.function->params;
    if (m_callable.name.size() > 64)
        return refuse("the name of an entry has at most 64 characters");
    for (std::size_t i = 0; i < params.size(); ++i)
        if (!add_parameter(*params[i], m_roles[i]))
            return false;
    for (Row i = 0; i < params.size(); ++i)
        if (const ir::TensorType* tensor = ir::tensor_of(params[i]->type);
            tensor && m_roles[i] == ParameterRole::Tensor && !add_shape(i, *tensor))
            return false;
    for (Row i = 0; i < params.size(); ++i) {
        PlanValue& value = m_body.values[i];
        value.bytes = bytes_of(value, ir::info(*ir::find_dtype(value.dtype)).bits / 8);
    }
    return true;
}

bool FunctionPlan::add_parameter(const ir::Var& var, ParameterRole role) {
    const auto wrong = [&](const std::string& why) { return refuse(cat("its parameter '", var.name, "' ", why)); };
    if (ir::as<ir::StringType>(var.type))
        return wrong("is a text, and an entry takes tensors");
    const ir::TensorType* tensor = ir::tensor_of(var.type);
    if (role == ParameterRole::Number && !tensor)
        return wrong(cat("is a number that is no extent of a tensor; write it as a tensor of one element, '", var.name,
                         ": ", ir::info(*ir::scalar_of(var.type)).short_name, "[1]'"));
    const std::optional<ir::DType> own = tensor ? ir::scalar_of(tensor->element) : ir::scalar_of(var.type);
    if (!tensor && role != ParameterRole::Extent)
        return wrong(
            cat("is a pointer, and nothing says to how much memory; write it as a tensor with a shape, such as '",
                var.name, ": ", own ? ir::info(*own).short_name : "f32", "[n]'"));
    const std::optional<ir::DType> dtype = own ? element_of_arrays(*own) : std::nullopt;
    if (!dtype)
        return wrong(cat("has elements of type ", own ? ir::info(*own).short_name : "void",
                         ", which arrays of a caller have not; write it as a tensor of a plain type"));
    PlanValue value;
    value.name = var.name;
    value.dtype = ir::info(*dtype).name;
    value.place = role == ParameterRole::Result ? artifact::Place::Output : artifact::Place::Input;
    const auto row = static_cast<Row>(m_body.values.size());
    PlanArgument argument{.value = row};
    if (role == ParameterRole::Extent) {
        const auto scalar = artifact::find_scalar(ir::info(*dtype).short_name);
        HIDET_CHECK(scalar.has_value(), var.name);
        argument = {.kind = ArgumentKind::Scalar, .type = *scalar};
        argument.expression = m_expressions.expression_of({{ExprOp::Symbol, m_expressions.symbol(var.name)}});
        m_expressions.bind(var, argument.expression); // in shapes
    } else if (role == ParameterRole::Result) {
        m_body.outputs.push_back(row);
    } else {
        m_body.inputs.push_back(row);
    }
    m_arguments.push_back(argument);
    m_body.values.push_back(std::move(value));
    return true;
}

bool FunctionPlan::add_shape(Row row, const ir::TensorType& tensor) {
    for (const ir::ExprRef& extent : tensor.shape) {
        const auto expression = m_expressions.find(extent);
        if (!expression)
            return refuse(cat("the shape of its parameter '", m_body.values[row].name,
                              "' is no expression of dimensions that shapes say; write a dimension of its own"));
        m_body.values[row].shape.push_back(*expression);
    }
    return true;
}

Row FunctionPlan::bytes_of(const PlanValue& value, int item) {
    Row bytes = m_expressions.constant(item);
    for (const Row extent : value.shape)
        bytes = m_expressions.combined(ExprOp::Mul, bytes, extent);
    return bytes;
}

bool FunctionPlan::add_launches(const ir::Module& lowered, std::vector<artifact::PlanFunction>& functions) {
    m_lowered = &lowered;
    const ir::Function* host = ir::find_function(lowered, m_callable.callee);
    HIDET_CHECK(host && host->params.size() >= m_arguments.size(), m_callable.callee);
    const auto describe = [&](PlanStep& step, const ir::LaunchStmt& launch) {
        const auto known = std::ranges::find(functions, launch.kernel, &artifact::PlanFunction::name);
        step.function = static_cast<Row>(known - functions.begin());
        step.kernels = {launch.kernel};
        if (known == functions.end())
            functions.push_back({0, launch.kernel, {}, {}});
    };
    graph::HostCode code(lowered, m_body, m_expressions, describe, graph::HostCode::Scalars::All);
    code.set_workspaces([this](Row bytes, bool is_zeroed) { return add_workspace(bytes, is_zeroed); });
    for (std::size_t i = 0; i < m_arguments.size(); ++i)
        code.bind(*host->params[i], m_arguments[i]);
    try {
        code.run(host->body);
    } catch (const graph::NotLaunching& statement) {
        return refuse(
            "its host code does more than launching kernels with extents that shapes say; compute in a kernel, or "
            "in the script",
            statement.origin.span);
    }
    return true;
}

void FunctionPlan::add_call(Row function) {
    PlanStep step;
    step.kind = StepKind::Call;
    step.function = function;
    step.arguments = m_arguments;
    if (m_callable.function->func_kind != ir::FuncKind::Public)
        step.kernels = {m_callable.name};
    m_body.steps.push_back(std::move(step));
}

Row FunctionPlan::add_workspace(Row bytes, bool is_zeroed) {
    constexpr std::int64_t alignment = 256;
    PlanValue workspace;
    workspace.name = "workspace";
    workspace.dtype = ir::info(ir::DType::U8).name;
    workspace.place = artifact::Place::Arena;
    workspace.bytes = bytes;
    workspace.shape = {bytes};
    workspace.offset = m_arena == no_row ? m_expressions.constant(0) : m_arena;
    const Row size = m_expressions.constant(alignment);
    const Row padded = m_expressions.combined(ExprOp::Mul, m_expressions.combined(ExprOp::CeilDiv, bytes, size), size);
    m_arena = m_expressions.combined(ExprOp::Add, workspace.offset, padded);
    const auto row = static_cast<Row>(m_body.values.size());
    m_body.values.push_back(std::move(workspace));
    if (is_zeroed) {
        PlanStep fill;
        fill.kind = StepKind::Fill;
        fill.writes = {row};
        fill.bytes = bytes;
        m_body.steps.push_back(std::move(fill));
    }
    return row;
}

// Memory that kernels reach by tensor maps alone is read and written as they use the maps.
std::vector<bool> FunctionPlan::written(const ir::Module* lowered) const {
    const auto accesses = accesses_of(m_callable);
    std::vector<bool> out;
    for (Row value = 0; value < m_roles.size(); ++value) {
        bool is_written = !accesses || (*accesses)[value].written, is_written_by_maps = false;
        bool is_by_maps = false, is_by_address = false;
        for (const PlanStep& step : m_body.steps)
            for (std::size_t a = 0; lowered && a < step.arguments.size(); ++a) {
                if (!is_of(step.arguments[a], value))
                    continue;
                (step.arguments[a].kind == ArgumentKind::TensorMap ? is_by_maps : is_by_address) = true;
                const ir::Function* kernel = ir::find_function(*lowered, step.kernels.front());
                is_written_by_maps |= map_use(*kernel, *kernel->params[a]).written;
            }
        if (is_by_maps && !is_by_address)
            is_written = is_written_by_maps;
        out.push_back(m_roles[value] == ParameterRole::Tensor && is_written);
    }
    return out;
}

void FunctionPlan::add_results(const std::vector<bool>& written) {
    std::vector<PlanStep> copies;
    for (Row input = 0; input < written.size(); ++input) {
        if (!written[input])
            continue;
        PlanValue result = m_body.values[input];
        result.place = artifact::Place::Output;
        const auto output = static_cast<Row>(m_body.values.size());
        for (PlanStep& step : m_body.steps)
            for (PlanArgument& argument : step.arguments)
                if (is_of(argument, input))
                    argument.value = output;
        PlanStep copy;
        copy.kind = StepKind::Copy;
        copy.reads = {input};
        copy.writes = {output};
        copy.bytes = result.bytes;
        copies.push_back(std::move(copy));
        m_body.outputs.insert(m_body.outputs.end() - (m_roles.back() == ParameterRole::Result ? 1 : 0), output);
        m_body.values.push_back(std::move(result));
    }
    for (PlanStep& step : m_body.steps)
        if (step.kind != StepKind::Fill) {
            step.reads = m_body.inputs;
            step.writes = m_body.outputs;
        }
    if (!m_body.steps.empty())
        m_body.steps.front().overlaps = false; // with a copy
    m_body.steps.insert(m_body.steps.begin(), copies.begin(), copies.end());
}

bool FunctionPlan::finish() {
    if (!m_lowered) { // compiled code asks for dimensions by their names
        NamedSymbols symbols;
        symbols.walk(reached_part(m_callable.module, {m_callable.function->name}));
        for (const std::string& name : symbols.names)
            m_expressions.symbol(name);
    }
    add_results(written(m_lowered));
    if (m_body.outputs.empty())
        return refuse("it writes no tensor and returns no number, so there would be no result");
    if (!bind_symbols())
        return false;
    const auto steps = static_cast<std::int32_t>(m_body.steps.size());
    for (PlanValue& value : m_body.values) {
        value.first_step = value.place == artifact::Place::Input ? -1 : 0;
        value.last_step = value.place == artifact::Place::Output ? steps : steps - 1;
    }
    artifact::PlanSection section;
    section.end_step = static_cast<std::uint32_t>(steps);
    section.arena_bytes = section.liveness_bound = m_arena == no_row ? m_expressions.constant(0) : m_arena;
    m_body.sections = {section};
    return true;
}

bool FunctionPlan::bind_symbols() {
    return std::ranges::all_of(m_body.symbols, [this](artifact::PlanSymbol& symbol) { return bind_symbol(symbol); });
}

// To an input whose shape has it alone.
bool FunctionPlan::bind_symbol(artifact::PlanSymbol& symbol) {
    const auto row = static_cast<Row>(&symbol - m_body.symbols.data());
    for (const Row input : m_body.inputs)
        for (std::uint32_t d = 0; d < m_body.values[input].shape.size(); ++d)
            if (symbol.value == no_row &&
                artifact::symbol_of(m_body.expressions[m_body.values[input].shape[d]]) == row) {
                symbol.value = input;
                symbol.dimension = d;
            }
    symbol.most = INT32_MAX; // what the code of scripts computes indices with
    for (std::size_t i = 0; i < m_roles.size(); ++i)
        if (m_roles[i] == ParameterRole::Extent && m_body.values[i].name == symbol.name) {
            const std::uint64_t highest = ir::integer_range(*ir::find_dtype(m_body.values[i].dtype)).highest;
            symbol.most = static_cast<std::int64_t>(std::min<std::uint64_t>(highest, INT64_MAX));
        }
    return symbol.value != no_row || refuse(cat("no shape of its tensors says the dimension '", symbol.name,
                                                "'; give a parameter a shape that has it"));
}

} // namespace hidet::session
