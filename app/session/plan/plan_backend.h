// SPDX-License-Identifier: Apache-2.0
// What the interpreter of packages asks of this process: tensors for memory, an engine for calls. Exceptions do not cross
// it: what a function here throws is kept, and thrown again on the other side.
#pragma once

#include <algorithm>
#include <exception>

#include "app/session/plan/plan_runner.h"
#include "runtime/package/execution.h"

namespace hidet::session {

class PlanRunner::Backend {
public:
    Backend(PlanParts parts, lang::Engine& engine, PlanRunOptions options);

    void bind(const Tensors& inputs);
    // What a function of the interpreter ended with. False: the sink says why, or it was cancelled.
    bool ended(bool is_ok);
    lang::TensorRef tensor(const package::Execution& execution, artifact::Row value, package::Address address) const;
    ProgramCall call_of(const package::KernelLaunch& launch) const;
    ProgramCall call_of(const package::FunctionCall& call) const;
    void add_map(const package::TensorMapValue& value, ProgramCall& call) const;

    lang::Engine& engine() { return m_engine; }

    const PlanParts parts;
    PlanRunOptions options;
    DiagnosticSink* sink = nullptr; // of the step that is being made
    Ref<lang::BuiltModule> called;  // the last one; null: none yet
    bool has_copied_inputs = false; // of those that are bound
    package::Problem problem;
    package::Execution& execution() { return m_execution; }
    const package::Execution& execution() const { return m_execution; }

private:
    struct Memory { // what a package::Buffer is
        std::shared_ptr<lang::Storage> storage;
    };
    static package::Buffer* handle(Memory& memory) { return reinterpret_cast<package::Buffer*>(&memory); }
    static const std::shared_ptr<lang::Storage>& storage_of(package::Address address) {
        return reinterpret_cast<Memory*>(address.buffer)->storage;
    }
    // The place that the host writes to. What stands there counts from now on, on a device too.
    static std::byte* written(package::Address address) {
        lang::Storage& storage = *storage_of(address);
        storage.uninitialised = false;
        return storage.write() + address.offset;
    }
    lang::TensorRef aligned(const lang::TensorRef& tensor) const;
    static package::Address address_of(Memory& memory, const lang::Tensor& tensor);
    package::Backend functions();
    template <class F>
    bool guarded(F&& body);
    package::Buffer* allocate(std::uint64_t bytes);
    bool call(const package::Execution& execution, const ProgramCall& call);
    bool host(package::HostStep& step);
    const artifact::PlanBody& body_of(const package::Execution& execution) const {
        return parts.plan->body(execution.body_row());
    }
    Device device() const;
    lang::TensorRef bytes_at(package::Address address) const; // all of them, as u8
    lang::TensorRef new_tensor(const package::Execution& execution, artifact::Row value, const std::int64_t* extents,
                               package::Address address) const;

    // Of a body: what its steps ask for again and again.
    struct Known {
        std::vector<ir::DType> dtypes;        // by value
        std::vector<package::ExprValue> seen; // symbols
        SymbolValues symbols;                 // of those that are known, as the engine takes them
    };
    Known known_of(const artifact::PlanBody& body) const;
    // The plan's own stands behind those of its bodies.
    std::size_t place_of(const package::Execution& execution) const {
        return std::min<std::size_t>(execution.body_row(), parts.plan->bodies.size());
    }
    SymbolValues& symbols_of(const package::Execution& execution);

    lang::Engine& m_engine;
    const std::string m_bytes; // of the plan
    package::Memory m_memory;
    package::Plan m_flat;
    std::vector<Known> m_known;
    std::vector<Memory> m_weights, m_inputs;
    std::vector<package::Address> m_weight_addresses;
    package::Backend m_functions;
    Tensors m_results; // of a host operator
    std::exception_ptr m_thrown;
    bool m_is_reported = false;
    package::Execution m_execution; // of all that stands before it
};

} // namespace hidet::session
