// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/plan_backend.h"

#include <bit>
#include <cstring>

#include "app/session/compare/call_memory.h"
#include "app/session/execute/launchers.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/graph/plan/extent.h"
#include "compiler/graph/plan/host_steps.h"
#include "compiler/graph/script/distributed/exchange.h"
#include "lang/base/check.h"
#include "lang/base/out_of_memory.h"
#include "lang/base/text.h"
#include "lang/host/modules/distributed.h"
#include "runtime/package/read.h"

namespace hidet::session {

using graph::OpError;

namespace {

std::vector<artifact::ExprValue> values_of(const package::ExprValue* values, std::size_t count) {
    std::vector<artifact::ExprValue> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(values[i].is_known ? artifact::ExprValue(values[i].value) : std::nullopt);
    return out;
}

} // namespace

PlanRunner::Backend::Backend(PlanParts given, lang::Engine& engine, PlanRunOptions given_options)
    : parts(std::move(given)), options(std::move(given_options)), m_engine(engine), m_bytes(to_bytes(*parts.plan)),
      m_functions(functions()) {
    HIDET_CHECK(package::read_plan(m_bytes.data(), m_bytes.size(), m_memory, m_flat, problem), problem.message);
    for (const artifact::PlanBody& body : parts.plan->bodies)
        m_known.push_back(known_of(body));
    m_known.push_back(known_of(*parts.plan));
    m_weights.reserve(parts.weights.size());
    for (const lang::TensorRef& weight : parts.weights) {
        if (!weight->has_data())
            throw OpError("a constant of the model has no elements");
        const lang::TensorRef aligned = this->aligned(weight);
        m_weight_addresses.push_back(address_of(m_weights.emplace_back(Memory{aligned->storage}), *aligned));
    }
    if (!m_execution.open(m_flat, m_functions, m_weight_addresses.data(), problem))
        throw std::bad_alloc();
}

PlanRunner::Backend::Known PlanRunner::Backend::known_of(const artifact::PlanBody& body) const {
    Known known;
    for (const artifact::PlanValue& value : body.values) {
        const auto dtype = ir::find_dtype(value.dtype);
        HIDET_CHECK(dtype, value.dtype);
        known.dtypes.push_back(*dtype);
    }
    return known;
}

package::Address PlanRunner::Backend::address_of(Memory& memory, const lang::Tensor& tensor) {
    const std::size_t bytes = tensor.storage->bytes;
    return {handle(memory), tensor.offset, bytes - std::min(bytes, tensor.offset)};
}

// Kernels of a plan read vectors of up to so many bytes. A part of a tensor may begin anywhere.
lang::TensorRef PlanRunner::Backend::aligned(const lang::TensorRef& tensor) const {
    constexpr std::size_t vector_bytes = 16;
    if (tensor->offset % vector_bytes == 0 || device() != Device::Cuda)
        return tensor;
    const auto bytes = static_cast<std::size_t>(tensor->count() * graph::item_bytes(tensor->dtype));
    lang::TensorRef copy(new lang::Tensor(*tensor));
    copy->storage = std::make_shared<lang::Storage>(std::max<std::size_t>(bytes, 1), lang::Storage::OnDemand{});
    copy->offset = 0;
    copy->storage->copy(0, *tensor->storage, tensor->offset, bytes);
    return copy;
}

Device PlanRunner::Backend::device() const {
    return parts.plan->target == target_kind_name(artifact::TargetKind::Cuda) ? Device::Cuda : Device::Cpu;
}

template <class F>
bool PlanRunner::Backend::guarded(F&& body) {
    try {
        return body();
    } catch (...) {
        m_thrown = std::current_exception();
        return false;
    }
}

package::Backend PlanRunner::Backend::functions() {
    using package::Address;
    using package::Problem;
    package::Backend table;
    table.self = this;
    table.allocate = [](void* self, std::uint64_t bytes, Problem&) {
        return static_cast<Backend*>(self)->allocate(bytes);
    };
    table.release = [](void*, package::Buffer* buffer) { delete reinterpret_cast<Memory*>(buffer); };
    table.call = [](void* self, const package::FunctionCall& call, Problem&) {
        auto& own = *static_cast<Backend*>(self);
        return own.guarded([&] { return own.call(*call.execution, own.call_of(call)); });
    };
    table.launch = [](void* self, const package::KernelLaunch& launch, Problem&) {
        auto& own = *static_cast<Backend*>(self);
        return own.guarded([&] { return own.call(*launch.execution, own.call_of(launch)); });
    };
    table.host = [](void* self, package::HostStep& step, Problem&) {
        auto& own = *static_cast<Backend*>(self);
        return own.guarded([&] { return own.host(step); });
    };
    table.copy = [](void* self, Address to, Address from, std::uint64_t bytes, Problem&) {
        return static_cast<Backend*>(self)->guarded([&] {
            storage_of(to)->copy(to.offset, *storage_of(from), from.offset, bytes);
            return true;
        });
    };
    table.fill = [](void* self, Address to, std::uint8_t byte, std::uint64_t bytes, Problem&) {
        return static_cast<Backend*>(self)->guarded([&] {
            storage_of(to)->fill(to.offset, byte, bytes);
            return true;
        });
    };
    table.read = [](void* self, void* to, Address from, std::uint64_t bytes, Problem&) {
        return static_cast<Backend*>(self)->guarded([&] {
            std::memcpy(to, storage_of(from)->read() + from.offset, bytes);
            return true;
        });
    };
    table.write = [](void* self, Address to, const void* from, std::uint64_t bytes, Problem&) {
        return static_cast<Backend*>(self)->guarded([&] {
            std::memcpy(written(to), from, bytes);
            return true;
        });
    };
    table.is_cancelled = [](void* self) {
        const std::atomic<bool>* cancelled = static_cast<Backend*>(self)->options.cancelled;
        return cancelled && cancelled->load(std::memory_order_relaxed);
    };
    return table;
}

package::Buffer* PlanRunner::Backend::allocate(std::uint64_t bytes) {
    try {
        const std::size_t size = std::max<std::size_t>(bytes, 1);
        const bool is_on_gpu = device() == Device::Cuda && m_engine.has_cuda();
        auto storage = is_on_gpu ? std::make_shared<lang::Storage>(size, lang::Storage::OnDemand{})
                                 : std::make_shared<lang::Storage>(size);
        if (options.is_poisoned)
            poison(storage->write(), size);
        storage->uninitialised = is_on_gpu && !options.is_poisoned; // else zeros would be uploaded
        return handle(*new Memory{std::move(storage)});
    } catch (const std::bad_alloc&) {
        return nullptr; // the interpreter knows what it was for
    }
}

bool PlanRunner::Backend::ended(bool is_ok) {
    if (const std::exception_ptr thrown = std::exchange(m_thrown, nullptr))
        std::rethrow_exception(thrown);
    if (is_ok || std::exchange(m_is_reported, false) || problem.code == package::Code::Cancelled)
        return is_ok;
    if (problem.code == package::Code::Memory)
        throw OutOfMemory(problem.message);
    throw OpError(problem.message);
}

void PlanRunner::Backend::bind(const Tensors& inputs) {
    m_inputs.assign(inputs.size(), {});
    has_copied_inputs = false;
    std::vector<package::TensorValue> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const lang::TensorRef aligned = inputs[i]->has_data() ? this->aligned(inputs[i]) : inputs[i];
        const lang::Tensor& input = *aligned;
        has_copied_inputs |= aligned != inputs[i];
        package::TensorValue& value = values.emplace_back();
        value.dtype = package::text(ir::info(input.dtype).name);
        value.extents = input.shape.data();
        value.rank = static_cast<std::uint32_t>(input.shape.size());
        m_inputs[i].storage = input.storage;
        if (input.has_data())
            value.address = address_of(m_inputs[i], input);
    }
    ended(m_execution.bind(values.data(), values.size(), problem));
}

