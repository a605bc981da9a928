// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <doctest/doctest.h>
#include <optional>

#include "runtime/package/read.h"
#include "tests/unit/package/host_backend.h"
#include "tests/unit/package/loop_plan.h"

using namespace hidet;
using namespace hidet::test;

namespace {

using Numbers = std::vector<float>;

class LoopingRun {
public:
    explicit LoopingRun(HostBackend& backend, const LaunchPlan& plan = loop_plan()) : m_bytes(to_bytes(plan)) {
        const bool is_read = package::read_plan(m_bytes.data(), m_bytes.size(), m_memory, m_plan, problem);
        CAPTURE(problem.message);
        REQUIRE(is_read);
        backend.call = [&backend](const package::FunctionCall& call) {
            const package::Text text = call.execution->plan().functions[call.function].name;
            const std::string name(text.data(), text.size());
            backend.done.push_back(name);
            const package::Address from = call.arguments[0].address, to = call.arguments[1].address;
            const float* in = HostBackend::floats(from);
            if (name.starts_with("below "))
                *HostBackend::data(to) = in[0] < std::stof(name.substr(6));
            else
                for (std::uint64_t i = 0; i < to.bytes / 4; ++i)
                    HostBackend::floats(to)[i] = name == "twice" ? 2 * in[i] : in[i] + 1;
            return true;
        };
        m_table = backend.table();
        REQUIRE(execution.open(m_plan, m_table, nullptr, problem));
    }
    std::string run(const Numbers& numbers, std::int64_t count) {
        m_x.emplace("float32", std::vector<std::int64_t>{static_cast<std::int64_t>(numbers.size())},
                    numbers.size() * 4);
        std::copy(numbers.begin(), numbers.end(), m_x->floats());
        m_count.emplace("int64", std::vector<std::int64_t>{}, 8);
        std::memcpy(m_count->floats(), &count, 8);
        const package::TensorValue inputs[] = {m_x->value(), m_count->value()};
        return execution.bind(inputs, 2, problem) && execution.run(problem) ? "" : problem.message;
    }
    Numbers result(std::size_t output) {
        std::int64_t extents[2] = {1, 1};
        REQUIRE(execution.extents(m_plan.outputs[output], extents, problem));
        const float* first = HostBackend::floats(execution.address(m_plan.outputs[output]));
        return Numbers(first, first + extents[0] * extents[1]);
    }

    package::Problem problem;

private:
    std::string m_bytes;
    package::Memory m_memory;
    package::Plan m_plan;
    package::Backend m_table;
    std::optional<HostInput> m_x, m_count;

public:
    package::Execution execution; // of all that stands before it
};

} // namespace

TEST_CASE("a loop carries values, stacks them, and ends by its condition or its count") {
    HostBackend backend;
    {
        LoopingRun run(backend);
        REQUIRE(run.run({1, 5}, 100) == "");
        REQUIRE(run.result(0) == Numbers{12, 28});
        REQUIRE(run.result(1) == Numbers{2, 6, 3, 7, 6, 14, 12, 28});
        REQUIRE(run.run({1, 5}, 2) == "");
        REQUIRE(run.result(0) == Numbers{3, 7});
        REQUIRE(run.result(1) == Numbers{2, 6, 3, 7});
        REQUIRE(run.run({1, 5, 6}, 1) == ""); // another shape
        REQUIRE(run.result(1) == Numbers{2, 6, 7});
        REQUIRE(run.execution.run(run.problem)); // again, on the same
        REQUIRE(run.result(1) == Numbers{2, 6, 7});
    }
    REQUIRE(backend.alive.empty());
    REQUIRE(std::ranges::find(backend.done, "released twice") == backend.done.end());
}

TEST_CASE("a loop without a trip gives its operand, and nothing stacked") {
    HostBackend backend;
    LoopingRun run(backend);
    REQUIRE(run.run({1, 5}, 0) == "");
    REQUIRE(run.result(0) == Numbers{1, 5});
    REQUIRE(run.result(1) == Numbers{});
    REQUIRE(run.run({1, 5}, -3) == "");
    REQUIRE(run.result(0) == Numbers{1, 5});
}

TEST_CASE("what goes wrong in a body leaves nothing behind") {
    HostBackend backend;
    {
        LoopingRun run(backend);
        backend.most_looks = 9;
        REQUIRE(run.run({1, 5}, 100) == "the run was cancelled");
        backend.most_looks = UINT64_MAX;
        backend.most_bytes = 24; // what is stacked by then
        REQUIRE(run.run({1, 5}, 100) == "56 bytes");
        backend.most_bytes = 1 << 24;
        REQUIRE(run.run({1, 5}, 3) == "");
        LaunchPlan endless = loop_plan();
        endless.bodies[0].outputs[0] = 1; // the condition that it gets
        LoopingRun other(backend, endless);
        REQUIRE(other.run({1}, INT64_MAX) == "a loop has run 250000 times, which is as often as is supported");
    }
    REQUIRE(backend.alive.empty());
    LaunchPlan refused = loop_plan();
    refused.bodies[2].requirements = {{4, "it takes no {} numbers", {0}}};
    LoopingRun run(backend, refused);
    REQUIRE(run.run({1, 5}, 2) == "");
    REQUIRE(run.run({1, 5}, 3) == "it takes no 2 numbers");
}

TEST_CASE("a backend that cannot write is told so by a loop") {
    const std::string bytes = to_bytes(loop_plan());
    package::Memory memory;
    package::Plan plan;
    package::Problem problem;
    REQUIRE(package::read_plan(bytes.data(), bytes.size(), memory, plan, problem));
    HostBackend backend;
    package::Backend table = backend.table();
    table.write = nullptr;
    HostInput x("float32", {1}, 4), count("int64", {}, 8);
    const package::TensorValue inputs[] = {x.value(), count.value()};
    package::Execution execution;
    REQUIRE(execution.open(plan, table, nullptr, problem));
    REQUIRE(execution.bind(inputs, 2, problem));
    REQUIRE(!execution.run(problem));
    REQUIRE(std::string(problem.message) == "a loop runs, which nothing here does");
}
