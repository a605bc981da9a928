// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/gpu_repeat.h"

#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "runtime/cuda/device_tensor.h"

namespace hidet::session {

Result<std::uint64_t> place_on_device(Gpu& gpu, lang::Tensor& tensor, const std::string& name) {
    lang::Storage& storage = *tensor.storage;
    if (!storage.device_copy()) {
        const std::vector<std::string> extents =
            transformed(tensor.shape, [](std::int64_t extent) { return cat(extent); });
        std::string what = cat("'", name, "' (", ir::info(tensor.dtype).short_name, "[", join(extents, ", "), "])");
        HIDET_TRY(auto copy, cuda::DeviceTensor::create(gpu.backend.stream(), storage.bytes, what));
        storage.set_device_copy(std::move(copy));
    }
    auto& copy = static_cast<cuda::DeviceTensor&>(*storage.device_copy());
    if (storage.is_device_stale()) {
        Result<void> moved = storage.uninitialised ? copy.clear() : copy.upload(storage.read(), storage.bytes);
        if (!moved)
            return moved.error();
        storage.device_is_current();
    }
    return copy.address() + tensor.offset;
}

TensorPlacer device_placer(Gpu& gpu) {
    return [&gpu](lang::Tensor& tensor, const std::string& name) { return place_on_device(gpu, tensor, name); };
}

GpuArguments::GpuArguments(Gpu& gpu, const ir::Function& callee, const FunctionCall& call, TensorPlacer placer)
    : m_args(call.args), m_placer(std::move(placer)), m_arguments(gpu.machine, callee, call, m_placer) {}

void GpuArguments::mark_newer() {
    for (const lang::CallArgument& arg : m_args)
        if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
            tensor && *tensor && (*tensor)->device == Device::Cuda)
            (*tensor)->storage->device_is_newer();
}

GpuRepeat::GpuRepeat(Gpu& gpu, GpuModule& module, const FunctionCall& call)
    : GpuRepeat(gpu, module, call, device_placer(gpu)) {}

GpuRepeat::GpuRepeat(Gpu& gpu, GpuModule& module, const FunctionCall& call, TensorPlacer placer)
    : m_gpu(gpu), m_module(module), m_function(call.function), m_site(call.site), m_symbols(call.symbols),
      m_arguments(gpu, *ir::find_function(*module.module, call.function), call, std::move(placer)) {}

GpuRepeat& GpuRepeat::elsewhere(TensorPlacer placer) {
    const FunctionCall call{m_function, args(), m_site, m_symbols};
    m_elsewhere.emplace_back(new GpuRepeat(m_gpu, m_module, call, std::move(placer)));
    return *m_elsewhere.back();
}

Result<void> GpuRepeat::start() {
    if (m_arguments.error())
        return *m_arguments.error();
    vm::CallResult called = m_gpu.machine.call(m_module.program, m_function, m_arguments.values());
    m_arguments.mark_newer();
    if (called.ok)
        return {};
    return Error{"call-failed", called.findings.empty() ? "the call failed" : called.findings.front().message};
}

void GpuRepeat::report(const Error& error, Span site, DiagnosticSink& sink) {
    m_module.executor.report(error, m_function, site, sink);
}

Result<void> GpuRepeat::once() {
    Result<void> started = start();
    return started ? m_gpu.backend.wait() : started;
}

} // namespace hidet::session
