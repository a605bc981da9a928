// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/backend.h"

#include <set>
#include <utility>

#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/vm/machine.h"

namespace hidet::cuda {

Backend::Backend(std::shared_ptr<Stream> stream, BackendOptions options)
    : m_stream(std::move(stream)), m_options(options) {}
Backend::~Backend() = default;

void Backend::add(const artifact::Program& program, std::shared_ptr<Module> module,
                  const std::vector<artifact::EntryPoint>& entries) {
    for (const artifact::Function& function : program.functions)
        for (const artifact::EntryPoint& entry : entries)
            if (function.kind == artifact::FunctionKind::Kernel && function.name == entry.name)
                m_kernels[&function] = {module, entry, nullptr};
}

void Backend::replace(const artifact::Program& program, std::shared_ptr<Module> module,
                      const artifact::EntryPoint& entry) {
    add(program, std::move(module), {entry});
}

void Backend::remove(const artifact::Program& program) {
    for (const artifact::Function& function : program.functions)
        m_kernels.erase(&function);
}

Result<std::shared_ptr<Kernel>> Backend::kernel(const artifact::Function& function) {
    auto it = m_kernels.find(&function);
    if (it == m_kernels.end())
        return Error{"kernel-missing", cat("the kernel '", function.name, "' was not compiled for the GPU")};
    Slot& slot = it->second;
    if (!slot.kernel) {
        HIDET_CHECK(slot.entry.params.size() == function.params.size(), function.name);
        HIDET_TRY(std::shared_ptr<Kernel> kernel,
                  slot.module->kernel({slot.entry.name, slot.entry.symbol, slot.entry.params}));
        HIDET_TRY_TO(tell_peers(*slot.module));
        slot.kernel = std::move(kernel);
    }
    return slot.kernel;
}

// Tensor maps as the driver encodes them, and where they lie in place of the arguments.
Result<std::vector<std::uint64_t>> Backend::with_maps(const vm::DeviceLaunch& launch) {
    std::vector<std::uint64_t> args(launch.args.begin(), launch.args.end());
    m_maps.clear();
    for (std::size_t i = 0; i < launch.maps.size(); ++i)
        if (launch.maps[i]) {
            HIDET_TRY_TO(encode(m_stream->context().api(), *launch.maps[i], m_maps.emplace_back()));
            args[i] = reinterpret_cast<std::uint64_t>(&m_maps.back());
        }
    return args;
}

Result<void> Backend::launch(const vm::DeviceLaunch& launch) {
    if (!m_only.empty() && launch.kernel->name != m_only)
        return {};
    auto it = m_kernels.find(launch.kernel);
    if (it == m_kernels.end() || !it->second.kernel) {
        HIDET_TRY_TO(kernel(*launch.kernel));
        it = m_kernels.find(launch.kernel);
    }
    if (m_noted) {
        m_noted->emplace_back(it->second.kernel, launch);
        return {};
    }
    const bool is_marked = m_wants_marks && m_wants_marks(*launch.kernel);
    if (const auto block = is_marked ? artifact::block_number(launch.shape, m_marked_block) : std::nullopt)
        return start_marked(it->second, launch, *block);
    return start(it->second, launch);
}

Result<void> Backend::start(Slot& slot, const vm::DeviceLaunch& launch) {
    m_notes.clear();
    for (const vm::BufferInfo* buffer : launch.buffers)
        m_notes.push_back(buffer ? TensorNote{buffer->dtype.c_str(), buffer->shape} : TensorNote{});
    HIDET_TRY(const std::vector<std::uint64_t> args, with_maps(launch));
    HIDET_TRY_TO(slot.kernel->launch(*m_stream, launch.shape, args, m_notes));
    return m_options.wait_after_launch ? m_stream->wait() : Result<void>{};
}

Result<void> Backend::set_peers(const artifact::Peers& peers) {
    m_peers = peers;
    for (const auto& [function, slot] : m_kernels)
        if (slot.kernel)
            HIDET_TRY_TO(tell_peers(*slot.module));
    return {};
}

// In the order of the stream, before the launches that follow.
Result<void> Backend::tell_peers(Module& module) {
    if (!m_peers || !module.names(artifact::peers_name))
        return {};
    HIDET_TRY(const Module::Global variable, module.global(artifact::peers_name));
    if (variable.bytes != sizeof *m_peers)
        return Error{"kernel-differs",
                     cat("'", artifact::peers_name, "' of a module takes ", variable.bytes, " bytes")};
    return copy_to_device(variable.address, &*m_peers, sizeof *m_peers);
}

// ---- marks ------------------------------------------------------------------------------------------------------------

void Backend::read_marks(WantsMarks wants, const artifact::BlockIndex& block) {
    m_wants_marks = std::move(wants), m_marked_block = block;
}

std::vector<artifact::MarkedBlock> Backend::take_marked() {
    return std::exchange(m_marked, {});
}

Result<void> Backend::choose_marked(Module& module, std::optional<std::int64_t> block) {
    HIDET_TRY(const Module::Global chosen, module.global(artifact::marked_block_name));
    const std::uint64_t word = block ? static_cast<std::uint64_t>(*block) + 1 : 0;
    return copy_to_device(chosen.address, &word, sizeof word);
}

Result<void> Backend::write_marks(const artifact::Program& program, std::optional<std::int64_t> block) {
    std::set<Module*> modules;
    for (const artifact::Function& function : program.functions)
        if (const auto found = m_kernels.find(&function); found != m_kernels.end())
            modules.insert(found->second.module.get());
    for (Module* module : modules)
        if (module->global(artifact::marked_block_name))
            HIDET_TRY_TO(choose_marked(*module, block));
    return {};
}

// The words are read at once: the next launch may be of a kernel that writes to the same.
Result<void> Backend::start_marked(Slot& slot, const vm::DeviceLaunch& launch, std::int64_t block) {
    const Result<Module::Global> marks = slot.module->global(artifact::marks_name);
    if (!marks) // nothing in the module does what is timed
        return start(slot, launch);
    artifact::MarkedBlock marked{launch.kernel->name, block, launch.shape, {}};
    marked.words.resize(static_cast<std::size_t>(artifact::words_of_marks));
    const std::size_t bytes = marked.words.size() * sizeof(std::uint64_t);
    if (marks.value().bytes < bytes)
        return Error{"kernel-differs",
                     cat("the marks of '", launch.kernel->name, "' take ", marks.value().bytes, " bytes")};
    Result<void> done = fill(*m_stream, marks.value().address, 0, bytes);
    if (done)
        done = choose_marked(*slot.module, block);
    if (done)
        done = start(slot, launch);
    if (done)
        done = copy_to_host(marked.words.data(), marks.value().address, bytes);
    if (done)
        done = choose_marked(*slot.module, std::nullopt);
    if (done)
        m_marked.push_back(std::move(marked));
    return done;
}

Result<std::uint64_t> Backend::allocate(std::size_t bytes, bool zeroed) {
    // The smallest that is free and fits: calls of a program ask for the same sizes every time.
    Workspace* best = nullptr;
    for (Workspace& workspace : m_workspaces)
        if (!workspace.in_use && workspace.buffer.bytes() >= bytes &&
            (!best || workspace.buffer.bytes() < best->buffer.bytes()))
            best = &workspace;
    if (!best) {
        Result<DeviceBuffer> buffer = DeviceBuffer::allocate(m_stream, bytes, "a workspace");
        if (!buffer && buffer.error().code == "out-of-device-memory") {
            free_workspaces();
            buffer = DeviceBuffer::allocate(m_stream, bytes, "a workspace");
        }
        if (!buffer)
            return buffer.error();
        best = &m_workspaces.emplace_back(Workspace{std::move(buffer).value(), false});
    }
    if (zeroed)
        HIDET_TRY_TO(fill(*m_stream, best->buffer.address(), 0, bytes));
    best->in_use = true;
    return best->buffer.address();
}

void Backend::free(std::uint64_t address) {
    for (Workspace& workspace : m_workspaces)
        if (workspace.buffer.address() == address)
            workspace.in_use = false;
}

void Backend::free_workspaces() {
    std::erase_if(m_workspaces, [](const Workspace& workspace) { return !workspace.in_use; });
}

Result<void> Backend::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes) {
    return cuda::copy_to_device(*m_stream, to, from, bytes);
}
Result<void> Backend::copy_to_host(void* to, std::uint64_t from, std::size_t bytes) {
    return cuda::copy_to_host(*m_stream, to, from, bytes);
}
Result<void> Backend::copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    return cuda::copy_on_device(*m_stream, to, from, bytes);
}

