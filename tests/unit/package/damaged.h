// SPDX-License-Identifier: Apache-2.0
// Plans that somebody damaged: read, and run for as long as they let themselves be run.
#pragma once

#include <algorithm>
#include <doctest/doctest.h>

#include "runtime/package/read.h"
#include "tests/unit/package/host_backend.h"

namespace hidet::test {

inline void run_damaged(const std::string& bytes) {
    constexpr std::uint32_t widest = 8;
    package::Memory memory;
    package::Plan plan;
    package::Problem problem;
    if (!package::read_plan(bytes.data(), bytes.size(), memory, plan, problem)) {
        REQUIRE(problem.code != package::Code::Ok);
        return;
    }
    HostBackend backend;
    std::int64_t extents[widest] = {3, 3, 3, 3, 3, 3, 3, 3};
    const auto rank_of = [&](const package::Body& body, package::Row value) {
        const auto rank = static_cast<std::uint32_t>(body.values[value].shape.size());
        return rank < widest ? rank : 0;
    };
    backend.most_looks = 200; // loops may be long
    backend.call = [](const package::FunctionCall& call) {
        const package::Body& body = call.execution->body();
        const auto root = [&](package::Row row) {
            return body.values[row].place == package::Place::Alias ? body.values[row].of : row;
        };
        const auto is_written = [&](package::Row value) {
            const auto& writes = body.steps[call.step].writes;
            return std::any_of(writes.begin(), writes.end(),
                               [&](package::Row written) { return root(written) == root(value); });
        };
        for (const package::ArgumentValue& argument : call.arguments)
            if (argument.kind == package::ArgumentKind::Address && is_written(argument.value) &&
                argument.address.bytes > 0)
                std::memset(HostBackend::data(argument.address), 2, argument.address.bytes);
        return true;
    };
    backend.launched = [&](const package::KernelLaunch& launch) { backend.call(launch); };
    backend.host = [&](package::HostStep& step) {
        const package::Body& body = step.execution->body();
        const package::Step& planned = body.steps[step.step];
        for (std::size_t i = 0; i < step.results.size(); ++i)
            step.results[i] = {body.values[planned.writes[i]].dtype,
                               extents,
                               rank_of(body, planned.writes[i]),
                               {backend.allocate(1 << 12), 0, 1 << 12}};
        return true;
    };
    {
        const package::Backend table = backend.table();
        HostBuffer shared{std::vector<unsigned char>(1 << 14, 1)};
        const package::Address lent{reinterpret_cast<package::Buffer*>(&shared), 0, shared.bytes.size()};
        const std::vector<package::Address> weights(plan.weights.size(), lent);
        std::vector<package::TensorValue> inputs;
        std::vector<std::vector<std::int64_t>> shapes;
        for (const package::Row row : plan.inputs) {
            std::vector<std::int64_t>& shape = shapes.emplace_back(extents, extents + rank_of(plan, row));
            for (std::size_t d = 0; d < shape.size(); ++d)
                if (const auto& extent = plan.expressions[plan.values[row].shape[d]];
                    extent.size() == 1 && extent[0].op == package::ExprOp::Constant)
                    shape[d] = extent[0].operand;
            inputs.push_back({plan.values[row].dtype, shape.data(), static_cast<std::uint32_t>(shape.size()), lent});
        }
        package::Execution execution;
        REQUIRE(execution.open(plan, table, weights.data(), problem));
        if (execution.bind(inputs.data(), inputs.size(), problem)) {
            execution.run(problem);
            execution.run(problem);
        }
        REQUIRE(std::ranges::count(shared.bytes, 1) == static_cast<std::ptrdiff_t>(shared.bytes.size()));
    }
    REQUIRE(backend.alive.empty());
    REQUIRE(std::ranges::find(backend.done, "released twice") == backend.done.end());
}

} // namespace hidet::test
