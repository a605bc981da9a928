// SPDX-License-Identifier: Apache-2.0
// The entry points; those that make tensor maps are in tensor_maps.cpp.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "tests/fake/cuda/entry.h"

namespace {

constexpr Status unsupported_in_capture = static_cast<Status>(900);
constexpr Status no_such_device = static_cast<Status>(101);
constexpr Status no_such_context = static_cast<Status>(201);
thread_local std::vector<ContextHandle> contexts; // the current one last

fake::Stream* stream_of(StreamHandle handle) {
    static fake::Stream default_stream;
    return handle ? reinterpret_cast<fake::Stream*>(handle) : &default_stream;
}
fake::Event* event_of(EventHandle handle) {
    return reinterpret_cast<fake::Event*>(handle);
}
fake::Function* function_of(FunctionHandle handle) {
    return reinterpret_cast<fake::Function*>(handle);
}

// Now, or into the graph that the stream is recording.
Status perform(StreamHandle handle, const std::string& kind, std::function<void()> action) {
    fake::Stream* stream = stream_of(handle);
    if (stream->capture) {
        stream->capture->nodes.push_back(std::move(action));
        stream->capture->kinds.push_back(kind);
        return Status::Success;
    }
    if (stream->is_busy)
        stream->waiting.push_back(std::move(action));
    else if (!stream->is_hung)
        action();
    return Status::Success;
}

bool is_programmatic(const LaunchConfig& config) {
    return std::any_of(
        config.attributes, config.attributes + config.attribute_count, [](const LaunchAttribute& attribute) {
            return attribute.id == LaunchAttributeId::ProgrammaticStreamSerialization && attribute.value.flag != 0;
        });
}

void take_time(const std::string& name) {
    fake::State& s = state();
    auto time = s.settings.times.find(name);
    s.clock += time == s.settings.times.end() ? 5 : time->second;
}

void run_kernel(fake::Stream* stream, const fake::ImageKernel& kernel, const LaunchConfig& config,
                const std::vector<std::vector<char>>& values) {
    fake::State& s = state();
    take_time(kernel.name);
    if (s.settings.hanging.count(kernel.name)) {
        stream->is_hung = true;
        return;
    }
    if (auto fault = s.settings.faults.find(kernel.name); fault != s.settings.faults.end()) {
        s.pending = fault->second;
        return;
    }
    if (auto early = s.settings.early.find(kernel.name); early != s.settings.early.end() && is_programmatic(config)) {
        s.pending = early->second;
        return;
    }
    if (auto text = s.settings.prints.find(kernel.name); text != s.settings.prints.end())
        s.unflushed += text->second + "\n";
    if (!s.body)
        return;
    std::vector<const void*> places;
    for (const auto& value : values)
        places.push_back(value.data());
    FakeCudaLaunch launch{};
    launch.kernel = kernel.name.c_str();
    std::copy_n(config.grid, 3, launch.grid);
    std::copy_n(config.block, 3, launch.block);
    std::fill_n(launch.cluster, 3, 1u);
    launch.dynamic_shared = config.dynamic_shared;
    for (unsigned i = 0; i < config.attribute_count; ++i) {
        const LaunchAttribute& attribute = config.attributes[i];
        switch (attribute.id) {
        case LaunchAttributeId::ClusterDimension: std::copy_n(attribute.value.dims, 3, launch.cluster); break;
        case LaunchAttributeId::Cooperative: launch.is_cooperative = attribute.value.flag != 0; break;
        case LaunchAttributeId::ProgrammaticStreamSerialization: break;
        }
    }
    launch.is_programmatic = is_programmatic(config);
    launch.parameter_count = values.size();
    launch.parameters = places.data();
    launch.parameter_bytes = kernel.params.data();
    s.body(&launch, s.body_data);
}

Status allocate(DeviceAddress* address, std::size_t bytes) {
    fake::State& s = state();
    if (bytes == 0)
        return Status::InvalidValue;
    if (s.used + bytes > s.settings.memory)
        return Status::OutOfMemory;
    std::unique_ptr<char[]> memory(new char[bytes + 256]);
    std::memset(memory.get(), 0xCD, bytes + 256);
    *address = (reinterpret_cast<std::uint64_t>(memory.get()) + 255) & ~std::uint64_t{255};
    s.used += bytes;
    s.sizes[*address] = bytes;
    s.memory[*address] = std::move(memory);
    return Status::Success;
}

Status release(DeviceAddress address) {
    fake::State& s = state();
    auto it = s.sizes.find(address);
    if (it == s.sizes.end())
        return Status::InvalidValue;
    s.used -= it->second;
    s.sizes.erase(it);
    s.memory.erase(address);
    return Status::Success;
}

void* host(DeviceAddress address) {
    return reinterpret_cast<void*>(address);
}

} // namespace

