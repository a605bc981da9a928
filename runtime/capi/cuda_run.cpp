// SPDX-License-Identifier: Apache-2.0
// Inputs, runs and results of a context on a GPU. The first run of what is bound is made step by step, so that the driver has
// loaded what it loads late; the second is recorded, and from then on a run is one launch of a graph.
#include "runtime/capi/cuda_device.h"
#include "runtime/package/plan_names.h"

namespace hidet::capi {

using package::Code;
using package::refuse;
using package::Row;

namespace {

enum DLPackDevice { Cpu = HIDET_CPU, Cuda = HIDET_CUDA, PinnedCpu = 3, ManagedCuda = 13 };
constexpr std::uint64_t vector_bytes = 16; // that kernels read at once, and tensor maps want

} // namespace

bool CudaDevice::take_input(std::size_t row, const hidet_tensor& tensor, std::uint64_t bytes, package::Address& address,
                            Problem& problem) {
    const package::Text name = m_plan.values[m_plan.inputs[row]].name;
    const bool is_on_host = tensor.device.type == Cpu || tensor.device.type == PinnedCpu;
    if (!is_on_host && tensor.device.type != Cuda && tensor.device.type != ManagedCuda)
        return refuse(problem, Code::Input, "input '", name, "' is neither on a GPU of CUDA nor on the CPU");
    if (tensor.device.type == Cuda && tensor.device.id != m_gpu.id)
        return refuse(problem, Code::Input, "input '", name, "' is on GPU ", tensor.device.id,
                      ", and the context on GPU ", m_gpu.id);
    const auto data = reinterpret_cast<DeviceAddress>(tensor.data) + tensor.byte_offset;
    const bool is_copied = is_on_host || data % vector_bytes != 0 || m_options.copies_inputs;
    Input& input = m_inputs[row];
    if (is_copied && !keep(input.copy, bytes, problem))
        return false;
    const DeviceAddress place = is_copied ? input.copy->address : data;
    m_is_moved = m_is_moved || input.place.address != place;
    input.place = {nullptr, place, bytes};
    input.from_host = is_on_host ? reinterpret_cast<const void*>(data) : nullptr;
    input.from = is_copied && !is_on_host ? data : 0;
    address = {buffer_of(&input.place), 0, bytes};
    return true;
}

void CudaDevice::inputs_taken(bool same_shapes) {
    if (m_is_moved || !same_shapes)
        forget_graph();
    m_is_moved = false;
}

void CudaDevice::forget_graph() {
    m_has_run = false;
    m_does_record = true;
    if (!m_graph)
        return;
    const Entered entered(m_gpu);
    m_gpu.api->graph_exec_destroy(m_graph); // when it has ended
    m_graph = nullptr;
}

bool CudaDevice::run(package::Execution& execution, void* given, Problem& problem) {
    const Entered entered(m_gpu);
    problem.clear();
    if (!entered.is_ok(problem))
        return false;
    auto* const stream = given ? static_cast<cuda::StreamHandle>(given) : m_streams.usual;
    // Runs of a context use the same memory, so one in another stream waits for the one before.
    if (stream != m_streams.current &&
        !succeeds(m_gpu.api->stream_wait_event(stream, m_streams.last_run, 0), problem, "waiting for the last run"))
        return false;
    m_streams.current = stream;
    m_is_running = true;
    m_follows_kernel = false;
    const bool is_ok = order_memory(problem) && check_inputs(execution, problem) && copy_inputs(problem) &&
                       run_bound(execution, problem);
    m_is_running = false;
    m_has_run = is_ok;
    // Also of a part of a run: its memory is not given away before.
    const Status recorded = m_gpu.api->event_record(m_streams.last_run, m_streams.current);
    return is_ok && has_ended(recorded, "running the model", problem);
}

// An allocator gives memory that can be used in one stream.
bool CudaDevice::order_memory(Problem& problem) {
    const bool has_grown = m_blocks.has_grown;
    m_blocks.has_grown = false;
    if (!has_grown || !m_allocator.is_callers() || m_streams.current == m_streams.usual)
        return true;
    const Api& api = *m_gpu.api;
    return succeeds(api.event_record(m_streams.ready, m_streams.usual), problem, "recording an event") &&
           succeeds(api.stream_wait_event(m_streams.current, m_streams.ready, 0), problem, "waiting for memory");
}

bool CudaDevice::copy_inputs(Problem& problem) {
    const Api& api = *m_gpu.api;
    bool is_ok = true;
    for (const Input& input : m_inputs) {
        const DeviceBlock& to = input.place;
        if ((!input.from_host && !input.from) || to.bytes == 0 || !is_ok)
            continue;
        const Status status = input.from_host
                                  ? api.copy_to_device_async(to.address, input.from_host, to.bytes, m_streams.current)
                                  : api.copy_on_device_async(to.address, input.from, to.bytes, m_streams.current);
        is_ok = has_ended(status, "copying an input to the GPU", problem);
    }
    return is_ok;
}

// Indices in the caller's memory are looked at there; those on the GPU are fetched, which waits for what came before in the stream.
bool CudaDevice::check_inputs(package::Execution& execution, Problem& problem) {
    struct Reader {
        CudaDevice& device;
        HostCopies copies;
        const void* elements(Row value, std::uint64_t bytes, Problem& problem) {
            std::size_t row = 0;
            while (device.m_plan.inputs[row] != value)
                ++row;
            Input& input = device.m_inputs[row];
            if (input.from_host)
                return input.from_host;
            DeviceBlock given{nullptr, input.from ? input.from : input.place.address, bytes};
            unsigned char* const copy = copies.add(bytes, problem);
            return copy && device.read(copy, {buffer_of(&given), 0, bytes}, bytes, problem) ? copy : nullptr;
        }
    } reader{*this, {}};
    const auto elements = [](void* self, Row value, std::uint64_t bytes, Problem& problem) {
        return static_cast<Reader*>(self)->elements(value, bytes, problem);
    };
    return m_options.trusts_indices || m_host.check_inputs(execution, &reader, elements, problem);
}

bool CudaDevice::run_bound(package::Execution& execution, Problem& problem) {
    if (m_options.profile)
        return run_profiled(execution, problem);
    if (!m_graph && m_can_record && m_does_record && m_has_run) {
        Problem refused;
        m_does_record = record(execution, refused);
        if (!m_does_record) {
            char message[sizeof refused.message];
            package::TextWriter(message, sizeof message).add("no CUDA graph: ", package::text(refused.message));
            m_package.log(HIDET_LOG_WARNING, message);
        }
    }
    if (!m_graph)
        return execution.run(problem);
    m_launched = {.is_graph = true};
    return has_ended(m_gpu.api->graph_launch(m_graph, m_streams.current), "launching a graph", problem);
}

bool CudaDevice::record(package::Execution& execution, Problem& problem) {
    const Api& api = *m_gpu.api;
    if (!succeeds(api.capture_begin(m_streams.own, cuda::capture_thread_local), problem, "recording a graph"))
        return false;
    const cuda::StreamHandle stream = m_streams.current;
    m_streams.current = m_streams.own;
    m_blocks.is_fixed = true;
    const bool has_run = execution.run(problem);
    m_blocks.is_fixed = false;
    m_streams.current = stream;
    m_follows_kernel = false;
    // The end is told also after a failure: the stream would go on recording.
    cuda::GraphHandle graph = nullptr;
    const Status ended = api.capture_end(m_streams.own, &graph);
    bool is_ok = has_run && succeeds(ended, problem, "recording a graph");
    if (is_ok)
        is_ok = succeeds(api.graph_instantiate(&m_graph, graph, 0), problem, "making a graph of what was recorded");
    if (!is_ok)
        m_graph = nullptr;
    if (graph)
        api.graph_destroy(graph);
    return is_ok;
}

bool CudaDevice::run_profiled(package::Execution& execution, Problem& problem) {
    const Api& api = *m_gpu.api;
    for (Row row = 0; row < m_plan.steps.size(); ++row) {
        if (m_options.is_cancelled && m_options.is_cancelled(m_options.is_cancelled_self))
            return refuse(problem, Code::Cancelled, "the run was cancelled");
        m_has_worked = false;
        if (!succeeds(api.event_record(m_streams.begin, m_streams.current), problem, "recording an event") ||
            !execution.run_step(row, problem) ||
            !succeeds(api.event_record(m_streams.end, m_streams.current), problem, "recording an event"))
            return false;
        if (!tell_time(m_plan.steps[row], problem))
            return false;
    }
    return true;
}

bool CudaDevice::tell_time(const package::Step& step, Problem& problem) {
    const Api& api = *m_gpu.api;
    float milliseconds = 0;
    if (!has_ended(api.event_synchronize(m_streams.end), "waiting for a step", problem))
        return false;
    if (!m_has_worked) // it was not chosen, or had nothing to do
        return true;
    if (!succeeds(api.event_elapsed(&milliseconds, m_streams.begin, m_streams.end), problem,
                  "reading the time of a step"))
        return false;
    char name[300] = "";
    package::TextWriter writer(name, sizeof name);
    for (std::size_t i = 0; i < step.kernels.size(); ++i)
        writer.add(i ? "+" : "", step.kernels[i]);
    if (step.kernels.empty())
        writer.add(step.kind == package::StepKind::Launch ? m_plan.functions[step.function].name
                                                          : package::text(package::enum_name(step.kind)));
    const hidet_step_time time{name, static_cast<double>(milliseconds) * 1e3};
    m_options.profile(m_options.profile_self, &time);
    return true;
}

bool CudaDevice::copy_out(package::Address from, std::uint64_t bytes, void* to, bool to_cpu, Problem& problem) {
    const Api& api = *m_gpu.api;
    const Entered entered(m_gpu);
    if (!entered.is_ok(problem))
        return false;
    const DeviceAddress source = device_address(from);
    if (to_cpu)
        return has_ended(api.copy_to_host_async(to, source, bytes, m_streams.current), "reading a result", problem) &&
               has_ended(api.stream_synchronize(m_streams.current), "reading a result", problem);
    return has_ended(api.copy_on_device_async(reinterpret_cast<DeviceAddress>(to), source, bytes, m_streams.current),
                     "copying a result", problem) &&
           succeeds(api.event_record(m_streams.last_run, m_streams.current), problem, "recording an event");
}

bool CudaDevice::wait(Problem& problem) {
    const Entered entered(m_gpu);
    return entered.is_ok(problem) &&
           has_ended(m_gpu.api->event_synchronize(m_streams.last_run), "waiting for the last run", problem);
}

// The driver tells of a kernel's error later, whoever asks then.
bool CudaDevice::has_ended(Status status, const char* doing, Problem& problem) const {
    if (succeeds(status, problem, doing))
        return true;
    const ResultWords words = words_of(status);
    if (!words.is_of_kernel && !words.is_sticky)
        return false;
    package::Words<400> last;
    if (m_launched.is_graph)
        last.add("a graph of ", m_plan.steps.size(), " steps");
    else if (m_launched.function != package::no_row)
        last.add("'", m_plan.functions[m_launched.function].name, "' in step ", m_launched.step);
    else
        last.add("nothing");
    if (!m_launched.is_graph && m_launched.body != package::no_row)
        last.add(" of body ", m_launched.body);
    return refuse(problem, words.code, doing, " failed: ", words.is_of_kernel ? "a kernel " : "", words.meaning, " (",
                  words.name, "); launched last was ", last,
                  words.is_sticky ? "; this process cannot use the GPU any more" : "");
}

} // namespace hidet::capi
