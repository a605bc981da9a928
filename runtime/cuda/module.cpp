// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/module.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/artifact/tensor_map.h"
#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/package/shared_memory.h"

namespace hidet::cuda {

namespace {

constexpr std::size_t most_parameters = 512; // 4 KiB of them is what older devices take
constexpr std::size_t log_bytes = 4096;

std::string first_line(const std::string& text) {
    std::size_t begin = text.find_first_not_of(" \n\r\t");
    if (begin == std::string::npos)
        return {};
    return text.substr(begin, text.find('\n', begin) - begin);
}

// Of "NVRTC 13.0": 13. 0: none is named.
int major_version(const std::string& compiler) {
    std::size_t digit = compiler.find_first_of("0123456789");
    return digit == std::string::npos ? 0 : std::atoi(compiler.c_str() + digit);
}

} // namespace

std::size_t bytes_of(const artifact::Parameter& parameter) {
    if (parameter.is_tensor_map)
        return static_cast<std::size_t>(artifact::TensorMap::bytes);
    return parameter.is_pointer ? sizeof(DeviceAddress)
                                : static_cast<std::size_t>(artifact::scalar_bytes(parameter.type));
}

Module::Module(std::shared_ptr<Context> context, ModuleImage image)
    : m_context(std::move(context)), m_image(std::move(image)), m_prints(names("vprintf")) {}

std::shared_ptr<Module> Module::create(std::shared_ptr<Context> context, ModuleImage image) {
    return std::shared_ptr<Module>(new Module(std::move(context), std::move(image)));
}

Module::~Module() {
    if (m_handle && m_context->enter_to_free())
        m_context->api().module_unload(m_handle);
}

Error Module::load_error(Status status, const std::string& log) const {
    const DeviceProperties& device = m_context->device();
    std::string by = m_image.compiler.empty() ? "the compiler" : m_image.compiler;
    std::string driver = cat("the driver, which supports CUDA ", version_text(m_context->driver().version()), ",");
    switch (status) {
    case Status::NoBinaryForGpu:
        return {"wrong-arch", cat("the module is compiled for ", m_image.arch, ", and ", device.name(), " is ",
                                  device.architecture(), "; compile for ", device.architecture())};
    case Status::UnsupportedPtxVersion:
        return {"driver-too-old", cat(driver, " is older than ", by, ", which wrote the PTX for ", m_image.arch,
                                      "; update the driver, or compile to a cubin for ", device.architecture())};
    case Status::InvalidImage:
        if (major_version(m_image.compiler) > m_context->driver().version() / 1000)
            return {"driver-too-old", cat(driver, " is older than ", by, " and cannot read what it compiled for ",
                                          m_image.arch, "; update the driver, or compile with an older NVRTC")};
        return {"wrong-arch", cat(driver, " cannot read what ", by, " compiled for ", m_image.arch, "; ", device.name(),
                                  " is ", device.architecture())};
    default: break;
    }
    Error error = m_context->failure(status, cat("loading a module that is compiled for ", m_image.arch));
    if (std::string line = first_line(log); !line.empty())
        error.message += ": " + line;
    return error;
}

Result<void> Module::load() {
    std::lock_guard lock(m_mutex);
    HIDET_TRY_TO(m_context->enter());
    if (m_handle)
        return {};
    std::string log(log_bytes, '\0');
    int options[] = {jit_error_log, jit_error_log_bytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log_bytes)};
    Status status = m_context->api().module_load(&m_handle, m_image.bytes.c_str(), 2, options, values);
    if (status == Status::Success)
        return {};
    m_handle = nullptr;
    return load_error(status, log.c_str());
}

Result<std::shared_ptr<Kernel>> Module::kernel(KernelSignature signature) {
    HIDET_TRY_TO(load());
    FunctionHandle handle = nullptr;
    Status status = m_context->api().module_get_function(&handle, m_handle, signature.symbol.c_str());
    if (status == Status::NotFound)
        return Error{"kernel-missing", cat("the compiled module has no kernel '", signature.symbol, "'")};
    if (status != Status::Success)
        return m_context->failure(status, cat("finding the kernel '", signature.name, "'"));
    std::shared_ptr<Kernel> kernel(new Kernel(shared_from_this(), std::move(signature), handle));
    HIDET_TRY_TO(kernel->ask_attributes());
    if (const std::string wrong = kernel->wrong_parameters(); !wrong.empty()) {
        HIDET_CHECK(!m_image.is_ours, wrong);
        return Error{"kernel-differs", wrong};
    }
    return kernel;
}

Result<Module::Global> Module::global(const std::string& symbol) {
    HIDET_TRY_TO(load());
    Global global;
    Status status = m_context->api().module_get_global(&global.address, &global.bytes, m_handle, symbol.c_str());
    if (status == Status::NotFound)
        return Error{"kernel-missing", cat("the compiled module has no variable '", symbol, "'")};
    if (status != Status::Success)
        return m_context->failure(status, cat("finding the variable '", symbol, "'"));
    return global;
}