void* fake_cuda_current() {
    return contexts.empty() ? nullptr : contexts.back();
}

void fake_cuda_start(void* stream, const char* name, const std::function<void()>& work) {
    Lock lock(state().mutex);
    perform(reinterpret_cast<StreamHandle>(stream), "library", [named = std::string(name), work] {
        take_time(named);
        work();
    });
}

// What waits begins when the work before it has ended, which may be long work again.
static void end_long_work(fake::Stream* stream) {
    Lock lock(state().mutex);
    stream->is_busy = false;
    while (!stream->is_busy && !stream->waiting.empty()) {
        const std::function<void()> next = std::move(stream->waiting.front());
        stream->waiting.erase(stream->waiting.begin());
        if (!stream->is_hung)
            next();
    }
}

void fake_cuda_start_long(void* handle, const std::function<void(std::function<void()> end)>& begin) {
    Lock lock(state().mutex);
    fake::Stream* stream = stream_of(reinterpret_cast<StreamHandle>(handle));
    perform(reinterpret_cast<StreamHandle>(handle), "library", [stream, begin] {
        stream->is_busy = true;
        begin([stream] { end_long_work(stream); });
    });
}

ENTRY cuInit(unsigned) {
    ENTER("cuInit");
    return static_cast<Status>(state().settings.init);
}
ENTRY cuDriverGetVersion(int* version) {
    Lock lock(state().mutex);
    *version = state().settings.driver;
    return Status::Success;
}
ENTRY cuGetErrorName(Status, const char** name) {
    *name = "CUDA_ERROR_FAKE";
    return Status::Success;
}

ENTRY cuDeviceGetCount(int* count) {
    ENTER("cuDeviceGetCount");
    *count = state().settings.devices;
    return Status::Success;
}
ENTRY cuDeviceGet(DeviceHandle* device, int ordinal) {
    ENTER("cuDeviceGet");
    *device = ordinal;
    return ordinal >= 0 && ordinal < state().settings.devices ? Status::Success : no_such_device;
}
ENTRY cuDeviceGetName(char* name, int bytes, DeviceHandle) {
    ENTER("cuDeviceGetName");
    std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU");
    return Status::Success;
}
ENTRY cuDeviceGetAttribute(int* value, int attribute, DeviceHandle) {
    ENTER("cuDeviceGetAttribute");
    bool hopper = state().settings.sm >= 90;
    switch (attribute) {
    case device_attribute::compute_major: *value = state().settings.sm / 10; break;
    case device_attribute::compute_minor: *value = state().settings.sm % 10; break;
    case device_attribute::multiprocessors: *value = 132; break;
    case device_attribute::clock_khz: *value = 1980000; break;
    case device_attribute::memory_clock_khz: *value = 3201000; break;
    case device_attribute::memory_bus_bits: *value = 6016; break;
    case device_attribute::l2_bytes: *value = 60 << 20; break;
    case device_attribute::max_threads_per_block: *value = 1024; break;
    case device_attribute::max_threads_per_multiprocessor: *value = hopper ? 2048 : 1024; break;
    case device_attribute::max_blocks_per_multiprocessor: *value = 32; break;
    case device_attribute::max_registers_per_multiprocessor: *value = 65536; break;
    case device_attribute::max_shared_per_block: *value = 48 << 10; break;
    case device_attribute::max_shared_per_block_optin: *value = (hopper ? 227 : 64) << 10; break;
    case device_attribute::max_shared_per_multiprocessor: *value = (hopper ? 228 : 64) << 10; break;
    case device_attribute::cooperative_launch: *value = 1; break;
    case device_attribute::cluster_launch: *value = hopper; break;
    case device_attribute::shared_reserved_per_block: *value = state().settings.sm >= 80 ? 1024 : 0; break;
    case device_attribute::memory_pools: *value = state().settings.pools; break;
    default: *value = 0;
    }
    return Status::Success;
}
ENTRY cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle) {
    ENTER("cuDeviceTotalMem_v2");
    *bytes = state().settings.memory;
    return Status::Success;
}
ENTRY cuDeviceGetPCIBusId(char* text, int bytes, DeviceHandle device) {
    std::snprintf(text, static_cast<std::size_t>(bytes), "0000:00:%02X.0", 0x0F + static_cast<unsigned>(device));
    return Status::Success;
}
ENTRY cuDeviceGetDefaultMemPool(PoolHandle* pool, DeviceHandle) {
    ENTER("cuDeviceGetDefaultMemPool");
    *pool = nullptr;
    return Status::Success;
}
ENTRY cuMemPoolSetAttribute(PoolHandle, int, void*) {
    ENTER("cuMemPoolSetAttribute");
    return Status::Success;
}
ENTRY cuMemPoolTrimTo(PoolHandle pool, std::size_t) {
    ENTER("cuMemPoolTrimTo");
    return pool == nullptr ? Status::Success : Status::InvalidValue; // as the default pool is called here
}

