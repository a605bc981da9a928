// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/text/json.h"

#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "compiler/ir/ops.h"
#include "tests/unit/ir/random_module.h"

using namespace hidet;
using namespace hidet::ir;

TEST_CASE("a node shows its kind, its fields by name, and the type of an expression") {
    VarRef i = make_var("i", data_type(DType::I32));
    REQUIRE(to_json(less(i, int_constant(2))) ==
            R"({"kind":"Binary","op":"<","a":{"kind":"Var","id":0,"name":"i","type":{"kind":"DataType",)"
            R"("dtype":"int32"}},"b":{"kind":"Constant","value":2,"type":"i32"},"type":"bool"})");
    REQUIRE((to_json(add(i, i)).find("\"b\":{\"kind\":\"Var\",\"id\":0}") != std::string::npos) == true);
}

TEST_CASE("infinities, broken text and origins are valid JSON") {
    REQUIRE(to_json(float_constant(std::numeric_limits<double>::infinity())).find("\"inf\"") != std::string::npos);
    REQUIRE(nlohmann::json::accept(to_json(make_comment("\xff\x01"))));
    StmtRef stmt = make_break();
    set_origin(stmt, {{1, 4, 9}, 2});
    REQUIRE(to_json(stmt) == R"({"kind":"BreakStmt","origin":{"file":1,"begin":4,"end":9,"pass":2}})");
    REQUIRE(to_json(stmt, {false, -1}) == R"({"kind":"BreakStmt"})");
    REQUIRE(to_json(nullptr) == "null");
}

TEST_CASE("every random module dumps to a document that reads") {
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        REQUIRE(nlohmann::json::accept(to_json(test::random_module(seed, {static_cast<Level>(seed % 5), 12}))));
}