lang::TensorRef PlanRunner::Backend::bytes_at(package::Address address) const {
    lang::TensorRef tensor(new lang::Tensor());
    tensor->dtype = ir::DType::U8;
    tensor->shape = {static_cast<std::int64_t>(address.bytes)};
    tensor->device = device();
    tensor->storage = storage_of(address);
    tensor->offset = address.offset;
    return tensor;
}

lang::TensorRef PlanRunner::Backend::new_tensor(const package::Execution& execution, artifact::Row value,
                                                const std::int64_t* extents, package::Address address) const {
    const artifact::PlanValue& planned = body_of(execution).values[value];
    lang::TensorRef tensor = bytes_at(address);
    tensor->dtype = m_known[place_of(execution)].dtypes[value];
    tensor->shape.assign(extents, extents + planned.shape.size());
    // The interpreter counts the bytes that the plan says it has.
    std::int64_t bytes = graph::item_bytes(tensor->dtype);
    bool fits = true;
    for (const std::int64_t extent : tensor->shape)
        fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
    if (!fits || static_cast<std::uint64_t>(bytes) > address.bytes)
        throw OpError(cat("'", planned.name, "' does not fit into its memory"));
    return tensor;
}

lang::TensorRef PlanRunner::Backend::tensor(const package::Execution& execution, artifact::Row value,
                                            package::Address address) const {
    std::vector<std::int64_t> extents(body_of(execution).values[value].shape.size());
    package::Problem unknown;
    if (!execution.extents(value, extents.data(), unknown))
        throw OpError(unknown.message);
    return new_tensor(execution, value, extents.data(), address);
}