ENTRY cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle) {
    ENTER("cuDevicePrimaryCtxRetain");
    *context = reinterpret_cast<ContextHandle>(&state());
    ++state().objects;
    return Status::Success;
}
ENTRY cuDevicePrimaryCtxRelease_v2(DeviceHandle) {
    ENTER("cuDevicePrimaryCtxRelease_v2");
    --state().objects;
    return Status::Success;
}
ENTRY cuCtxSetCurrent(ContextHandle context) {
    ENTER("cuCtxSetCurrent");
    (contexts.empty() ? contexts.emplace_back() : contexts.back()) = context;
    return Status::Success;
}
ENTRY cuCtxGetCurrent(ContextHandle* context) {
    ENTER("cuCtxGetCurrent");
    *context = contexts.empty() ? nullptr : contexts.back();
    return Status::Success;
}
ENTRY cuCtxPushCurrent_v2(ContextHandle context) {
    ENTER("cuCtxPushCurrent_v2");
    contexts.push_back(context);
    return Status::Success;
}
ENTRY cuCtxPopCurrent_v2(ContextHandle* context) {
    const bool has_one = !contexts.empty();
    if (has_one) { // also where the context is lost
        *context = contexts.back();
        contexts.pop_back();
    }
    ENTER("cuCtxPopCurrent_v2");
    return has_one ? Status::Success : no_such_context;
}
ENTRY cuCtxGetDevice(DeviceHandle* device) {
    ENTER("cuCtxGetDevice");
    *device = 0;
    return contexts.empty() || !contexts.back() ? no_such_context : Status::Success;
}

