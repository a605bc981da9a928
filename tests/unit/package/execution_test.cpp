// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <doctest/doctest.h>
#include <optional>

#include "runtime/package/read.h"
#include "tests/unit/package/host_backend.h"
#include "tests/unit/package/small_plan.h"

using namespace hidet;
using namespace hidet::test;

namespace {

using Floats = std::vector<float>;

// A plan that is being run, on a backend that can do what its functions are called.
class Run {
public:
    explicit Run(const LaunchPlan& plan, HostBackend& backend) : m_backend(backend), m_bytes(to_bytes(plan)) {
        REQUIRE(package::read_plan(m_bytes.data(), m_bytes.size(), m_memory, m_plan, problem));
        backend.call = [this](const package::FunctionCall& call) { return this->call(call); };
        backend.host = [this](package::HostStep& step) { return this->host(step); };
        m_table = backend.table();
        m_weight.floats()[0] = 1;
        m_weights.assign(std::max<std::size_t>(plan.weights.size(), 1), m_weight.value().address);
        REQUIRE(execution.open(m_plan, m_table, m_weights.data(), problem));
    }
    std::string refusal(HostInput input) {
        const package::TensorValue value = input.value();
        return execution.bind(&value, 1, problem) && execution.run(problem) ? "" : problem.message;
    }
    std::optional<Floats> run(const Floats& numbers) {
        HostInput input("float32", {static_cast<std::int64_t>(numbers.size())}, numbers.size() * 4);
        std::copy(numbers.begin(), numbers.end(), input.floats());
        const package::TensorValue value = input.value();
        if (!execution.bind(&value, 1, problem) || !execution.run(problem))
            return std::nullopt;
        return result();
    }
    Floats result() {
        const Row output = m_plan.outputs[0];
        std::int64_t extent = 0;
        REQUIRE(execution.extents(output, &extent, problem));
        const float* first = HostBackend::floats(execution.address(output));
        return Floats(first, first + extent);
    }

    package::Problem problem;

private:
    bool call(const package::FunctionCall& call) {
        const package::Text text = m_plan.functions[call.function].name;
        const std::string name(text.data(), text.size());
        m_backend.done.push_back(name);
        float* const in = HostBackend::floats(call.arguments[0].address);
        if (name == "add") {
            float* const out = HostBackend::floats(call.arguments[2].address);
            for (std::uint64_t i = 0; i < call.arguments[0].address.bytes / 4; ++i)
                out[i] = in[i] + *HostBackend::floats(call.arguments[1].address);
        } else {
            for (std::int64_t i = 0; i < call.arguments[2].scalar; ++i)
                HostBackend::floats(call.arguments[1].address)[i] = 2 * in[i];
        }
        return true;
    }
    bool host(package::HostStep& step) {
        m_backend.done.push_back("host");
        const package::TensorValue& in = step.inputs[0];
        const float* numbers = HostBackend::floats(in.address);
        Floats some;
        std::copy_if(numbers, numbers + in.extents[0], std::back_inserter(some), [](float each) { return each > 0; });
        m_made = static_cast<std::int64_t>(some.size());
        package::Buffer* buffer = m_backend.allocate(some.size() * 4);
        step.results[0] = {package::text("float32"), &m_made, 1, {buffer, 0, some.size() * 4}};
        std::copy(some.begin(), some.end(), HostBackend::floats(step.results[0].address));
        return true;
    }

    HostBackend& m_backend;
    std::string m_bytes;
    package::Memory m_memory;
    package::Plan m_plan;
    package::Backend m_table;
    HostInput m_weight{"float32", {1}, 4};
    std::vector<package::Address> m_weights;
    std::int64_t m_made = 0;

public:
    package::Execution execution; // of all that stands before it
};

} // namespace

TEST_CASE("steps are made in order, on memory that the plan says") {
    HostBackend backend;
    {
        Run run(small_plan(), backend);
        REQUIRE(run.run({1, -3, 2}) == Floats{4, 6});
        REQUIRE(backend.done == std::vector<std::string>{"add", "host", "twice"});
    }
    REQUIRE(backend.alive.empty());
}