// ---- noted launches ----

NotedLaunch::NotedLaunch(std::shared_ptr<Kernel> kernel, const vm::DeviceLaunch& launch)
    : kernel(std::move(kernel)), shape(launch.shape), args(launch.args.begin(), launch.args.end()) {
    for (const vm::BufferInfo* buffer : launch.buffers)
        m_tensors.push_back(buffer ? std::optional(Tensor{buffer->dtype, buffer->shape}) : std::nullopt);
    for (std::size_t i = 0; i < launch.maps.size(); ++i)
        if (launch.maps[i])
            m_maps.push_back({i, *launch.maps[i], {}});
}

void NotedLaunch::set_address(std::size_t arg, std::uint64_t address) {
    for (Map& each : m_maps)
        if (each.arg == arg) {
            each.map.address = address;
            return;
        }
    args[arg] = address;
}

Result<void> NotedLaunch::start(Stream& stream) {
    for (Map& each : m_maps) {
        HIDET_TRY_TO(encode(stream.context().api(), each.map, each.encoded));
        args[each.arg] = reinterpret_cast<std::uint64_t>(&each.encoded);
    }
    std::vector<TensorNote> notes;
    notes.reserve(m_tensors.size());
    for (const std::optional<Tensor>& each : m_tensors)
        notes.push_back(each ? TensorNote{each->dtype.c_str(), each->shape} : TensorNote{});
    return kernel->launch(stream, shape, args, notes);
}

} // namespace hidet::cuda
