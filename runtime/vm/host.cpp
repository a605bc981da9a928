// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/host.h"

#include <algorithm>
#include <thread>

#include "lang/base/check.h"
#include "lang/base/finding_words.h"
#include "lang/base/text.h"
#include "runtime/vm/async/tensor_map.h"
#include "runtime/vm/backend.h"
#include "runtime/vm/debug/replay.h"
#include "runtime/vm/kept_clusters.h"
#include "runtime/vm/observe/timed_launch.h"
#include "runtime/vm/team.h"

namespace hidet::vm {

namespace {

constexpr std::int64_t largest_workspace = std::int64_t{8} << 30;

} // namespace

HostRunner::HostRunner(HostContext context, const Function& function)
    : m_context(context), m_function(function), m_code(prepare_host(function)) {
    m_u.resize(static_cast<std::size_t>(function.u_count) + 1);
    m_locals.resize(function.locals.size());
}

void HostRunner::release() {
    for (std::uint64_t& pointer : m_locals)
        if (std::uint64_t local = std::exchange(pointer, 0))
            m_context.memory->free(local);
    for (std::uint64_t pointer : m_workspaces) {
        const Allocation* allocation = m_context.memory->find(id_of(pointer));
        if (allocation && !allocation->data) {
            m_context.options->backend->free(allocation->info.device_address);
            m_context.memory->unmap(pointer);
        } else {
            m_context.memory->free(pointer);
        }
    }
    m_workspaces.clear();
}

std::uint64_t HostRunner::run(std::span<const std::uint64_t> args, Statistics& statistics) {
    struct Release {
        HostRunner& runner;
        ~Release() { runner.release(); }
    } release{*this};
    m_statistics = &statistics;
    m_pc = 0, m_steps = 0, m_result = 0, m_done = false;
    std::ranges::fill(m_u, 0);
    std::copy(args.begin(), args.end(), m_u.begin());
    std::copy(m_function.constants.begin(), m_function.constants.end(), m_u.begin() + m_function.first_constant);
    const MachineOptions& options = *m_context.options;
    while (!m_done) {
        const Step& step = m_code.steps[m_pc++];
        if ((++m_steps & 0xFFF) == 0) {
            if (options.cancelled && options.cancelled->load(std::memory_order_relaxed))
                fail(FindingKind::Cancelled, "was cancelled");
            if (m_steps > options.max_steps || m_steps / 10 > options.max_block_instructions)
                fail(FindingKind::StepBudget, "exceeded the step limit (--max-steps); is this loop infinite?");
        }
        if (step.is_scalar) {
            if (step.divides && m_u[step.b] == 0)
                fail(FindingKind::DivisionByZero, divides_by_zero);
            step.scalar(&m_u[step.dst], &m_u[step.a], &m_u[step.b], &m_u[step.c]);
        } else {
            execute(step);
        }
    }
    statistics.instructions += m_steps;
    statistics.thread_instructions += m_steps;
    report_counters();
    return m_result;
}

void HostRunner::add_counters(const Function& kernel, const std::vector<Counters>& counters) {
    auto& [function, sums] = m_counters[kernel.name];
    function = &kernel;
    sums.resize(counters.size());
    for (std::size_t pc = 0; pc < counters.size(); ++pc)
        sums[pc].add(counters[pc]);
}

void HostRunner::report_counters() {
    for (const auto& [name, counted] : m_counters)
        for (std::size_t pc = 0; pc < counted.second.size(); ++pc)
            if (const Counters& counters = counted.second[pc]; counters.warps > 0)
                m_statistics->counted.push_back({name, counted.first->origins[pc],
                                                 work_kind(counted.first->code[pc]).value_or(WorkKind::Other),
                                                 counters});
    m_counters.clear();
}

void HostRunner::fail(FindingKind kind, const std::string& text) {
    fail_with(kind, "function '" + m_function.name + "' " + text);
}

// The function that launches is often one that nobody wrote.
void HostRunner::fail_launch(FindingKind kind, const Function& kernel, const std::string& text) {
    fail_with(kind, "kernel '" + kernel.name + "' is launched with " + text);
}

void HostRunner::fail_with(FindingKind kind, std::string message) {
    Finding finding;
    finding.kind = kind;
    finding.function = m_function.name;
    finding.origin = m_function.origins[m_pc - 1];
    finding.message = std::move(message);
    throw FindingError{std::move(finding)};
}

std::string HostRunner::element_text(const Access& access) {
    std::vector<std::int64_t> index;
    for (const AccessDim& dim : access.dims)
        if (dim.is_index)
            index.push_back(dim.constant + (dim.u >= 0 ? integer(dim.u) : 0));
    std::string name =
        access.name >= 0 ? m_context.program->strings[static_cast<std::size_t>(access.name)] : "an address";
    return hidet::element_text(name, index);
}

HostRunner::Element HostRunner::resolve(const Step& step, bool is_store) {
    const Access& access = m_function.accesses[static_cast<std::size_t>(step.instr.x)];
    const AccessVerb access_verb = is_store ? AccessVerb::Writes : AccessVerb::Reads;
    const std::string verb = text_of(access_verb);
    Finding finding;
    bool outside = false;
    for (const AccessDim& dim : access.dims) {
        if (!dim.is_index)
            continue;
        std::int64_t index = dim.constant + (dim.u >= 0 ? integer(dim.u) : 0);
        std::int64_t extent = dim.extent_u >= 0 ? integer(dim.extent_u) : dim.extent;
        finding.index.push_back(index);
        finding.shape.push_back(extent);
        outside = outside || ((dim.extent >= 0 || dim.extent_u >= 0) && (index < 0 || index >= extent));
    }
    auto throw_finding = [&](const std::string& text) {
        finding.kind = FindingKind::OutOfBounds;
        finding.function = m_function.name;
        finding.origin = m_function.origins[m_pc - 1];
        finding.is_store = is_store;
        finding.tensor = name_in(*m_context.program, access.name);
        finding.dtype = artifact::scalar_name(access.element);
        finding.message = "function '" + m_function.name + "' " + text;
        throw FindingError{std::move(finding)};
    };
    if (outside)
        throw_finding(outside_of_shape(access_verb, element_text(access), finding.shape));
    std::uint64_t pointer = slot(access.base);
    int bytes = artifact::scalar_bytes(access.element);
    std::int64_t at = offset_of(pointer) + access_offset(access, m_u);
    const Allocation* allocation = m_context.memory->find(id_of(pointer));
    if (!allocation)
        fail(FindingKind::InvalidPointer,
             verb + element_text(access) +
                 (id_of(pointer) == 0 ? " through a null pointer" : " through a pointer that is not an address"));
    if (allocation->info.device == Device::Cuda)
        fail(FindingKind::WrongDevice,
             verb + element_text(access) + " in memory of the GPU; the tensor must be on the CPU");
    if (is_store && allocation->info.read_only)
        fail(FindingKind::ReadOnly, verb + element_text(access) + " in memory that is read-only");
    if (at < 0 || at + bytes > allocation->bytes) {
        std::int64_t elements = allocation->bytes / bytes;
        finding.shape = {elements};
        throw_finding(verb + element_text(access) + " (byte " + std::to_string(at) + "), outside of its " +
                      std::to_string(elements) + " element" + (elements == 1 ? "" : "s") + " of " +
                      artifact::scalar_name(access.element));
    }
    if (at % access.align)
        fail(FindingKind::Misaligned, verb + element_text(access) + " at an address that is not a multiple of " +
                                          std::to_string(access.align) + " bytes");
    return {allocation->data + at, bytes};
}

void HostRunner::load(const Step& step) {
    Element element = resolve(step, false);
    std::uint64_t bits = 0;
    std::memcpy(&bits, element.data, static_cast<std::size_t>(element.bytes));
    slot(step.instr.dst) = artifact::extended(step.type, bits);
}

void HostRunner::store(const Step& step) {
    Element element = resolve(step, true);
    std::memcpy(element.data, &slot(step.instr.a), static_cast<std::size_t>(element.bytes));
}

std::uint64_t HostRunner::local_array(std::int32_t row) {
    std::uint64_t& pointer = m_locals[static_cast<std::size_t>(row)];
    if (!pointer) {
        const artifact::LocalArray& array = m_function.locals[static_cast<std::size_t>(row)];
        auto bytes = static_cast<std::size_t>(array.count * artifact::scalar_bytes(array.element));
        BufferInfo info{.name = m_context.program->strings[static_cast<std::size_t>(array.name)],
                        .dtype = artifact::scalar_name(array.element),
                        .shape = {array.count},
                        .device = Device::Cpu,
                        .initialised = false};
        pointer = m_context.memory->allocate(bytes, std::move(info));
    }
    return pointer;
}

const Allocation& HostRunner::part(std::uint64_t pointer, std::int64_t bytes, bool is_store, const char* what) {
    const Allocation* allocation = m_context.memory->find(id_of(pointer));
    if (!allocation)
        fail(FindingKind::InvalidPointer,
             std::string(what) + (id_of(pointer) ? " a pointer that is not an address" : " a null pointer"));
    std::int64_t at = offset_of(pointer);
    if (bytes < 0 || at < 0 || at + bytes > allocation->bytes)
        fail(FindingKind::OutOfBounds, std::string(what) + " bytes " + std::to_string(at) + " to " +
                                           std::to_string(at + bytes - 1) + " of an allocation of " +
                                           std::to_string(allocation->bytes) + " bytes");
    if (is_store && allocation->info.read_only)
        fail(FindingKind::ReadOnly, std::string(what) + " memory that is read-only");
    return *allocation;
}

void HostRunner::note_written(const Allocation& target, std::uint64_t to, std::int64_t bytes) {
    if (target.info.written)
        target.info.written->write(target.info.written_at + offset_of(to), bytes);
}

void HostRunner::fill(std::uint64_t to, std::int64_t bytes, int value) {
    const Allocation& target = part(to, bytes, true, "sets");
    if (!target.data)
        fail(FindingKind::WrongDevice, "sets memory of the GPU; the tensor must be on the CPU");
    std::memset(target.data + offset_of(to), value, static_cast<std::size_t>(bytes));
    note_written(target, to, bytes);
}

void HostRunner::copy(const Step& step) {
    std::int64_t bytes = integer(step.instr.c);
    std::uint64_t to = slot(step.instr.a), from = slot(step.instr.b);
    if (step.instr.x)
        return fill(to, bytes, static_cast<int>(from));
    const Allocation& target = part(to, bytes, true, "copies to");
    const Allocation& source = part(from, bytes, false, "copies from");
    auto count = static_cast<std::size_t>(bytes);
    DeviceBackend* device = m_context.options->backend;
    if (!device || (target.data && source.data)) {
        std::memmove(target.data + offset_of(to), source.data + offset_of(from), count);
        note_written(target, to, bytes);
        return;
    }
    auto address = [](const Allocation& side, std::uint64_t pointer) {
        return side.info.device_address + static_cast<std::uint64_t>(offset_of(pointer));
    };
    Result<void> done = target.data ? device->copy_to_host(target.data + offset_of(to), address(source, from), count)
                        : source.data
                            ? device->copy_to_device(address(target, to), source.data + offset_of(from), count)
                            : device->copy_on_device(address(target, to), address(source, from), count);
    if (!done)
        fail_device(done.error());
}

void HostRunner::workspace(const Step& step) {
    const Instr& i = step.instr;
    std::int64_t bytes = integer(i.a);
    if (bytes < 0 || bytes > largest_workspace)
        fail(FindingKind::InvalidLaunch, "requests a workspace of " + std::to_string(bytes) + " bytes");
    BufferInfo info{.name = "workspace",
                    .dtype = "u8",
                    .shape = {bytes},
                    .device = i.x & 2 ? Device::Cuda : Device::Cpu,
                    .initialised = (i.x & 1) != 0};
    auto count = static_cast<std::size_t>(bytes);
    if (info.device == Device::Cuda && m_context.options->backend) {
        Result<std::uint64_t> address = m_context.options->backend->allocate(count, (i.x & 1) != 0);
        if (!address)
            fail_device(address.error());
        info.device_address = address.value();
        slot(i.dst) = m_context.memory->map(nullptr, count, std::move(info));
    } else {
        if (info.device == Device::Cuda && !info.initialised && m_context.options->checks == Checks::All)
            info.written = std::make_shared<InitBitmap>(bytes);
        slot(i.dst) = m_context.memory->allocate(count, std::move(info));
    }
    m_workspaces.push_back(slot(i.dst));
}

void HostRunner::fail_device(const Error& error) {
    Finding finding = device_finding(error);
    finding.function = m_function.name;
    finding.origin = m_function.origins[m_pc - 1];
    throw FindingError{std::move(finding)};
}

void HostRunner::launch(const Step& step) {
    const artifact::Launch& launch = m_function.launches[static_cast<std::size_t>(step.instr.x)];
    const Function& kernel = m_context.program->functions[static_cast<std::size_t>(launch.function)];
    LaunchShape shape;
    if (!read_shape(launch, kernel, shape))
        return;
    if (m_context.options->launched)
        m_context.options->launched({&kernel, shape, {}, {}, {}});
    if (m_context.options->backend)
        send(launch, kernel, shape);
    else
        emulate(launch, kernel, shape);
}

bool HostRunner::read_shape(const artifact::Launch& launch, const Function& kernel, LaunchShape& shape) {
    for (std::size_t d = 0; d < 3; ++d) {
        shape.grid[d] = integer(launch.grid[d]);
        shape.block[d] = integer(launch.block[d]);
        shape.cluster[d] = integer(launch.cluster[d]);
    }
    shape.dynamic_shared = integer(launch.dynamic_shared);
    shape.programmatic = kernel.overlaps;
    auto three = [](const LaunchShape::Extents& dims) { return tuple_text({dims[0], dims[1], dims[2]}, '(', ')'); };
    const auto refuse = [&](const std::string& text) { fail_launch(FindingKind::InvalidLaunch, kernel, text); };
    for (std::size_t d = 0; d < 3; ++d)
        if (shape.grid[d] < 0 || shape.block[d] < 0)
            refuse("a negative shape: grid " + three(shape.grid) + ", block " + three(shape.block));
    const auto is_empty = [](const LaunchShape::Extents& dims) { return dims[0] == 0 || dims[1] == 0 || dims[2] == 0; };
    if (is_empty(shape.grid) || is_empty(shape.block))
        return false;
    const artifact::TargetSpec& target = m_context.options->target;
    for (std::size_t d = 0; d < 3; ++d) { // each first, as a product of what is too large may look small
        if (shape.grid[d] > target.grid_blocks[d])
            refuse(cat("a grid of ", three(shape.grid), "; at most ", target.grid_blocks[d], " blocks are allowed in ",
                       "xyz"[d]));
        if (shape.block[d] > target.block_threads[d])
            refuse(cat("blocks of ", three(shape.block), "; at most ", target.block_threads[d],
                       " threads are allowed in ", "xyz"[d]));
        if (shape.cluster[d] < 1 || shape.grid[d] % shape.cluster[d])
            refuse("a grid of " + three(shape.grid) + " that clusters of " + three(shape.cluster) + " do not divide");
    }
    const std::int64_t threads = shape.threads();
    if (threads > target.threads_per_block)
        refuse(cat("blocks of ", three(shape.block), " = ", threads, " threads; at most ", target.threads_per_block,
                   " are allowed"));
    if (shape.cluster_blocks() >
        std::max(target.cluster_blocks, 1)) // launches set the attribute for more than portable ones
        refuse(cat("clusters of ", three(shape.cluster), "; at most ", target.cluster_blocks, " blocks are allowed"));
    const std::int64_t shared = shared_bytes(kernel, shape);
    if (shape.dynamic_shared < 0 || shared > target.shared_per_block_optin)
        refuse(cat(shared, " bytes of shared memory; at most ", target.shared_per_block_optin, " are allowed"));
    return true;
}

void HostRunner::emulate(const artifact::Launch& launch, const Function& kernel, const LaunchShape& shape) {
    const MachineOptions& options = *m_context.options;
    const VectorTable& table = best_table(options.isa);
    const std::int64_t threads = shape.threads();
    int lanes = static_cast<int>((threads + 31) / 32 * 32);
    KernelCode& ready = (*m_context.kernels)[static_cast<std::size_t>(launch.function)];
    const bool is_new = ready.lanes != lanes || ready.table != &table;
    if (is_new) {
        ready = {prepare(kernel, lanes, table), lanes, &table};
        find_put_off(ready.code,
                     options.tiles || options.debugger ? Deferred::Addresses
                                                       : Deferred::Matrices); // which registers are to show
    }
    const bool tracks = options.checks == Checks::All && !ready.has_tracked;
    if (tracks) {
        find_undefined(ready.code, kernel);
        find_products(ready.code, kernel);
        find_index_arithmetic(ready.code, kernel);
        note_registers(ready.code, kernel);
        ready.has_tracked = true;
    }
    if (is_new || tracks) {
        if (!options.debugger) // where it depends on what was before how many loads are one
            find_load_runs(ready.code, kernel);
        m_context.kept->clear();
    }
    LaunchContext context;
    context.shape = shape;
    context.program = m_context.program;
    context.kernel = &kernel;
    context.code = &ready.code;
    context.table = &table;
    context.memory = m_context.memory;
    context.globals = m_context.globals;
    context.symbols = m_context.symbols;
    for (std::int32_t arg : launch.args)
        context.args.push_back(slot(arg));
    context.kept = m_context.kept;
    context.is_random = options.schedule == Schedule::Random;
    const int together = context.is_random && options.lanes == 0 ? 32 : options.lanes;
    const GroupLanes chosen = choose_group_lanes(kernel, static_cast<int>(threads), together);
    context.group_lanes = options.checks == Checks::All ? chosen.usual : chosen.most;
    context.most_lanes = chosen.most;
    context.seed = options.seed;
    find_owner_maps(kernel, context);
    context.counts = options.counts || options.times != nullptr || (options.tiles && options.tiles->at);
    context.max_steps = options.max_steps;
    context.max_block_instructions = options.max_block_instructions;
    context.most_printed = options.most_printed;
    context.cancelled = options.cancelled;
    int host_threads =
        options.threads > 0 ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    FindingLog log;
    LaunchShadow global;
    if (options.checks == Checks::All) {
        context.log = &log;
        context.global = &global;
        track_writes(context);
    }
    std::optional<RankHistory::Launch> history;
    if (context.log && options.team && options.team->size() > 1) {
        context.rank = options.rank;
        context.history_of_ranks = &options.team->history();
        if (reaches_symmetric(context) && !is_of_ranks(kernel)) {
            context.history = &history.emplace(*context.history_of_ranks, kernel.name);
            global.tracks_all = true;
        }
    }
    TimedLaunch timed(m_context, kernel, shape);
    timed.begin(context);
    TileKeeper tiles = tile_keeper(context);
    context.tiles = tiles.kept ? &tiles : nullptr;
    find_resources(context, options);
    std::optional<Replay> replay;
    if (options.debugger && options.debugger->wants(kernel, shape))
        context.replay = &replay.emplace(*options.debugger);
    LaunchResult result = is_of_ranks(kernel) ? run_with_ranks(context)
                                              : run_in_orders(context, host_threads, options.print, *m_context.orders);
    if (history)
        history->end();
    timed.end(*m_statistics);
    ++m_statistics->launches;
    m_statistics->add(result.statistics);
    if (options.counts)
        add_counters(kernel, result.counters);
}

// Memory of the CPU that kernels reach: the GPU has a copy of it for the time of a launch, one for all arguments that point
// into it. The launch is waited for, as nobody says when the CPU reads what it wrote.
std::uint64_t HostRunner::mirror_of(std::uint32_t id, const Allocation& allocation) {
    for (const Mirror& mirror : m_mirrors)
        if (mirror.id == id)
            return mirror.address;
    DeviceBackend& device = *m_context.options->backend;
    const auto bytes = static_cast<std::size_t>(allocation.bytes);
    Result<std::uint64_t> address = device.allocate(std::max<std::size_t>(bytes, 1), false);
    if (!address)
        fail_device(address.error());
    m_mirrors.push_back({id, address.value()});
    if (bytes) // whatever it was to begin with: a launch or the function itself may have written into it
        if (Result<void> done = device.copy_to_device(address.value(), allocation.data, bytes); !done)
            fail_device(done.error());
    return address.value();
}

void HostRunner::read_mirrors() {
    for (const Mirror& mirror : m_mirrors) {
        const Allocation* allocation = m_context.memory->find(mirror.id);
        if (!allocation || allocation->info.read_only || !allocation->bytes)
            continue;
        Result<void> done = m_context.options->backend->copy_to_host(allocation->data, mirror.address,
                                                                     static_cast<std::size_t>(allocation->bytes));
        if (!done)
            fail_device(done.error());
    }
}

void HostRunner::free_mirrors() {
    for (const Mirror& mirror : m_mirrors)
        m_context.options->backend->free(mirror.address);
    m_mirrors.clear();
}

std::uint64_t HostRunner::device_address(const Function& kernel, std::size_t parameter, std::uint64_t pointer,
                                         const BufferInfo*& buffer) {
    const Allocation* allocation = m_context.memory->find(id_of(pointer));
    auto param = [&] { return "'" + kernel.params[parameter].name + "'"; };
    if (!allocation)
        fail_launch(FindingKind::InvalidPointer, kernel, "a pointer that is not an address for " + param());
    if (allocation->info.is_mapped && allocation->data) {
        buffer = &allocation->info;
        return mirror_of(id_of(pointer), *allocation) + static_cast<std::uint64_t>(offset_of(pointer));
    }
    if (allocation->info.device == Device::Cpu)
        fail_launch(FindingKind::WrongDevice, kernel, param() + " in memory of the CPU; the tensor must be on the GPU");
    if (!allocation->info.device_address)
        fail_launch(FindingKind::InvalidPointer, kernel,
                    "the address of the variable '" + allocation->info.name + "' for " + param() +
                        "; only kernels can refer to it");
    buffer = &allocation->info;
    return allocation->info.device_address + static_cast<std::uint64_t>(offset_of(pointer));
}

artifact::TensorMap HostRunner::device_map(const Function& kernel, std::size_t parameter, std::uint64_t pointer,
                                           const BufferInfo*& buffer) {
    artifact::TensorMap map = tensor_map_at(*m_context.memory, pointer);
    if (map.made != artifact::TensorMap::mark)
        fail_launch(FindingKind::InvalidLaunch, kernel,
                    cat("the tensor map '", kernel.params[parameter].name, "' that create_tensor_map has not made"));
    map.address = device_address(kernel, parameter, map.address, buffer);
    return map;
}

void HostRunner::send(const artifact::Launch& launch, const Function& kernel, const LaunchShape& shape) {
    struct Release {
        HostRunner& runner;
        ~Release() { runner.free_mirrors(); }
    } release{*this};
    m_args.clear();
    m_buffers.clear();
    m_maps.clear();
    std::deque<artifact::TensorMap> maps;
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
        std::uint64_t bits = slot(launch.args[i]);
        const BufferInfo* buffer = nullptr;
        const artifact::TensorMap* map = nullptr;
        if (kernel.params[i].is_tensor_map)
            map = &maps.emplace_back(device_map(kernel, i, bits, buffer));
        else if (kernel.params[i].is_pointer && bits)
            bits = device_address(kernel, i, bits, buffer);
        m_args.push_back(bits);
        m_buffers.push_back(buffer);
        m_maps.push_back(map);
    }
    const DeviceLaunch out{&kernel, shape, m_args, m_maps, m_buffers};
    if (Result<void> done = m_context.options->backend->launch(out); !done)
        fail_device(done.error());
    read_mirrors();
    ++m_statistics->launches;
    m_statistics->blocks += static_cast<std::uint64_t>(shape.blocks());
}