ENTRY cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    ENTER("cuMemGetInfo_v2");
    *total = state().settings.memory;
    *free = *total - state().used;
    return Status::Success;
}
ENTRY cuMemAlloc_v2(DeviceAddress* address, std::size_t bytes) {
    ENTER("cuMemAlloc_v2");
    return bytes < fake::least_shared ? allocate(address, bytes) : fake::allocate_shared(address, bytes);
}
ENTRY cuMemFree_v2(DeviceAddress address) {
    ENTER("cuMemFree_v2");
    return fake::is_shared(address) ? fake::release_shared(address) : release(address);
}
ENTRY cuMemAllocAsync(DeviceAddress* address, std::size_t bytes, StreamHandle stream) {
    ENTER("cuMemAllocAsync");
    return stream_of(stream)->capture ? unsupported_in_capture : allocate(address, bytes);
}
ENTRY cuMemFreeAsync(DeviceAddress address, StreamHandle stream) {
    ENTER("cuMemFreeAsync");
    if (stream_of(stream)->capture)
        return unsupported_in_capture;
    return stream_of(stream)->is_busy ? perform(stream, "free", [=] { release(address); }) : release(address);
}
ENTRY cuMemHostAlloc(void** data, std::size_t bytes, unsigned) {
    ENTER("cuMemHostAlloc");
    std::unique_ptr<char[]> memory(new char[bytes]);
    *data = memory.get();
    state().pinned[*data] = std::move(memory);
    return Status::Success;
}
ENTRY cuMemFreeHost(void* data) {
    ENTER("cuMemFreeHost");
    return state().pinned.erase(data) ? Status::Success : Status::InvalidValue;
}
ENTRY cuMemcpyHtoDAsync_v2(DeviceAddress to, const void* from, std::size_t bytes, StreamHandle stream) {
    ENTER("cuMemcpyHtoDAsync_v2");
    if (!state().holds(to, bytes))
        return Status::InvalidValue;
    if (stream_of(stream)->is_busy) { // the bytes are taken before the call returns
        const char* const data = static_cast<const char*>(from);
        return perform(stream, "copy", [to, taken = std::vector<char>(data, data + bytes)] {
            std::memcpy(host(to), taken.data(), taken.size());
        });
    }
    return perform(stream, "copy", [=] { std::memcpy(host(to), from, bytes); });
}
ENTRY cuMemcpyDtoHAsync_v2(void* to, DeviceAddress from, std::size_t bytes, StreamHandle stream) {
    ENTER("cuMemcpyDtoHAsync_v2");
    if (!state().holds(from, bytes))
        return Status::InvalidValue;
    return perform(stream, "copy", [=] { std::memcpy(to, host(from), bytes); });
}
ENTRY cuMemcpyDtoDAsync_v2(DeviceAddress to, DeviceAddress from, std::size_t bytes, StreamHandle stream) {
    ENTER("cuMemcpyDtoDAsync_v2");
    if (!state().holds(to, bytes) || !state().holds(from, bytes))
        return Status::InvalidValue;
    return perform(stream, "copy", [=] { std::memmove(host(to), host(from), bytes); });
}
ENTRY cuMemcpyAsync(DeviceAddress to, DeviceAddress from, std::size_t bytes, StreamHandle stream) {
    ENTER("cuMemcpyAsync");
    return perform(stream, "copy", [=] { std::memmove(host(to), host(from), bytes); });
}
ENTRY cuMemsetD8Async(DeviceAddress to, unsigned char value, std::size_t count, StreamHandle stream) {
    ENTER("cuMemsetD8Async");
    if (!state().holds(to, count))
        return Status::InvalidValue;
    return perform(stream, "fill", [=] { std::memset(host(to), value, count); });
}

