// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/context.h"

#include <cstdlib>
#include <new>

#include "runtime/capi/architecture.h"
#include "runtime/capi/dtypes.h"
#include "runtime/package/words.h"

namespace hidet::capi {

using namespace package;

namespace {

const char* target_name(hidet_device device) {
    return device.type == HIDET_CUDA ? "cuda" : "cpu";
}

// Of a plan for GPUs: of its module that runs worst.
int fitness_of(const Plan& plan, Capability gpu) {
    int worst = INT32_MAX;
    for (Row module = 0; module < plan.modules.size(); ++module) {
        int best = 0;
        for (const PlanImage<Flat>& image : plan.images)
            if (const int fits = fitness(image.architecture, image.kind, gpu); image.module == module && fits > best)
                best = fits;
        worst = best < worst ? best : worst;
    }
    return worst;
}

// Of the dtype and the extents; false: there are no such many.
bool bytes_of(hidet_dtype dtype, const std::int64_t* extents, std::size_t rank, std::uint64_t& bytes) {
    bytes = dtype.bits / 8u;
    for (std::size_t d = 0; d < rank; ++d)
        if (extents[d] < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extents[d]), &bytes))
            return false;
    return bytes <= static_cast<std::uint64_t>(most_addressable);
}

bool is_dense(const hidet_tensor& tensor) {
    std::int64_t stride = 1;
    for (std::int32_t d = tensor.ndim; tensor.strides && d-- > 0;) {
        if (tensor.shape[d] == 0)
            return true;
        if (tensor.shape[d] != 1 && tensor.strides[d] != stride)
            return false;
        if (__builtin_mul_overflow(stride, tensor.shape[d], &stride))
            return false;
    }
    return true;
}

} // namespace

Context* Context::create(Package& package, const hidet_context_options& options, Problem& problem) {
    void* place = std::malloc(sizeof(Context));
    if (!place) {
        refuse(problem, Code::Memory, "memory for a context");
        return nullptr;
    }
    package.use();
    auto* context = new (place) Context(package, options.device);
    if (context->open(options, problem))
        return context;
    context->destroy();
    return nullptr;
}

void Context::destroy() {
    Package& package = m_package;
    this->~Context();
    std::free(this);
    package.drop();
}

Context::~Context() {
    if (m_execution)
        m_execution->~Execution();
    if (m_device.close)
        m_device.close(m_device.backend.self);
}

bool Context::open(const hidet_context_options& options, Problem& problem) {
    if (!choose(options, problem))
        return false;
    const bool is_open = m_at.type == HIDET_CUDA ? open_cuda(m_package, *m_plan, options, m_device, problem)
                                                 : open_cpu(m_package, *m_plan, options, m_device, problem);
    if (!is_open) {
        m_device = {};
        return false;
    }
    void* place = m_memory.take(sizeof(Execution));
    if (!place || !m_memory.make(m_given, m_plan->inputs.size()) || !m_memory.make(m_taken, m_plan->inputs.size()))
        return refuse(problem, Code::Memory, "memory for a context");
    for (std::size_t i = 0; i < m_given.size(); ++i)
        if (!m_memory.make(m_given[i].extents, m_plan->values[m_plan->inputs[i]].shape.size()))
            return refuse(problem, Code::Memory, "memory for a context");
    m_execution = new (place) Execution;
    return make_infos(problem) && m_execution->open(*m_plan, m_device.backend, m_device.weights, problem);
}

bool Context::choose(const hidet_context_options& options, Problem& problem) {
    if (m_at.type != HIDET_CPU && m_at.type != HIDET_CUDA)
        return refuse(problem, Code::Argument, "there is no device of type ", m_at.type);
    const auto& variants = m_package.manifest().variants;
    const Text entry = options.entry ? text(options.entry) : variants[0].entry;
    Capability gpu;
    bool has_entry = false;
    int most = 0;
    char others[300] = "";
    TextWriter writer(others, sizeof others);
    for (Row row = 0; row < variants.size(); ++row) {
        if (!(variants[row].entry == entry))
            continue;
        writer.add(has_entry ? ", " : "", variants[row].target, " (", variants[row].architecture, ")");
        has_entry = true;
        if (!(variants[row].target == text(target_name(m_at))))
            continue;
        if (m_at.type == HIDET_CUDA && gpu.major == 0 && !cuda_capability(m_at.id, gpu, problem))
            return false;
        const int fits = m_at.type == HIDET_CUDA ? fitness_of(m_package.plan(row), gpu) : 1;
        if (fits > most) {
            most = fits;
            m_plan = &m_package.plan(row);
        }
    }
    if (!has_entry)
        return refuse(problem, Code::Argument, "the package has no entry '", entry, "'");
    if (m_plan)
        return true;
    if (gpu.major == 0)
        return refuse(problem, Code::Unsupported, "'", entry, "' is compiled for ", text(others), ", not for ",
                      target_name(m_at));
    return refuse(problem, Code::Unsupported, "'", entry, "' is compiled for ", text(others),
                  ", which a GPU of compute capability ", gpu.major, ".", gpu.minor, " does not run");
}

