// SPDX-License-Identifier: Apache-2.0
// Modules and kernels of a package on a GPU.
#include <cstdlib>

#include "runtime/capi/architecture.h"
#include "runtime/capi/cuda_share.h"

namespace hidet::capi {

using package::Code;
using package::refuse;
using package::Row;
using package::Step;

namespace {

using KernelRow = package::PlanFunction<package::Flat>;
using ImageRow = package::PlanImage<package::Flat>;

constexpr std::size_t map_bytes = 128;

std::size_t bytes_of(const package::PlanParameter<package::Flat>& parameter) {
    return parameter.is_tensor_map ? map_bytes
           : parameter.is_pointer  ? sizeof(DeviceAddress)
                                   : static_cast<std::size_t>(package::scalar_bytes(parameter.type));
}

// The first line of what the driver's compiler says.
package::Text first_line(const char* log) {
    log += std::strspn(log, " \n\r\t");
    return {log, static_cast<std::uint32_t>(std::strcspn(log, "\n"))};
}

// As a text of C, which the driver takes. Null: it holds a zero, or there is no memory.
char* copy_of(package::Text text) {
    if (text.empty() || std::memchr(text.data(), '\0', text.size()))
        return nullptr;
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy) {
        std::memcpy(copy, text.data(), text.size());
        copy[text.size()] = '\0';
    }
    return copy;
}

} // namespace

bool Share::load_kernels(Package& package, const package::Plan& plan, const package::List<Kernel*>& kernels,
                         Problem& problem) {
    const auto load_those_of = [&](const package::Body& body) {
        for (const Step& step : body.steps) {
            if (step.kind != package::StepKind::Launch || kernels[step.function])
                continue;
            const KernelRow& function = plan.functions[step.function];
            Module* const module = module_of(package, plan, function.module, problem);
            Kernel* const kernel = module ? kernel_of(*module, function, problem) : nullptr;
            if (!kernel || !check_parameters(*kernel, function, problem))
                return false;
            kernels[step.function] = kernel;
        }
        return true;
    };
    bool is_ok = load_those_of(plan);
    for (std::size_t i = 0; i < plan.bodies.size() && is_ok; ++i)
        is_ok = load_those_of(plan.bodies[i]);
    return is_ok;
}

Share::Module* Share::module_of(Package& package, const package::Plan& plan, Row row, Problem& problem) {
    const ImageRow* const image = best_image(plan, row, m_gpu.capability);
    if (!image) {
        refuse(problem, Code::Unsupported, "module ", row, " is compiled for ", architectures_of(plan, row), ", and ",
               m_gpu.name, " is ", architecture_words(m_gpu.capability), "; export it for that too");
        return nullptr;
    }
    for (Module* each = m_modules; each; each = each->next)
        if (each->member == image->member)
            return each;
    Bytes bytes;
    ImageBytes checked;
    if (!package.member(image->member, bytes, problem) || !checked.open(bytes, image->member, problem))
        return nullptr;
    auto* const place = static_cast<Module*>(std::malloc(sizeof(Module)));
    if (!place) {
        refuse(problem, Code::Memory, "memory for the table of modules");
        return nullptr;
    }
    cuda::ModuleHandle handle = nullptr;
    if (!read_module(*image, checked.data(), handle, problem)) {
        std::free(place);
        return nullptr;
    }
    m_modules = new (place) Module{m_modules, image->member, handle, nullptr};
    if (image->kind == package::ImageKind::Ptx) {
        package::Words<300> words;
        words.add("'", image->member, "' is PTX, which the driver compiled: there is no machine code for ",
                  architecture_words(m_gpu.capability));
        package.log(HIDET_LOG_INFO, words.data());
    }
    return m_modules;
}