ENTRY cuModuleLoadDataEx(ModuleHandle* module, const void* image, unsigned, int*, void**) {
    ENTER("cuModuleLoadDataEx");
    auto made = std::make_unique<fake::Module>();
    if (!fake::read_image(image, made->image))
        return Status::InvalidImage;
    if (made->image.arch && made->image.arch / 10 != state().settings.sm / 10)
        return Status::NoBinaryForGpu;
    for (const fake::ImageKernel& kernel : made->image.kernels)
        made->functions[kernel.name] = std::make_unique<fake::Function>(fake::Function{kernel, {}});
    for (const fake::ImageGlobal& global : made->image.globals)
        if (Status status = allocate(&made->globals[global.name], global.bytes); status != Status::Success)
            return status;
    *module = reinterpret_cast<ModuleHandle>(made.get());
    state().modules.insert(std::move(made));
    ++state().objects;
    return Status::Success;
}
ENTRY cuModuleUnload(ModuleHandle module) {
    ENTER("cuModuleUnload");
    auto& modules = state().modules;
    auto it = std::find_if(modules.begin(), modules.end(),
                           [&](const auto& m) { return reinterpret_cast<ModuleHandle>(m.get()) == module; });
    if (it == modules.end())
        return Status::InvalidValue;
    for (const auto& [name, address] : (*it)->globals)
        release(address);
    modules.erase(it);
    --state().objects;
    return Status::Success;
}
ENTRY cuModuleGetFunction(FunctionHandle* function, ModuleHandle module, const char* name) {
    ENTER("cuModuleGetFunction");
    auto& functions = reinterpret_cast<fake::Module*>(module)->functions;
    auto it = functions.find(name);
    if (it == functions.end())
        return Status::NotFound;
    *function = reinterpret_cast<FunctionHandle>(it->second.get());
    return Status::Success;
}
ENTRY cuModuleGetGlobal_v2(DeviceAddress* address, std::size_t* bytes, ModuleHandle module, const char* name) {
    ENTER("cuModuleGetGlobal_v2");
    auto& globals = reinterpret_cast<fake::Module*>(module)->globals;
    auto it = globals.find(name);
    if (it == globals.end())
        return Status::NotFound;
    *address = it->second;
    *bytes = state().sizes[it->second];
    return Status::Success;
}
ENTRY cuFuncGetAttribute(int* value, int attribute, FunctionHandle function) {
    ENTER("cuFuncGetAttribute");
    const fake::ImageKernel& kernel = function_of(function)->kernel;
    switch (attribute) {
    case function_attribute::registers: *value = kernel.registers; break;
    case function_attribute::static_shared: *value = kernel.shared; break;
    case function_attribute::local_bytes: *value = kernel.local; break;
    case function_attribute::max_threads_per_block: *value = kernel.threads; break;
    default: *value = 0;
    }
    return Status::Success;
}
ENTRY cuFuncSetAttribute(FunctionHandle function, int attribute, int value) {
    ENTER("cuFuncSetAttribute");
    int most = (state().settings.sm >= 90 ? 227 : 64) << 10;
    if (attribute == function_attribute::max_dynamic_shared && value + function_of(function)->kernel.shared > most)
        return Status::InvalidValue;
    function_of(function)->attributes[attribute] = value;
    return Status::Success;
}
ENTRY cuFuncGetParamInfo(FunctionHandle function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    ENTER("cuFuncGetParamInfo");
    const auto& params = function_of(function)->kernel.params;
    if (index >= params.size())
        return Status::InvalidValue;
    *offset = 0;
    *bytes = params[index];
    return Status::Success;
}
ENTRY cuLaunchKernelEx(const LaunchConfig* config, FunctionHandle handle, void** parameters, void**) {
    ENTER("cuLaunchKernelEx");
    fake::Function* function = function_of(handle);
    const fake::ImageKernel& kernel = function->kernel;
    unsigned threads = config->block[0] * config->block[1] * config->block[2];
    if (threads == 0 || threads > 1024 || config->grid[0] * config->grid[1] * config->grid[2] == 0)
        return Status::InvalidValue;
    if (threads > static_cast<unsigned>(kernel.threads))
        return Status::LaunchOutOfResources;
    auto allowed = function->attributes.find(function_attribute::max_dynamic_shared);
    unsigned most = allowed == function->attributes.end() ? static_cast<unsigned>((48 << 10) - kernel.shared)
                                                          : static_cast<unsigned>(allowed->second);
    if (config->dynamic_shared > most)
        return Status::InvalidValue;
    std::vector<std::vector<char>> values;
    for (std::size_t i = 0; i < kernel.params.size(); ++i) {
        const char* value = static_cast<const char*>(parameters[i]);
        values.emplace_back(value, value + kernel.params[i]);
    }
    std::vector<LaunchAttribute> attributes(config->attributes, config->attributes + config->attribute_count);
    fake::Stream* stream = stream_of(config->stream);
    return perform(config->stream, kernel.name,
                   [stream, &kernel, config = *config, values = std::move(values), attributes]() mutable {
                       config.attributes = attributes.data();
                       run_kernel(stream, kernel, config, values);
                   });
}

// A real driver knows its objects after a context was lost and nobody may destroy them any more; so they are no leaks.
template <class Object>
static Object* known(Object* object) {
    static auto* objects = new std::vector<const void*>;
    objects->push_back(object);
    ++state().objects;
    return object;
}