bool Context::make_infos(Problem& problem) {
    if (!m_memory.make(m_inputs, m_plan->inputs.size()) || !m_memory.make(m_outputs, m_plan->outputs.size()))
        return refuse(problem, Code::Memory, "memory for a context");
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        if (!make_info(m_plan->inputs[i], m_inputs[i], problem))
            return false;
    for (std::size_t i = 0; i < m_outputs.size(); ++i)
        if (!make_info(m_plan->outputs[i], m_outputs[i], problem))
            return false;
    return true;
}

bool Context::make_info(Row row, Info& info, Problem& problem) {
    const Value& value = m_plan->values[row];
    const DTypeRow* dtype = find_dtype(value.dtype);
    if (!dtype)
        return refuse(problem, Code::Unsupported, "'", value.name, "' has the type '", value.dtype,
                      "', which no array has");
    auto* name = static_cast<char*>(m_memory.take(value.name.size() + 1));
    if (!name || !m_memory.make(info.shape, value.shape.size()) || !m_memory.make(info.extents, value.shape.size()))
        return refuse(problem, Code::Memory, "memory for a context");
    TextWriter(name, value.name.size() + 1).add(value.name);
    info.name = name;
    info.dtype = dtype->dtype;
    for (std::size_t d = 0; d < value.shape.size(); ++d) {
        const List<ExprWord>& extent = m_plan->expressions[value.shape[d]];
        const bool is_constant = extent.size() == 1 && extent[0].op == ExprOp::Constant;
        info.shape[d] = is_constant ? extent[0].operand : -1;
    }
    return true;
}

bool Context::info_of(const List<Info>& infos, const char* what, std::size_t which, hidet_value_info& out,
                      Problem& problem) {
    if (which >= infos.size())
        return refuse(problem, Code::Argument, "there is no ", what, " ", which, " among ", infos.size());
    const Info& info = infos[which];
    out = {info.name, info.dtype, static_cast<std::int32_t>(info.shape.size()), info.shape.items};
    return true;
}

bool Context::input_info(std::size_t input, hidet_value_info& info, Problem& problem) const {
    return info_of(m_inputs, "input", input, info, problem);
}

bool Context::output_info(std::size_t output, hidet_value_info& info, Problem& problem) const {
    return info_of(m_outputs, "output", output, info, problem);
}

bool Context::take_input(std::size_t input, const hidet_tensor& given, TensorValue& value, Problem& problem) {
    const char* name = m_inputs[input].name;
    const DTypeRow* dtype = find_dtype(given.dtype);
    if (!dtype)
        return refuse(problem, Code::Input, "input '", name, "' has elements of a type that no model takes (code ",
                      given.dtype.code, ", ", given.dtype.bits, " bits, ", given.dtype.lanes, " lanes)");
    if (given.ndim < 0 || given.ndim > static_cast<std::int32_t>(most_rank) || (given.ndim > 0 && !given.shape))
        return refuse(problem, Code::Argument, "input '", name, "' has ", given.ndim, " dimensions");
    const auto rank = static_cast<std::uint32_t>(given.ndim);
    std::uint64_t bytes = 0;
    if (!bytes_of(dtype->dtype, given.shape, rank, bytes))
        return refuse(problem, Code::Input, "input '", name, "' has the shape ", extents_words(given.shape, rank));
    if (!is_dense(given))
        return refuse(problem, Code::Input, "input '", name,
                      "' has strides; the elements of an input lie row after row, without gaps");
    if (!given.data && bytes > 0)
        return refuse(problem, Code::Input, "input '", name, "' has no data");
    value = {text(dtype->name), given.shape, rank, {}};
    return m_device.take_input(m_device.backend.self, input, given, bytes, value.address, problem);
}

bool Context::is_as_before(const Given& given, const TensorValue& value) const {
    return m_is_bound && value.rank == given.extents.size() && value.dtype == given.value.dtype &&
           value.address.buffer == given.value.address.buffer && value.address.bytes == given.value.address.bytes &&
           std::memcmp(value.extents, given.extents.items, value.rank * sizeof(std::int64_t)) == 0;
}

