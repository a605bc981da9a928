// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/mapping.h"

#include "compiler/ir/ops.h"

#include <doctest/doctest.h>
#include <string>

#include "tests/unit/ir/dims.h"

using namespace hidet::ir;
using hidet::test::dims;

// "(0,0)(0,1) (1,0)(1,1)": the tasks of each worker in order.
static std::string enumerate(const MappingRef& mapping) {
    std::string text;
    std::int64_t workers = *constant_int(workers_of(mapping));
    for (std::int64_t w = 0; w < workers; ++w) {
        text += w ? " " : "";
        for (const ExprVec& task : tasks_of(mapping, int_constant(w))) {
            text += "(";
            for (std::size_t d = 0; d < task.size(); ++d)
                text += (d ? "," : "") + std::to_string(constant_int(task[d]).value_or(-1));
            text += ")";
        }
    }
    return text;
}

static void expect(const MappingRef& mapping, const std::string& expected) {
    REQUIRE(enumerate(mapping) == expected);
}

TEST_CASE("spatial mappings number workers in row and in column order") {
    expect(spatial(dims({2, 3})), "(0,0) (0,1) (0,2) (1,0) (1,1) (1,2)");
    expect(spatial(dims({2, 3}), column_ranks(2)), "(0,0) (1,0) (0,1) (1,1) (0,2) (1,2)");
}

TEST_CASE("repeat mappings give one worker all tasks in order") {
    expect(repeat(dims({2, 3})), "(0,0)(0,1)(0,2)(1,0)(1,1)(1,2)");
    expect(repeat(dims({2, 3}), column_ranks(2)), "(0,0)(1,0)(0,1)(1,1)(0,2)(1,2)");
}

TEST_CASE("composition scales the outer task by the inner shape") {
    expect(compose(spatial(dims({2, 2})), repeat(dims({1, 2}))), "(0,0)(0,1) (0,2)(0,3) (1,0)(1,1) (1,2)(1,3)");
    expect(compose(repeat(dims({1, 2})), spatial(dims({2, 2}))), "(0,0)(0,2) (0,1)(0,3) (1,0)(1,2) (1,1)(1,3)");
    MappingRef chain = compose(compose(spatial(dims({2, 1})), repeat(dims({2, 1}))), spatial(dims({1, 2})));
    expect(chain, "(0,0)(1,0) (0,1)(1,1) (2,0)(3,0) (2,1)(3,1)");
    MappingRef other = compose(spatial(dims({2, 1})), compose(repeat(dims({2, 1})), spatial(dims({1, 2}))));
    expect(other, enumerate(chain));
}

TEST_CASE("ranks order the dims from slowest to fastest") {
    expect(spatial(dims({2, 2, 2}), {2, 0, 1}), "(0,0,0) (1,0,0) (0,0,1) (1,0,1) (0,1,0) (1,1,0) (0,1,1) (1,1,1)");
}

TEST_CASE("projection forces dims to zero with extent one") {
    MappingRef mapping = project(spatial(dims({2, 3})), {0});
    expect(mapping, "(0,0) (0,1) (0,2) (0,0) (0,1) (0,2)");
    REQUIRE((is_constant(shape_of(mapping)[0], 1) && is_constant(shape_of(mapping)[1], 3)));
}

TEST_CASE("a worker past the last one wraps around") {
    auto tasks = tasks_of(spatial(dims({2, 3})), int_constant(7));
    REQUIRE((is_constant(tasks[0][0], 0) && is_constant(tasks[0][1], 1)));
}

TEST_CASE("counts and shapes follow the composition") {
    MappingRef mapping = compose(repeat(dims({4, 3})), spatial(dims({2, 32})));
    REQUIRE((task_count(mapping) == 12 && is_constant(workers_of(mapping), 64)));
    REQUIRE((is_constant(shape_of(mapping)[0], 8) && is_constant(shape_of(mapping)[1], 96)));
    ExprRef n = make_symbol("n", data_type(DType::I32));
    REQUIRE((task_count(repeat({n})) == -1 && !has_constant_tasks(repeat({n})) && has_constant_tasks(spatial({n}))));
}
