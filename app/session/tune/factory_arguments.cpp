// SPDX-License-Identifier: Apache-2.0
#include "app/session/tune/factory_arguments.h"

#include <algorithm>

#include "compiler/ir/packing.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{2}
                                    << 30; // of all tensors; there are two copies, and numbers to compare

// Null: the module does not say which function is called.
const ir::Function* called_function(const ir::Module& module) {
    if (const ir::Function* function = ir::find_function(module, factory_function))
        return function;
    const auto is_kernel = [](const ir::FunctionRef& function) {
        return function->func_kind == ir::FuncKind::CudaKernel || function->func_kind == ir::FuncKind::CpuKernel;
    };
    const auto found = std::ranges::find_if(module.functions, is_kernel);
    return std::ranges::count_if(module.functions, is_kernel) == 1 ? found->get() : nullptr;
}

std::optional<std::vector<std::int64_t>> shape_of(const ir::TensorType& tensor) {
    std::vector<std::int64_t> shape;
    for (const ir::ExprRef& extent : tensor.shape) {
        const auto known = ir::constant_int(extent);
        if (!known)
            return std::nullopt;
        shape.push_back(*known);
    }
    return shape;
}

} // namespace

Result<std::vector<FactoryArgument>> arguments_of(const ir::Module& module) {
    const ir::Function* function = called_function(module);
    if (!function)
        return Error{"not-measured", "its module has several functions, and none of them is 'launch'"};
    const Device device = ir::runs_on_gpu(function->func_kind) ||
                                  std::ranges::any_of(module.functions,
                                                      [](const ir::FunctionRef& each) {
                                                          return each->func_kind == ir::FuncKind::CudaKernel;
                                                      })
                              ? Device::Cuda
                              : Device::Cpu;
    std::vector<FactoryArgument> out;
    std::int64_t bytes = 0;
    for (const ir::VarRef& param : function->params) {
        const ir::TensorType* tensor = ir::tensor_of(param->type);
        const auto dtype = tensor ? ir::scalar_of(tensor->element) : std::nullopt;
        const auto shape = tensor ? shape_of(*tensor) : std::nullopt;
        if (!dtype || !shape)
            return Error{"not-measured", cat("only a call of its module says what '", param->name, "' is")};
        std::int64_t count = 1;
        for (const std::int64_t extent : *shape)
            if (extent < 0 || __builtin_mul_overflow(count, extent, &count))
                count = most_bytes;
        bytes += ir::packed_bytes(*dtype, std::min(count, most_bytes));
        if (bytes > most_bytes)
            return Error{"not-measured", cat("its tensors take more than ", most_bytes >> 30, " GiB")};
        out.push_back({param->name, *dtype, *shape, device});
    }
    if (out.empty())
        return Error{"not-measured", "its function takes no tensor"};
    return out;
}

lang::TensorRef random_tensor(ir::DType dtype, std::vector<std::int64_t> shape, lang::Random& random) {
    lang::TensorRef tensor(new lang::Tensor());
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    tensor->storage = std::make_shared<lang::Storage>(
        static_cast<std::size_t>(std::max<std::int64_t>(ir::packed_bytes(dtype, tensor->count()), 1)));
    if (lang::holds_numbers(dtype) && ir::is_float(dtype)) {
        lang::Doubles numbers(static_cast<std::size_t>(tensor->count()));
        for (double& number : numbers)
            number = random.normal();
        lang::write_doubles(*tensor, numbers);
    }
    return tensor;
}

Arguments random_arguments(const std::vector<FactoryArgument>& wanted,
                           const std::vector<compiler::ParameterAccess>& accesses) {
    lang::Random random(0);
    Arguments out;
    for (const FactoryArgument& each : wanted) {
        lang::TensorRef tensor = random_tensor(each.dtype, each.shape, random);
        tensor->device = each.device;
        const compiler::ParameterAccess& access = accesses[out.size()];
        tensor->storage->uninitialised = access.written && !access.read;
        out.push_back({std::move(tensor), each.name, {}});
    }
    return out;
}

Result<void> can_be_measured(lang::Engine& engine, const ir::ModuleRef& module) {
    HIDET_TRY_TO(arguments_of(*module));
    DiagnosticSink sink;
    const Ref<lang::BuiltModule> built = engine.build(module, {}, sink);
    if (built && static_cast<Executable&>(*built).executor.emulates())
        return Error{"not-measured", "they can only be emulated here"};
    return {}; // what does not compile is told of each candidate
}

} // namespace hidet::session