ENTRY cuStreamCreateWithPriority(StreamHandle* stream, unsigned, int) {
    ENTER("cuStreamCreateWithPriority");
    *stream = reinterpret_cast<StreamHandle>(known(new fake::Stream));
    return Status::Success;
}
ENTRY cuStreamDestroy_v2(StreamHandle stream) {
    ENTER("cuStreamDestroy_v2");
    --state().objects;
    delete stream_of(stream);
    return Status::Success;
}
ENTRY cuStreamQuery(StreamHandle stream) {
    ENTER("cuStreamQuery");
    return stream_of(stream)->capture ? unsupported_in_capture : state().wait(stream_of(stream));
}
ENTRY cuStreamSynchronize(StreamHandle stream) {
    while (true) { // as long as a real one would wait
        {
            ENTER("cuStreamSynchronize");
            if (stream_of(stream)->capture)
                return unsupported_in_capture;
            if (Status status = state().wait(stream_of(stream)); status != Status::NotReady)
                return status;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}
ENTRY cuStreamWaitEvent(StreamHandle, EventHandle, unsigned) {
    ENTER("cuStreamWaitEvent");
    return Status::Success;
}
ENTRY cuEventCreate(EventHandle* event, unsigned) {
    ENTER("cuEventCreate");
    *event = reinterpret_cast<EventHandle>(known(new fake::Event));
    return Status::Success;
}
ENTRY cuEventDestroy_v2(EventHandle event) {
    ENTER("cuEventDestroy_v2");
    --state().objects;
    delete event_of(event);
    return Status::Success;
}
ENTRY cuEventRecord(EventHandle event, StreamHandle stream) {
    ENTER("cuEventRecord");
    event_of(event)->stream = stream_of(stream);
    event_of(event)->microseconds = state().clock;
    event_of(event)->recorded = true;
    return Status::Success;
}
ENTRY cuEventQuery(EventHandle event) {
    ENTER("cuEventQuery");
    return event_of(event)->recorded ? state().wait(event_of(event)->stream) : Status::Success;
}
ENTRY cuEventSynchronize(EventHandle event) {
    while (true) {
        {
            ENTER("cuEventSynchronize");
            fake::Stream* const stream = event_of(event)->stream;
            if (!stream || !stream->is_busy)
                return state().wait(stream);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}
ENTRY cuEventElapsedTime(float* ms, EventHandle start, EventHandle end) {
    ENTER("cuEventElapsedTime");
    if (!event_of(start)->recorded || !event_of(end)->recorded)
        return Status::InvalidValue;
    *ms = static_cast<float>((event_of(end)->microseconds - event_of(start)->microseconds) / 1000);
    return Status::Success;
}

ENTRY cuStreamBeginCapture_v2(StreamHandle stream, int) {
    ENTER("cuStreamBeginCapture_v2");
    stream_of(stream)->capture = std::make_unique<fake::Graph>();
    return Status::Success;
}
ENTRY cuStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
    auto capture = std::move(stream_of(stream)->capture); // it has ended, also where that fails
    ENTER("cuStreamEndCapture");
    if (!capture)
        return Status::InvalidValue;
    *graph = reinterpret_cast<GraphHandle>(capture.release());
    ++state().objects;
    return Status::Success;
}
ENTRY cuGraphGetNodes(GraphHandle graph, GraphNodeHandle*, std::size_t* count) {
    ENTER("cuGraphGetNodes");
    *count = reinterpret_cast<fake::Graph*>(graph)->nodes.size();
    return Status::Success;
}
ENTRY cuGraphDestroy(GraphHandle graph) {
    ENTER("cuGraphDestroy");
    --state().objects;
    delete reinterpret_cast<fake::Graph*>(graph);
    return Status::Success;
}
ENTRY cuGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph, unsigned long long) {
    ENTER("cuGraphInstantiateWithFlags");
    *exec = reinterpret_cast<GraphExecHandle>(known(new fake::Graph(*reinterpret_cast<fake::Graph*>(graph))));
    return Status::Success;
}
ENTRY cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
    ENTER("cuGraphLaunch");
    state().graph_stream = stream;
    for (const auto& node : reinterpret_cast<fake::Graph*>(exec)->nodes)
        perform(stream, "node", node);
    return Status::Success;
}
ENTRY cuGraphExecDestroy(GraphExecHandle exec) {
    ENTER("cuGraphExecDestroy");
    --state().objects;
    delete reinterpret_cast<fake::Graph*>(exec);
    return Status::Success;
}
