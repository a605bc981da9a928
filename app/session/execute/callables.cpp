// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/callables.h"

#include <algorithm>

#include "app/session/execute/cpu_part.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

using ir::FuncKind;

namespace {

bool is_kernel(const ir::Function& function) {
    return function.func_kind == FuncKind::CudaKernel || function.func_kind == FuncKind::CpuKernel;
}

// A kernel alone among the kernels of its module gets a function that launches it.
ir::ModuleRef reduced_to(const ir::Module& module, const ir::Function& kernel) {
    ir::Module some = module;
    std::erase_if(some.functions, [&](const ir::FunctionRef& function) {
        return function.get() != &kernel && (is_kernel(*function) || function->func_kind == FuncKind::Public);
    });
    return ir::make<ir::Module>(std::move(some));
}

// How a kernel uses the tensor that a map describes.
class MapUse : public ir::Walker {
public:
    explicit MapUse(const ir::Var& map) : m_map(map) {}
    bool reads = false;
    bool writes = false;

protected:
    using ir::Walker::visit;
    void visit(const ir::Intrinsic& call) override {
        const bool stores = call.id == ir::IntrinsicId::CopyTensorS2G;
        const bool loads = call.id == ir::IntrinsicId::CopyTensorG2S || call.id == ir::IntrinsicId::CopyIm2colG2S;
        const bool is_only_named = call.id == ir::IntrinsicId::PrefetchTensorMap;
        for (const ir::ExprRef& operand : call.args)
            if (is_map(operand)) {
                writes |= !loads && !is_only_named;
                reads |= !stores && !is_only_named;
            } else {
                walk(operand);
            }
    }
    void visit(const ir::Var& var) override { // anything else may be anything
        if (&var == &m_map)
            reads = writes = true;
    }

private:
    bool is_map(const ir::ExprRef& expr) const {
        if (const auto* address = ir::as<ir::Address>(expr))
            return is_map(address->place);
        return ir::as<ir::Var>(expr) == &m_map;
    }
    const ir::Var& m_map;
};

} // namespace

std::optional<ir::DType> dtype_of(const ir::Var& parameter) {
    if (auto scalar = ir::scalar_of(parameter.type))
        return scalar;
    ir::TypeRef element = ir::element_of(parameter.type);
    if (const ir::TensorType* tensor = ir::tensor_of(parameter.type))
        element = tensor->element;
    auto dtype = element ? ir::scalar_of(element) : std::nullopt;
    if (!dtype)
        return std::nullopt;
    if (ir::info(*dtype).lanes > 1)
        return ir::info(*dtype).lane;
    return *dtype;
}

std::vector<Callable> callables_of(const ir::ModuleRef& module, int number, Span site) {
    std::vector<Callable> out;
    std::vector<const ir::Function*> kernels;
    for (const ir::FunctionRef& function : module->functions)
        if (is_kernel(*function))
            kernels.push_back(function.get());
    const ir::Function* launch = ir::find_function(*module, "launch");
    if (launch && launch->func_kind != FuncKind::Public)
        launch = nullptr;
    if (launch)
        out.push_back({module, number, site, "launch", "launch", launch, true});
    bool alone = kernels.size() == 1 && !launch; // it gets its own function that launches it
    for (const ir::FunctionRef& function : module->functions) {
        if (is_kernel(*function))
            out.push_back({alone ? module : reduced_to(*module, *function), number, site, function->name, "launch",
                           function.get(), alone});
        else if (function->func_kind == FuncKind::Public && function.get() != launch)
            out.push_back({module, number, site, function->name, function->name, function.get(), false});
    }
    return out;
}

std::optional<std::vector<compiler::ParameterAccess>> accesses_of(const Callable& callable) {
    DiagnosticSink ignored;
    ir::ModuleRef module = compiler::lower(callable.module, {}, ignored);
    const ir::Function* function = module ? ir::find_function(*module, callable.callee) : nullptr;
    if (!function)
        return std::nullopt;
    std::vector<compiler::ParameterAccess> accesses = compiler::parameter_accesses(*function, *module);
    accesses.resize(callable.function->params.size(), {.read = true, .written = true});
    return accesses;
}

bool stands_for_module(const Callable& callable, const std::vector<Callable>& all) {
    const bool is_kernel = callable.function->func_kind != FuncKind::Public;
    return !is_kernel || callable.is_launch || std::ranges::none_of(all, &Callable::is_launch);
}

bool launches_gpu_code(const Callable& callable) {
    const ir::ModuleRef reached = reached_part(callable.module, {callable.function->name});
    return std::ranges::any_of(reached->functions, [](const ir::FunctionRef& function) {
        return function->func_kind == ir::FuncKind::CudaKernel;
    });
}

compiler::ParameterAccess map_use(const ir::Function& kernel, const ir::Var& map) {
    MapUse use(map);
    use.walk(kernel.body);
    return {.read = use.reads, .written = use.writes};
}

} // namespace hidet::session