TEST_CASE("a choice takes one range of steps and leaves the others out") {
    HostBackend backend;
    Run run(small_plan(), backend);
    REQUIRE(run.run({1, -3, 2, -1}) == Floats{4, 6});        // x + 1
    REQUIRE(run.run({1, -3, 2, -1, 7}) == Floats{2, 4, 14}); // x itself
    REQUIRE(run.run({-1, -2}) == Floats{});
    REQUIRE(run.run({5}) == Floats{12});
}

TEST_CASE("a run can be repeated on other data in the same place") {
    HostBackend backend;
    Run run(small_plan(), backend);
    HostInput input("float32", {3}, 12);
    const package::TensorValue value = input.value();
    std::copy_n(Floats{1, 2, -3}.begin(), 3, input.floats());
    REQUIRE(run.execution.bind(&value, 1, run.problem));
    REQUIRE(run.execution.run(run.problem));
    REQUIRE(run.result() == Floats{4, 6});
    const std::size_t alive = backend.alive.size();
    std::copy_n(Floats{1, 2, 3}.begin(), 3, input.floats());
    for (int round = 0; round < 3; ++round) {
        REQUIRE(run.execution.run(run.problem));
        REQUIRE(run.result() == Floats{4, 6, 8});
    }
    REQUIRE(backend.alive.size() == alive);
}

TEST_CASE("what does not fit is refused in words, and nothing is done") {
    HostBackend backend;
    Run run(small_plan(), backend);
    REQUIRE(run.refusal({"float64", {3}, 24}) == "input 'x' is float32, not float64");
    REQUIRE(run.refusal({"float32", {3, 1}, 12}) == "input 'x' has 1 dimension, [n], not 2: [3, 1]");
    REQUIRE(run.refusal({"float32", {65}, 260}) == "dimension 0 of input 'x' is 65, and 'n' is 1 to 64");
    REQUIRE(run.refusal({"float32", {3}, 11}) == "'x' [3] does not fit into its memory");
    REQUIRE(run.refusal({"float32", {13}, 52}) == "it is 13 of 52");
    REQUIRE(!run.execution.bind(nullptr, 0, run.problem));
    REQUIRE(std::string(run.problem.message) == "the model takes 1 input ('x'), not 0");
    REQUIRE(backend.done.empty());
    backend.most_bytes = 8;
    REQUIRE(run.refusal({"float32", {3}, 12}) == "12 bytes for what operators hand to each other, 't' [3] of them,");
}

TEST_CASE("a kernel is launched with what the expressions say") {
    LaunchPlan plan = small_plan();
    plan.steps[0].kind = StepKind::Launch;
    plan.steps[0].grid = {0, 6, 6};
    plan.steps[0].block = {1, 6, 6};
    plan.steps[0].cluster = {6, 6, 6};
    plan.steps[0].dynamic_shared = 1;
    HostBackend backend;
    Run run(plan, backend);
    REQUIRE(run.run({1, 2, 3, 4, 5}).has_value());
    REQUIRE(backend.done.front() == "launch 5 x 20, 20 bytes, 3 arguments");
}

TEST_CASE("what a backend lacks is named") {
    const LaunchPlan plan = small_plan();
    const std::string bytes = to_bytes(plan);
    HostBackend backend;
    package::Backend table = backend.table();
    table.call = nullptr;
    package::Memory memory;
    package::Plan flat;
    package::Problem problem;
    REQUIRE(package::read_plan(bytes.data(), bytes.size(), memory, flat, problem));
    HostInput weight("float32", {1}, 4), input("float32", {2}, 8);
    const package::Address address = weight.value().address;
    const package::TensorValue value = input.value();
    package::Execution execution;
    REQUIRE(execution.open(flat, table, &address, problem));
    REQUIRE(execution.bind(&value, 1, problem));
    REQUIRE(!execution.run(problem));
    REQUIRE(problem.code == package::Code::Unsupported);
    REQUIRE(std::string(problem.message) == "step 0 calls a function, which nothing here does");
}
