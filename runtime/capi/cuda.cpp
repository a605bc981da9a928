// SPDX-License-Identifier: Apache-2.0
// Opening a context on a GPU, and what a plan has to be for that.
#include <cstdlib>
#include <initializer_list>

#include "runtime/capi/cuda_device.h"
#include "runtime/capi/cuda_scalar.h"
#include "runtime/package/input_check.h"
#include "runtime/package/plan_names.h"

namespace hidet::capi {

using package::Code;
using package::refuse;
using package::Row;
using package::Step;
using package::StepKind;

namespace {

// Kernels trust what they are launched with; what kind each argument is of has been compared (check.h).
bool check_arguments(const auto& function, const Step& step, Problem& problem) {
    if (function.parameters.size() != step.arguments.size())
        return refuse(problem, Code::Damaged, "the package is damaged: '", function.name, "' takes ",
                      function.parameters.size(), " arguments, and is given ", step.arguments.size());
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
        const package::PlanArgument& argument = step.arguments[i];
        const auto& parameter = function.parameters[i];
        if (argument.kind != package::ArgumentKind::Scalar)
            continue;
        if (argument.type != parameter.type || !is_argument(argument.type))
            return refuse(problem, Code::Damaged, "the package is damaged: '", parameter.name, "' of '", function.name,
                          "' is ", package::scalar_name(parameter.type), ", and is given ",
                          package::scalar_name(argument.type));
    }
    return true;
}

// What cannot be recorded goes through the host.
bool check_plan(const package::Plan& plan, bool& can_record, Problem& problem) {
    for (Row body = package::no_row, next = 0; next <= plan.bodies.size(); body = next++)
        for (const Step& step : plan.body(body).steps) {
            can_record = can_record && (!is_on_host(step.kind) || is_input_check(step));
            if (step.kind == StepKind::Call)
                return refuse(problem, Code::Damaged,
                              "the package is damaged: a plan for GPUs calls functions of the CPU");
            if (step.kind == StepKind::Launch && !check_arguments(plan.functions[step.function], step, problem))
                return false;
        }
    return true;
}

} // namespace

bool CudaDevice::open(Device& device, Problem& problem) {
    if (!open_gpu(m_options.device.id, m_gpu, problem))
        return false;
    m_share = Share::use(m_package, m_gpu, problem);
    m_can_record = !m_options.profile && !m_options.is_cancelled;
    if (!m_share || !make_tables(problem) || !check_plan(m_plan, m_can_record, problem) || !m_host.open(problem))
        return false;
    package::TextWriter(m_name, sizeof m_name).add(m_gpu.name, " (", architecture_words(m_gpu.capability), ")");
    {
        const Entered entered(m_gpu);
        if (!entered.is_ok(problem) || !m_streams.open(*m_gpu.api, m_options, problem))
            return false;
        m_allocator = Allocator(m_options.allocator);
        m_blocks.open(m_gpu, m_allocator, m_streams.usual, m_streams.last_run);
        if (!m_share->load(m_package, m_plan, m_allocator, m_streams.usual, m_kernels, m_weights, problem))
            return false;
    }
    describe(device);
    return true;
}

bool CudaStreams::open(const Api& api, const hidet_context_options& options, Problem& problem) {
    if (!succeeds(api.stream_create(&own, cuda::stream_non_blocking, 0), problem, "making a stream"))
        return false;
    usual = current = options.stream ? static_cast<cuda::StreamHandle>(options.stream) : own;
    const auto make = [&](cuda::EventHandle& event, unsigned flags) {
        return succeeds(api.event_create(&event, flags), problem, "making an event");
    };
    return make(last_run, cuda::event_disable_timing) && make(ready, cuda::event_disable_timing) &&
           (!options.profile || (make(begin, 0) && make(end, 0)));
}

void CudaStreams::close(const Api& api) {
    for (const cuda::EventHandle event : {last_run, ready, begin, end})
        if (event)
            api.event_destroy(event);
    if (own)
        api.stream_destroy(own);
}

bool CudaDevice::make_tables(Problem& problem) {
    std::size_t most = 0;
    for (Row body = package::no_row, next = 0; next <= m_plan.bodies.size(); body = next++)
        for (const Step& step : m_plan.body(body).steps)
            most = step.arguments.size() > most ? step.arguments.size() : most;
    const bool has_memory = m_memory.make(m_kernels, m_plan.functions.size()) &&
                            m_memory.make(m_allowed, m_plan.functions.size()) &&
                            m_memory.make(m_weights, m_plan.weights.size()) &&
                            m_memory.make(m_inputs, m_plan.inputs.size()) && m_arguments.make_tables(m_memory, most);
    return has_memory || refuse(problem, Code::Memory, "memory for a context");
}

void CudaDevice::describe(Device& device) {
    using package::Bound;
    m_device = &device;
    device = {};
    device.name = m_name;
    device.weights = m_weights.items;
    device.weight_bytes = m_share->weight_bytes();
    package::Backend& backend = device.backend;
    backend.self = this;
    backend.allocate = Bound<&CudaDevice::allocate>::call;
    backend.release = Bound<&CudaDevice::release>::call;
    backend.launch = Bound<&CudaDevice::launch>::call;
    backend.host = Bound<&CudaDevice::host>::call;
    backend.copy = Bound<&CudaDevice::copy>::call;
    backend.fill = Bound<&CudaDevice::fill>::call;
    backend.read = Bound<&CudaDevice::read>::call;
    backend.write = Bound<&CudaDevice::write>::call;
    if (m_options.is_cancelled)
        backend.is_cancelled = [](void* self) {
            const hidet_context_options& options = static_cast<CudaDevice*>(self)->m_options;
            return options.is_cancelled(options.is_cancelled_self) != 0;
        };
    device.take_input = Bound<&CudaDevice::take_input>::call;
    device.inputs_taken = Bound<&CudaDevice::inputs_taken>::call;
    device.run = Bound<&CudaDevice::run>::call;
    device.pointer = [](package::Address address) { return reinterpret_cast<void*>(device_address(address)); };
    device.copy_out = Bound<&CudaDevice::copy_out>::call;
    device.wait = Bound<&CudaDevice::wait>::call;
    device.close = Bound<&CudaDevice::close>::call;
}

void CudaDevice::close() {
    if (m_share) {
        {
            const Entered entered(m_gpu);
            const Api& api = *m_gpu.api;
            if (m_streams.last_run)
                api.event_synchronize(m_streams.last_run);
            forget_graph();
            for (Input& input : m_inputs)
                if (input.copy)
                    m_blocks.give_back(input.copy);
            if (m_between)
                m_blocks.give_back(m_between);
            m_blocks.close();
            m_streams.close(api);
        }
        // Nothing is at work any more, so that any stream will do for what an allocator gets back.
        m_share->drop(m_package, static_cast<cuda::StreamHandle>(m_options.stream));
        m_share = nullptr;
    }
    this->~CudaDevice();
    std::free(this);
}

bool open_cuda(Package& package, const package::Plan& plan, const hidet_context_options& options, Device& device,
               Problem& problem) {
    void* const place = std::malloc(sizeof(CudaDevice));
    if (!place)
        return refuse(problem, Code::Memory, "memory for a context");
    auto* const cuda = new (place) CudaDevice(package, plan, options);
    if (cuda->open(device, problem))
        return true;
    cuda->close();
    return false;
}

} // namespace hidet::capi