Kernel::Kernel(std::shared_ptr<Module> module, KernelSignature signature, FunctionHandle handle)
    : m_module(std::move(module)), m_signature(std::make_shared<const KernelSignature>(std::move(signature))),
      m_handle(handle) {
    HIDET_CHECK(m_signature->params.size() <= most_parameters, m_signature->name);
}

Result<void> Kernel::ask_attributes() {
    struct Wanted {
        int attribute;
        int& value;
    } wanted[] = {
        {function_attribute::registers, m_attributes.registers},
        {function_attribute::local_bytes, m_attributes.local_bytes},
        {function_attribute::static_shared, m_attributes.static_shared},
        {function_attribute::constant_bytes, m_attributes.constant_bytes},
        {function_attribute::max_threads_per_block, m_attributes.max_threads},
    };
    Context& context = m_module->context();
    for (Wanted& row : wanted)
        HIDET_TRY_TO(context.check(context.api().function_get_attribute(&row.value, row.attribute, m_handle),
                                   "asking for the attributes of a kernel"));
    m_dynamic_shared_allowed = static_cast<unsigned>(
        std::max<std::int64_t>(0, m_module->context().device().spec.shared_per_block - m_attributes.static_shared));
    return {};
}

// What was generated and what was compiled of it are the same thing, or arguments would land in the wrong places.
std::string Kernel::wrong_parameters() const {
    const Api& api = m_module->context().api();
    if (!api.function_get_parameter)
        return {};
    const auto& params = m_signature->params;
    std::size_t offset = 0, bytes = 0;
    for (std::size_t i = 0; i < params.size(); ++i) {
        const std::size_t wanted = bytes_of(params[i]);
        Status status = api.function_get_parameter(m_handle, i, &offset, &bytes);
        if (status == Status::InvalidValue)
            return cat("'", m_signature->name, "' was compiled with fewer parameters");
        if (status != Status::Success)
            return {}; // it does not say
        if (bytes != wanted)
            return cat("'", m_signature->name, "' was compiled with ", bytes, " bytes for '", params[i].name, "', not ",
                       wanted);
    }
    Status status = api.function_get_parameter(m_handle, params.size(), &offset, &bytes);
    const bool has_more = status == Status::Success && bytes > 0;
    return has_more ? cat("'", m_signature->name, "' was compiled with more parameters") : std::string();
}

std::string Kernel::refusal(const LaunchShape& shape) const {
    const DeviceProperties& device = m_module->context().device();
    const auto threads = static_cast<std::size_t>(shape.threads());
    const auto blocks = static_cast<std::size_t>(shape.cluster_blocks());
    const auto shared =
        static_cast<std::size_t>(shape.dynamic_shared) + static_cast<std::size_t>(m_attributes.static_shared);
    auto limit = static_cast<std::size_t>(std::max(device.spec.shared_per_block, device.spec.shared_per_block_optin));
    if (shared > limit)
        return cat("its blocks need ", bytes_text(shared), " of shared memory, and ", device.name(), " has ",
                   bytes_text(limit), " for a block");
    if (m_attributes.max_threads > 0 && threads > static_cast<std::size_t>(m_attributes.max_threads))
        return cat("its blocks have ", threads, " threads, and with ", m_attributes.registers,
                   " registers per thread (or the launch bounds it was compiled with) ", m_attributes.max_threads,
                   " are possible");
    if (blocks > 1 && device.spec.cluster_blocks == 0)
        return cat(device.name(), " (", device.architecture(), ") has no clusters; they begin with sm_90");
    if (shape.cooperative && !device.has_cooperative_launch)
        return cat(device.name(), " cannot run cooperative launches");
    return {};
}

Error Kernel::launch_error(Status status, const LaunchShape& shape, std::span<const std::uint64_t> args,
                           std::span<const TensorNote> tensors) const {
    const ResultRow& row = result_row(status);
    Context& context = m_module->context();
    if (row.is_sticky) // an earlier launch is to blame
        return context.failure(status, "launching a kernel");
    std::string text = launch_text(*m_signature, shape, args, tensors);
    if (std::string why = refusal(shape); !why.empty())
        return {"launch-failed", cat(text, " cannot be launched: ", why)};
    if (std::string_view(row.code) == "launch-failed")
        return {"launch-failed", cat(text, " cannot be launched: it ", row.meaning, " (", row.name, ")")};
    if (status == Status::OutOfMemory)
        return {"out-of-device-memory", cat(text, " cannot be launched: the device has no memory left for the local "
                                                  "memory of its threads")};
    if (status == Status::InvalidValue)
        return {"launch-failed", cat(text, " cannot be launched: the driver refuses its shape (", row.name, ")")};
    return context.failure(status, "launching " + text);
}

