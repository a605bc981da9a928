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
    bool extents(Row value, std::int64_t* extents, Problem& problem) const; // as many as its shape has
    const Plan& plan() const { return *m_plan; }
    Row body_row() const { return m_row; } // no row: it is that of the plan itself
    const Body& body() const { return *m_body; }
    const ExprValue* symbols() const { return m_symbols.items; }         // by row
    const ExprValue* expressions() const { return m_expressions.items; } // by row

private:
    struct Held {
        Address address; // null buffer: not made
        bool is_owned = false;
    };
    struct LoopRun; // control.cpp
    struct Stack {  // what a loop stacks of one result
        Address address;
        std::uint64_t used = 0; // bytes
    };
    // Of the plan and its bodies.
    struct Shared {
        Memory memory;
        List<Execution*> bodies; // by row
        std::uint32_t loops = 0; // that are running, one within the other
        std::int64_t trips = 0;  // of all of them
    };
    // execution.cpp
    bool open_body(const Execution& plan, Row body, Shared& shared, Problem& problem);
    bool make_tables(Problem& problem);
    void close();

    // binding.cpp
    bool check_input(Row value, const TensorValue& given, Problem& problem) const;
    bool bind_input(Row value, const TensorValue& given, Problem& problem);
    bool bind_symbol(Row symbol, std::int64_t extent, Text input, std::size_t dimension, Problem& problem);
    bool check_extents(Row value, const TensorValue& given, Problem& problem) const;
    bool check_requirements(Problem& problem) const;

    // places.cpp
    bool begin_section(std::uint32_t section, Problem& problem);
    bool arena_bytes(std::uint32_t section, std::uint64_t& bytes, Problem& problem) const;
    bool known(Row expression, const char* what, std::uint64_t& bytes, Problem& problem) const;
    bool fits(Row value, Address address, Problem& problem) const;
    bool allocate(std::uint64_t bytes, Address& address, Problem& problem);
    bool make(Row value, Address& address, Problem& problem);
    void hold(Row value, Address address, bool is_owned);
    void forget_results();
    void evaluate();

    // steps.cpp
    bool restart(Problem& problem);
    bool make_argument(const PlanArgument& argument, ArgumentValue& out, Problem& problem);
    bool make_map(const PlanArgument& argument, std::uint64_t bytes, TensorMapValue& out, Problem& problem) const;
    bool has_work(const Step& step, bool& has_work, Problem& problem);
    bool prepare_extents(const Step& step, KernelLaunch& launch, Problem& problem) const;
    bool run_call(Row step, Problem& problem);
    bool read_operands(const Step& step, Problem& problem);
    bool run_host(Row step, Problem& problem);
    bool keep_results(const Step& step, bool is_ok, Problem& problem);
    bool take_results(const Step& step, const List<TensorValue>& results, Problem& problem);
    bool copy(const Step& step, Problem& problem);
    bool choose(const Step& step, Problem& problem);
    void free_dead_values(Row step);
    bool lacks(const char* what, Row step, Problem& problem) const;
    bool ended(bool is_ok, Row step, Problem& problem) const;
    const Value& value(Row row) const { return m_body->values[row]; }
    List<TensorValue> operands(const Step& step) const; // of the step at hand
    List<TensorValue> results(const Step& step) const;
    std::int64_t* extents_of_result(const Step& step, std::size_t result) const;

    // control.cpp
    bool run_branch(Row step, Problem& problem);
    bool run_loop(Row step, Problem& problem);
    bool read(const TensorValue& scalar, void* to, std::size_t bytes, Problem& problem);
    bool read(const TensorValue& condition, bool& holds, Problem& problem);
    bool copy_of(Address from, std::uint64_t bytes, Address& copy, Problem& problem);
    bool take_output(std::size_t output, Address& taken, Problem& problem);

    const Plan* m_plan = nullptr;
    const Body* m_body = nullptr;
    Row m_row = no_row;
    const Backend* m_backend = nullptr;
    const Address* m_weights = nullptr;
    Shared m_own;                               // of the plan's execution
    Shared* m_shared = nullptr;                 // that one's
    List<ExprValue> m_symbols, m_input_symbols; // by row; those that the inputs say
    List<ExprValue> m_expressions, m_stack;
    List<Held> m_held;                // by value; aliases have none
    List<std::uint8_t> m_is_last;     // by output: none after it has its bytes
    List<Held> m_arenas;              // by section
    List<std::uint8_t> m_is_skipped;  // by step: it was not chosen
    List<ArgumentValue> m_arguments;  // of one step
    List<TensorValue> m_tensors;      // of one step on the host: what it reads and makes, and what it gives a body
    List<std::int64_t> m_extents;     // of what it reads, and of what it makes
    List<Held> m_carried;             // of one loop
    List<Stack> m_stacks;             // of one loop
    std::uint32_t m_section = no_row; // that has begun
    bool m_depends_on_data = false;
    bool m_has_run = false;
};

} // namespace hidet::package
