// SPDX-License-Identifier: Apache-2.0
// The interpreter of launch plans. It knows what is to be done with which bytes, and its backend does it.
//
//     Execution execution;
//     if (execution.open(plan, backend, weights, problem) && execution.bind(inputs, count, problem) && execution.run(problem))
//         use(execution.address(plan.outputs[0]));
//
// Bodies of branches and loops have executions of their own, which are bound to what the step around them gives whenever it
// makes them. What a bad plan asks for, it refuses: no address that it gives reaches past its buffer.
#pragma once

#include "runtime/package/backend.h"
#include "runtime/package/memory.h"

namespace hidet::package {

// What symbols and expressions of a body are worth, and what follows from that.
struct BodySizes {
    bool make_tables(const Body& of, Memory& memory);
    void evaluate();

    bool bind_input(Row value, const TensorValue& given, Problem& problem);
    bool check_extents(Row value, const TensorValue& given, Problem& problem) const;
    bool check_requirements(Problem& problem) const;
    bool known(Row expression, const char* what, std::uint64_t& bytes, Problem& problem) const;
    bool extents(Row value, std::int64_t* extents, Problem& problem) const;
    bool fits(Row value, Address address, Problem& problem) const;
    bool arena_bytes(std::uint32_t section, std::uint64_t& bytes, Problem& problem) const;
    bool launch_extents(const Step& step, KernelLaunch& launch, Problem& problem) const;
    bool make_map(const PlanArgument& argument, std::uint64_t bytes, TensorMapValue& out, Problem& problem) const;

    const Body* body = nullptr;
    List<ExprValue> symbols, input_symbols; // by row; those that the inputs say
    List<ExprValue> expressions, stack;

private:
    bool bind_symbol(Row symbol, std::int64_t extent, Text input, std::size_t dimension, Problem& problem);
};

// The backend, whose functions may be missing, or fail and say nothing.
struct UsedBackend {
    bool allocate(std::uint64_t bytes, Address& address, Problem& problem) const;
    void release(Address address) const {
        if (address.buffer)
            table->release(table->self, address.buffer);
    }
    bool copy(Address to, Address from, std::uint64_t bytes, Problem& problem) const;
    bool copy_of(Address from, std::uint64_t bytes, Address& copy, Problem& problem) const;
    bool read(const TensorValue& scalar, void* to, std::size_t bytes, Problem& problem) const;
    bool read(const TensorValue& condition, bool& holds, Problem& problem) const;
    bool write(Address to, const void* from, std::size_t bytes, Problem& problem) const;
    bool goes_on(Problem& problem) const; // false: the run was cancelled

    const Backend* table = nullptr;
};

// What a step on the host reads and makes, and what it gives a body.
struct HostTensors {
    List<TensorValue> operands(const Step& step) const {
        return {tensors.items, static_cast<std::uint32_t>(step.reads.size())};
    }
    List<TensorValue> results(const Step& step) const {
        return {tensors.items + step.reads.size(), static_cast<std::uint32_t>(step.writes.size())};
    }
    std::int64_t* extents_of_result(const Body& body, const Step& step, std::size_t result) const;

    List<TensorValue> tensors;
    List<std::int64_t> extents; // of what it reads, and of what it makes
};

struct HeldValue {
    Address address; // null buffer: not made
    bool is_owned = false;
};
struct LoopStack { // of one result
    Address address;
    std::uint64_t used = 0; // bytes
};

class Execution {
public:
    Execution() = default;
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    // Once. The plan is well formed (check.h), `weights` has an address for each of its weights; all of it, and the
    // backend, outlive the execution.
    bool open(const Plan& plan, const Backend& backend, const Address* weights, Problem& problem);

    // Checks the inputs, which are used until others are bound. What was made from others is gone, but for the arenas.
    bool bind(const TensorValue* inputs, std::size_t count, Problem& problem);
    // All steps. Again: on what the inputs hold by then; the results stay where they are, unless their extents depend on
    // data.
    bool run(Problem& problem);
    bool run_step(Row step, Problem& problem); // one after the other, from 0 on, is the same as run()

    // What a step calls or launches; its arguments live until the next step. No function: there is nothing to do.
    bool prepare(Row step, KernelLaunch& launch, Problem& problem);

    // Null buffer: not made yet, or gone.
    Address address(Row value);
    // Likewise; what has no memory at the moment is given some. None: the problem says why.
    Address made(Row row, Problem& problem);
    bool extents(Row value, std::int64_t* extents, Problem& problem) const { // as many as its shape has
        return m_sizes.extents(value, extents, problem);
    }
    const Plan& plan() const { return *m_plan; }
    Row body_row() const { return m_row; } // no row: it is that of the plan itself
    const Body& body() const { return *m_body; }
    const ExprValue* symbols() const { return m_sizes.symbols.items; }         // by row
    const ExprValue* expressions() const { return m_sizes.expressions.items; } // by row

private:
    struct LoopRun; // control.cpp
    // Of the plan and its bodies.
    struct Shared {
        Memory memory;
        List<Execution*> bodies; // by row
        std::uint32_t loops = 0; // that are running, one within the other
        std::int64_t trips = 0;  // of all of them
    };
    // execution.cpp
    bool open_body(const Execution& plan, Row body, Shared& shared, Problem& problem);
    void close();

    // places.cpp
    bool begin_section(std::uint32_t section, Problem& problem);
    bool make(Row value, Address& address, Problem& problem);
    void hold(Row value, Address address, bool is_owned);
    void forget_results();

    // steps.cpp
    bool restart(Problem& problem);
    bool make_argument(const PlanArgument& argument, ArgumentValue& out, Problem& problem);
    bool has_work(const Step& step, bool& has_work, Problem& problem);
    bool run_call(Row step, Problem& problem);
    bool read_operands(const Step& step, Problem& problem);
    bool run_host(Row step, Problem& problem);
    bool keep_results(const Step& step, bool is_ok, Problem& problem);
    bool take_results(const Step& step, const List<TensorValue>& results, Problem& problem);
    bool copy(const Step& step, Problem& problem);
    bool choose(const Step& step, Problem& problem);
    void free_dead_values(Row step);
    const Value& value(Row row) const { return m_body->values[row]; }

    // control.cpp
    bool run_branch(Row step, Problem& problem);
    bool run_loop(Row step, Problem& problem);
    bool take_output(std::size_t output, Address& taken, Problem& problem);

    const Plan* m_plan = nullptr;
    const Body* m_body = nullptr;
    Row m_row = no_row;
    UsedBackend m_backend;
    const Address* m_weights = nullptr;
    Shared m_own;               // of the plan's execution
    Shared* m_shared = nullptr; // that one's
    BodySizes m_sizes;
    List<HeldValue> m_held;           // by value; aliases have none
    List<std::uint8_t> m_is_last;     // by output: none after it has its bytes
    List<HeldValue> m_arenas;         // by section
    List<std::uint8_t> m_is_skipped;  // by step: it was not chosen
    List<ArgumentValue> m_arguments;  // of one step
    HostTensors m_host;               // of one step
    List<HeldValue> m_carried;        // of one loop
    List<LoopStack> m_stacks;         // of one loop
    std::uint32_t m_section = no_row; // that has begun
    bool m_depends_on_data = false;
    bool m_has_run = false;
};

} // namespace hidet::package