bool Share::read_module(const ImageRow& image, const void* data, cuda::ModuleHandle& handle, Problem& problem) {
    char log[1024] = "";
    int options[] = {cuda::jit_error_log, cuda::jit_error_log_bytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
    const Status status = m_gpu.api->module_load(&handle, data, 2, options, values);
    return status == Status::Success || refuse_module(image, status, log, problem);
}

bool Share::refuse_module(const ImageRow& image, Status status, const char* log, Problem& problem) {
    const int version = m_gpu.driver_version;
    const auto too_old = [&](const char* what) {
        return refuse(problem, Code::Unsupported, "the driver, which supports CUDA ", version / 1000, ".",
                      version % 1000 / 10, ", ", what, " '", image.member, "', which is compiled for ",
                      image.architecture, "; update the driver, or export it with an older compiler");
    };
    switch (status) {
    case Status::NoBinaryForGpu:
        return refuse(problem, Code::Unsupported, "'", image.member, "' is compiled for ", image.architecture, ", and ",
                      m_gpu.name, " is ", architecture_words(m_gpu.capability), "; export it for that too");
    case Status::UnsupportedPtxVersion: return too_old("is older than the compiler that wrote the PTX of");
    case Status::InvalidImage: return too_old("cannot read");
    default: break;
    }
    const package::Text line = first_line(log);
    return succeeds(status, problem, "loading '", image.member, "', which is compiled for ", image.architecture,
                    line.empty() ? "" : " (", line, line.empty() ? "," : "),");
}

Kernel* Share::kernel_of(Module& module, const KernelRow& function, Problem& problem) {
    for (Kernel* each = module.kernels; each; each = each->next)
        if (package::text(each->symbol) == function.symbol)
            return each;
    return new_kernel(module, function, problem);
}

Kernel* Share::new_kernel(Module& module, const KernelRow& function, Problem& problem) {
    char* const symbol = copy_of(function.symbol);
    void* const place = std::malloc(sizeof(Kernel));
    auto* const kernel = symbol && place ? new (place) Kernel{.next = module.kernels, .symbol = symbol} : nullptr;
    if (kernel && find_kernel(module, *kernel, problem))
        return module.kernels = kernel;
    if (!kernel)
        refuse(problem, Code::Damaged, "'", function.name, "' has no symbol that it could be found by");
    std::free(symbol);
    std::free(place);
    return nullptr;
}

bool Share::find_kernel(Module& module, Kernel& kernel, Problem& problem) {
    namespace attribute = cuda::function_attribute;
    const Api& api = *m_gpu.api;
    const Status status = api.module_get_function(&kernel.handle, module.handle, kernel.symbol);
    if (status == Status::NotFound)
        return refuse(problem, Code::Damaged, "'", module.member, "' has no kernel '", kernel.symbol, "'");
    const struct {
        int which;
        int& value;
    } wanted[] = {{attribute::registers, kernel.registers},
                  {attribute::static_shared, kernel.static_shared},
                  {attribute::max_threads_per_block, kernel.most_threads}};
    bool is_ok = succeeds(status, problem, "finding the kernel '", kernel.symbol, "'");
    for (const auto& each : wanted)
        is_ok = is_ok && succeeds(api.function_get_attribute(&each.value, each.which, kernel.handle), problem,
                                  "asking for the attributes of '", kernel.symbol, "'");
    const std::int64_t allowed = m_gpu.shared_per_block - kernel.static_shared;
    kernel.dynamic_shared = allowed > 0 ? allowed : 0;
    return is_ok;
}

// The driver reads as many bytes of each argument as the kernel was compiled with. Those before CUDA 12.4 do not tell.
bool Share::check_parameters(const Kernel& kernel, const KernelRow& function, Problem& problem) {
    const Api& api = *m_gpu.api;
    if (!api.function_get_parameter)
        return true;
    std::size_t offset = 0, bytes = 0;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const auto& parameter = function.parameters[i];
        const Status status = api.function_get_parameter(kernel.handle, i, &offset, &bytes);
        if (status == Status::InvalidValue)
            return refuse(problem, Code::Damaged, "'", function.name, "' was compiled with fewer parameters");
        if (status != Status::Success)
            return true; // it does not say
        if (bytes != bytes_of(parameter))
            return refuse(problem, Code::Damaged, "'", function.name, "' was compiled with ", bytes, " bytes for '",
                          parameter.name, "', not ", bytes_of(parameter));
    }
    const Status status = api.function_get_parameter(kernel.handle, function.parameters.size(), &offset, &bytes);
    const bool has_more = status == Status::Success && bytes > 0;
    return !has_more || refuse(problem, Code::Damaged, "'", function.name, "' was compiled with more parameters");
}

void Share::free_modules(const Module* until) {
    while (m_modules != until) {
        Module* const gone = m_modules;
        m_modules = gone->next;
        m_gpu.api->module_unload(gone->handle);
        while (Kernel* const kernel = gone->kernels) {
            gone->kernels = kernel->next;
            std::free(kernel->symbol);
            std::free(kernel);
        }
        std::free(gone);
    }
}

} // namespace hidet::capi