static int shared_percent_of_overlapping(const artifact::TargetSpec& gpu, const KernelAttributes& kernel,
                                         const LaunchShape& shape) {
    return package::shared_percent_of_overlapping({gpu.multiprocessors, gpu.shared_bytes, gpu.registers},
                                                  {shape.blocks(),
                                                   shape.dynamic_shared + kernel.static_shared + gpu.shared_reserved,
                                                   kernel.registers * shape.threads()});
}

Result<void> Kernel::allow_shared(Stream& stream, const LaunchShape& shape) {
    Context& context = stream.context();
    if (shape.dynamic_shared > m_dynamic_shared_allowed) {
        Status status = context.api().function_set_attribute(m_handle, function_attribute::max_dynamic_shared,
                                                             static_cast<int>(shape.dynamic_shared));
        if (status != Status::Success)
            return launch_error(status, shape, {}, {});
        m_dynamic_shared_allowed = shape.dynamic_shared;
    }
    // A multiprocessor divides its memory anew only when it is idle, so kernels that shall begin beside others want the same
    // part of it; those that need more get more. A wish: what is refused changes nothing.
    if (shape.programmatic && !m_shared_preferred) {
        context.api().function_set_attribute(m_handle, function_attribute::preferred_shared_percent,
                                             shared_percent_of_overlapping(context.device().spec, m_attributes, shape));
        m_shared_preferred = true;
    }
    const auto blocks = static_cast<int>(shape.cluster_blocks());
    const bool large = blocks > context.device().spec.portable_cluster_blocks;
    if (large && !m_large_clusters_allowed) {
        Status status = context.api().function_set_attribute(m_handle, function_attribute::non_portable_cluster, 1);
        if (status != Status::Success)
            return launch_error(status, shape, {}, {});
        m_large_clusters_allowed = true;
    }
    return {};
}

// As the driver takes extents: it says itself which are too large.
static void put(const LaunchShape::Extents& extents, unsigned (&out)[3]) {
    std::ranges::transform(extents, out, [](std::int64_t extent) { return static_cast<unsigned>(extent); });
}

static bool is_given(const Stream::Watched& memory, const KernelSignature& kernel,
                     std::span<const std::uint64_t> args) {
    for (std::size_t i = 0; memory.bytes > 0 && i < args.size(); ++i)
        if (kernel.params[i].is_pointer && args[i] - memory.begin < memory.bytes)
            return true;
    return false;
}

Result<void> Kernel::launch(Stream& stream, const LaunchShape& shape, std::span<const std::uint64_t> args,
                            std::span<const TensorNote> tensors) {
    HIDET_CHECK(args.size() == m_signature->params.size(), m_signature->name);
    Context& context = stream.context();
    HIDET_TRY_TO(context.enter());
    HIDET_TRY_TO(allow_shared(stream, shape));
    LaunchAttribute attributes[3];
    LaunchConfig config;
    put(shape.grid, config.grid);
    put(shape.block, config.block);
    config.dynamic_shared = static_cast<unsigned>(shape.dynamic_shared);
    config.stream = stream.handle();
    config.attributes = attributes;
    auto add = [&](LaunchAttributeId id) -> LaunchAttribute& {
        LaunchAttribute& attribute = attributes[config.attribute_count++];
        attribute.id = id;
        return attribute;
    };
    if (shape.cluster_blocks() != 1)
        put(shape.cluster, add(LaunchAttributeId::ClusterDimension).value.dims);
    if (shape.cooperative)
        add(LaunchAttributeId::Cooperative).value.flag = 1;
    if (shape.programmatic)
        add(LaunchAttributeId::ProgrammaticStreamSerialization).value.flag = 1;
    // The driver reads as many bytes at each place as the parameter has; the machine is little-endian like the device.
    void* places[most_parameters];
    for (std::size_t i = 0; i < args.size(); ++i)
        places[i] = m_signature->params[i].is_tensor_map ? reinterpret_cast<void*>(args[i])
                                                         : const_cast<std::uint64_t*>(&args[i]);
    Stream::Printing printing(stream); // a launch may write out what earlier ones printed
    Status status = context.api().launch(&config, m_handle, places, nullptr);
    if (status != Status::Success)
        return launch_error(status, shape, args, tensors);
    context.log().add(m_signature, shape, stream.handle(), args, tensors);
    if (m_module->prints())
        stream.expect_output();
    return is_given(stream.watched(), *m_signature, args) ? stream.note_watched() : Result<void>{};
}

std::shared_ptr<Module> ModuleCache::find_or_add(const std::string& key, const ModuleImage& image) {
    std::shared_ptr<Module>& module = m_modules[key];
    if (!module)
        module = Module::create(m_context, image);
    return module;
}

} // namespace hidet::cuda
