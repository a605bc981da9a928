// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/read.h"

#include <doctest/doctest.h>
#include <random>

#include "tests/unit/package/damaged.h"
#include "tests/unit/package/loop_plan.h"
#include "tests/unit/package/small_plan.h"

using namespace hidet;
using namespace hidet::test;

namespace {

std::string problem_in(const std::string& bytes) {
    package::Memory memory;
    package::Plan plan;
    package::Problem problem;
    return package::read_plan(bytes.data(), bytes.size(), memory, plan, problem) ? "" : problem.message;
}

} // namespace

TEST_CASE("bytes that the compiler wrote are read as it meant them") {
    const LaunchPlan plan = full_plan();
    const std::string bytes = to_bytes(plan);
    package::Memory memory;
    package::Plan flat;
    package::Problem problem;
    REQUIRE(package::read_plan(bytes.data(), bytes.size(), memory, flat, problem));
    REQUIRE(flat.name == package::text(plan.name.c_str()));
    REQUIRE(flat.steps.size() == plan.steps.size());
    REQUIRE(flat.steps[0].arguments[2].map == 0u);
    REQUIRE(flat.steps[0].overlaps);
    REQUIRE(flat.steps[2].op == package::HostOperator::TopK);
    REQUIRE(flat.steps[2].attributes[6].reals[1] == 1e300);
    REQUIRE(flat.symbols[0].most == 64);
    REQUIRE(flat.maps[0].box[1] == 8u);
    REQUIRE(flat.bodies.size() == 5u);
    REQUIRE(flat.bodies[2].steps[0].bodies[1] == 4u);
    REQUIRE(flat.steps[8].has_trips);
    REQUIRE(flat.requirements[0].message == package::text("'Add' takes {}, not {}"));
}

TEST_CASE("what is no plan is refused") {
    const std::string bytes = to_bytes(full_plan());
    REQUIRE(problem_in("") == "it is not a launch plan");
    REQUIRE(problem_in("HIDETPLM" + bytes.substr(8)) == "it is not a launch plan");
    REQUIRE(problem_in(bytes + "x") == "it is damaged: bytes follow its end");
    for (std::size_t size = 0; size < bytes.size(); ++size)
        REQUIRE(problem_in(bytes.substr(0, size)) != "");
    std::string longer = bytes; // the count of the name
    longer[12] = '\xff';
    REQUIRE(problem_in(longer).starts_with("it is damaged: "));
    LaunchPlan nested = full_plan();
    nested.steps[0].section = 1;
    REQUIRE(problem_in(to_bytes(nested)) == "it is damaged: section 0: step 0 belongs to another one");
    LaunchPlan wide = full_plan();
    wide.values[0].shape.resize(65);
    REQUIRE(problem_in(to_bytes(wide)) == "it is damaged: value 0: it has more than 64 dimensions");
    LaunchPlan foreign = full_plan();
    foreign.modules.emplace_back();
    foreign.images[0].module = 1;
    LaunchPlan writing = small_plan();
    writing.steps[2].writes = {1};
    REQUIRE(problem_in(to_bytes(writing)) == "it is damaged: step 2: it writes to 'w', which is a weight");
    writing.steps[2].writes = {0};
    REQUIRE(problem_in(to_bytes(writing)) == "it is damaged: step 2: it writes to 'x', which is an input");
    writing.steps[2].writes = {3};
    writing.values[3].of = 1;
    REQUIRE(problem_in(to_bytes(writing)) == "it is damaged: step 2: it writes to 'view', which is a weight");
    REQUIRE(problem_in(to_bytes(foreign)) == "it is damaged: image 0: function 0 belongs to another module");
}

TEST_CASE("no damage of a byte makes reading or running a plan do harm") {
    std::mt19937 random(11);
    for (const std::string& bytes : {to_bytes(full_plan()), to_bytes(small_plan()), to_bytes(loop_plan())})
        for (std::size_t at = 0; at < bytes.size(); ++at)
            for (const int value : {0, 1, 2, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x10, bytes[at] + 1,
                                    static_cast<int>(random() % 256)}) {
                std::string bad = bytes;
                bad[at] = static_cast<char>(value);
                run_damaged(bad);
            }
}