bool Context::bind(const hidet_tensor* inputs, std::size_t count, Problem& problem) {
    if (count > 0 && !inputs)
        return refuse(problem, Code::Argument, "there are ", count, " inputs, at no address");
    const bool was_bound = m_is_bound;
    bool is_as_before = count == m_given.size();
    for (std::size_t i = 0; i < count && count == m_given.size(); ++i) {
        if (!take_input(i, inputs[i], m_taken[i], problem)) {
            m_is_bound = m_has_run = false;
            return false;
        }
        is_as_before = is_as_before && this->is_as_before(m_given[i], m_taken[i]);
    }
    m_device.inputs_taken(m_device.backend.self, was_bound && is_as_before);
    if (was_bound && is_as_before)
        return true;
    m_has_run = false;
    m_is_bound = m_execution->bind(m_taken.items, count, problem);
    for (std::size_t i = 0; i < count && m_is_bound; ++i) {
        m_given[i].value = m_taken[i];
        std::memcpy(m_given[i].extents.items, m_taken[i].extents, m_taken[i].rank * sizeof(std::int64_t));
    }
    return m_is_bound;
}

bool Context::run(void* stream, Problem& problem) {
    if (!m_is_bound)
        return refuse(problem, Code::Argument, "no inputs are bound");
    m_has_run = m_device.run(m_device.backend.self, *m_execution, stream, problem);
    return m_has_run;
}

bool Context::made(std::size_t output, Address& address, std::uint64_t& bytes, Problem& problem) {
    if (output >= m_outputs.size())
        return refuse(problem, Code::Argument, "there is no output ", output, " among ", m_outputs.size());
    if (!m_has_run)
        return refuse(problem, Code::Argument, "there has been no run of what is bound");
    const Info& info = m_outputs[output];
    const Row row = m_plan->outputs[output];
    address = m_execution->address(row);
    if (!address.buffer || !m_execution->extents(row, info.extents.items, problem) ||
        !bytes_of(info.dtype, info.extents.items, info.extents.size(), bytes) || bytes > address.bytes)
        return refuse(problem, Code::Failed, "output '", info.name, "' was not made");
    return true;
}

bool Context::output(std::size_t output, hidet_tensor& tensor, Problem& problem) {
    Address address;
    std::uint64_t bytes = 0;
    if (!made(output, address, bytes, problem))
        return false;
    const Info& info = m_outputs[output];
    tensor = {m_device.pointer(address),
              m_at,
              static_cast<std::int32_t>(info.extents.size()),
              info.dtype,
              info.extents.items,
              nullptr,
              0};
    return true;
}

bool Context::copy_output(std::size_t output, const hidet_tensor& to, Problem& problem) {
    Address address;
    std::uint64_t bytes = 0;
    if (!made(output, address, bytes, problem))
        return false;
    const Info& info = m_outputs[output];
    const std::size_t rank = info.extents.size();
    bool is_alike = to.ndim == static_cast<std::int32_t>(rank) && to.dtype.code == info.dtype.code &&
                    to.dtype.bits == info.dtype.bits && to.dtype.lanes == info.dtype.lanes && is_dense(to);
    for (std::size_t d = 0; d < rank && is_alike; ++d)
        is_alike = to.shape[d] == info.extents[d];
    if (!is_alike)
        return refuse(problem, Code::Argument, "output '", info.name, "' is ", find_dtype(info.dtype)->name, " ",
                      extents_words(info.extents.items, rank), ", row after row, and is copied to something else");
    if (to.device.type != HIDET_CPU && (to.device.type != m_at.type || to.device.id != m_at.id))
        return refuse(problem, Code::Argument, "output '", info.name,
                      "' is copied to a device that is neither the context's nor the CPU");
    return bytes == 0 || m_device.copy_out(m_device.backend.self, address, bytes,
                                           static_cast<unsigned char*>(to.data) + to.byte_offset,
                                           to.device.type == HIDET_CPU, problem);
}

bool Context::read_output(std::size_t output, void* to, std::size_t count, Problem& problem) {
    Address address;
    std::uint64_t bytes = 0;
    if (!made(output, address, bytes, problem))
        return false;
    if (bytes != count)
        return refuse(problem, Code::Argument, "output '", m_outputs[output].name, "' has ", bytes, " bytes, not ",
                      count);
    return bytes == 0 || m_device.copy_out(m_device.backend.self, address, bytes, to, true, problem);
}

} // namespace hidet::capi