void HostRunner::print(const Step& step) {
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    std::vector<std::uint64_t> values;
    for (std::int32_t item : row.items)
        values.push_back(slot(item));
    if (m_context.options->print)
        m_context.options->print(format_text(row, values, m_context.program->strings));
}

void HostRunner::execute(const Step& step) {
    const Instr& i = step.instr;
    const auto& strings = m_context.program->strings;
    switch (step.op) {
    case Op::Jump: m_pc = static_cast<std::uint32_t>(i.x); return;
    case Op::JumpIf:
        if ((m_u[step.a] != 0) != ((i.flags & artifact::flag_negate) != 0))
            m_pc = static_cast<std::uint32_t>(i.x);
        return;
    case Op::Return:
        if (i.a >= 0)
            m_result = slot(i.a);
        m_done = true;
        return;
    case Op::Load: return load(step);
    case Op::Store: return store(step);
    case Op::Address: {
        const Access& access = m_function.accesses[static_cast<std::size_t>(i.x)];
        slot(i.dst) = slot(access.base) + static_cast<std::uint64_t>(access_offset(access, m_u));
        return;
    }
    case Op::Symbol: {
        auto it = m_context.symbols->find(strings[static_cast<std::size_t>(i.x)]);
        if (it == m_context.symbols->end())
            fail(FindingKind::BadCall,
                 "needs the dimension '" + strings[static_cast<std::size_t>(i.x)] + "', which has no value");
        slot(i.dst) = static_cast<std::uint64_t>(it->second);
        return;
    }
    case Op::SetSymbol: (*m_context.symbols)[strings[static_cast<std::size_t>(i.x)]] = integer(i.a); return;
    case Op::LocalPointer: slot(i.dst) = local_array(i.x); return;
    case Op::GlobalPointer: slot(i.dst) = m_context.globals->at(static_cast<std::size_t>(i.x)); return;
    case Op::Special: slot(i.dst) = 0; return;
    case Op::Spin:
    case Op::Fence: return;
    case Op::Print: return print(step);
    case Op::Assert:
        if (!slot(i.a)) {
            const std::string& message = strings[static_cast<std::size_t>(i.x)];
            fail(FindingKind::AssertFailed, failed_assertion(message));
        }
        return;
    case Op::Launch: return launch(step);
    case Op::Copy: return copy(step);
    case Op::Workspace: return workspace(step);
    case Op::TensorMap:
    case Op::PixelMap: return make_tensor_map(step);
#define HIDET_VALUE_OP(Name, ...) case Op::Name:
#include "compiler/artifact/opcodes.def"
        break; // they have been computed
#define HIDET_KERNEL_OP(Name, ...) case Op::Name:
#include "compiler/artifact/opcodes.def"
        break; // of kernels
    }
    internal_failure(__FILE__, __LINE__, "opcode in a host function", artifact::info(step.op).name);
}

} // namespace hidet::vm