ProgramCall PlanRunner::Backend::call_of(const package::FunctionCall& call) const {
    const artifact::PlanFunction& function = parts.plan->functions[call.function];
    ProgramCall out{parts.modules[function.module], function.name, {}};
    for (const package::ArgumentValue& argument : call.arguments) {
        if (argument.kind == package::ArgumentKind::Scalar) {
            if (is_real(argument.type))
                out.arguments.push_back({std::bit_cast<double>(argument.scalar), "scalar", options.site});
            else
                out.arguments.push_back({argument.scalar, "scalar", options.site});
            continue;
        }
        lang::TensorRef tensor = argument.is_inside ? bytes_at(argument.address)
                                                    : this->tensor(*call.execution, argument.value, argument.address);
        out.arguments.push_back(
            {std::move(tensor), body_of(*call.execution).values[argument.value].name, options.site});
        if (argument.kind == package::ArgumentKind::TensorMap)
            add_map(argument.map, out);
    }
    return out;
}

// What the launcher takes behind the tensor.
void PlanRunner::Backend::add_map(const package::TensorMapValue& value, ProgramCall& call) const {
    const std::size_t rank = value.map->extents.size();
    std::vector<std::int64_t> numbers(value.extents, value.extents + rank);
    numbers.insert(numbers.end(), value.strides, value.strides + rank - 1);
    std::ranges::copy(numbers_of(*value.map), std::back_inserter(numbers));
    for (const std::int64_t number : numbers)
        call.arguments.push_back({number, "tensor map", options.site});
}

ProgramCall PlanRunner::Backend::call_of(const package::KernelLaunch& launch) const {
    ProgramCall out = call_of(static_cast<const package::FunctionCall&>(launch));
    const artifact::PlanBody& body = body_of(*launch.execution);
    const artifact::PlanStep& step = body.steps[launch.step];
    if (step.kind != artifact::StepKind::Launch)
        return out;
    out.function = name_of(launcher_of(*parts.plan, body, step));
    for (const std::int64_t(*extents)[3] : {&launch.grid, &launch.block, &launch.cluster})
        for (const std::int64_t extent : *extents)
            out.arguments.push_back({extent, "extent", options.site});
    out.arguments.push_back({launch.dynamic_shared, "dynamic_shared", options.site});
    return out;
}

// Made again only where one has another value.
SymbolValues& PlanRunner::Backend::symbols_of(const package::Execution& execution) {
    Known& known = m_known[place_of(execution)];
    const std::vector<artifact::PlanSymbol>& symbols = body_of(execution).symbols;
    const package::ExprValue* values = execution.symbols();
    if (known.seen.size() == symbols.size() && std::equal(known.seen.begin(), known.seen.end(), values))
        return known.symbols;
    known.seen.assign(values, values + symbols.size());
    known.symbols.clear();
    for (std::size_t i = 0; i < symbols.size(); ++i)
        if (values[i].is_known)
            known.symbols[symbols[i].name] = values[i].value;
    return known.symbols;
}

bool PlanRunner::Backend::call(const package::Execution& execution, const ProgramCall& call) {
    struct Lent { // the engine knows the symbols for as long as the call takes
        lang::Engine& engine;
        SymbolValues& symbols;
        Lent(lang::Engine& engine, SymbolValues& symbols) : engine(engine), symbols(symbols) {
            engine.symbols.swap(symbols);
        }
        ~Lent() { engine.symbols.swap(symbols); }
    };
    const Lent lent(m_engine, symbols_of(execution));
    std::variant<std::monostate, std::int64_t, double> nothing;
    called = call.module;
    m_is_reported = !m_engine.call(*call.module, call.function, call.arguments, options.site, nothing, *sink);
    return !m_is_reported;
}

bool PlanRunner::Backend::host(package::HostStep& step) {
    const package::Execution& execution = *step.execution;
    const artifact::PlanBody& body = body_of(execution);
    const artifact::PlanStep& planned = body.steps[step.step];
    graph::OpCall call =
        graph::host_call(planned, values_of(execution.expressions(), body.expressions.size()), parts.weights);
    Tensors inputs;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        inputs.push_back(new_tensor(execution, planned.reads[i], step.inputs[i].extents, step.inputs[i].address));
        call.inputs.push_back({inputs.back()->dtype, graph::shape_of(inputs.back()->shape)});
    }
    try {
        m_results = call.op->exchanges ? lang::exchanged(graph::exchange_on(m_engine, call, inputs), options.site)
                                       : call.op->run({call, inputs});
    } catch (const OpError& error) {
        if (planned.operators == planned.kernels) // they have no names
            throw;
        throw OpError(cat("'", join(planned.operators, "', '"), "': ", error.what()));
    }
    if (m_results.size() != planned.writes.size())
        throw OpError(cat("'", join(planned.kernels, ", "), "' made ", m_results.size(), " results, not ",
                          planned.writes.size()));
    for (std::size_t i = 0; i < m_results.size(); ++i) {
        const lang::Tensor& made = *m_results[i];
        step.results[i] = {package::text(ir::info(made.dtype).name), made.shape.data(),
                           static_cast<std::uint32_t>(made.shape.size()), address_of(*new Memory{made.storage}, made)};
    }
    return true;
}

} // namespace hidet::session
