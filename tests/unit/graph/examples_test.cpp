// SPDX-License-Identifier: Apache-2.0
// The line of script that each operator shows itself with is true: it runs, and prints a result.
#include "app/session/session.h"
#include "compiler/graph/core/op.h"
#include "lang/base/text.h"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

using namespace hidet;
using namespace hidet::graph;

namespace {

struct Ran {
    std::string printed;
    std::string complaints;
};

Ran run(const std::string& script) {
    Ran ran;
    session::RunRequest request;
    request.source.name = "example.py";
    request.source.text = script;
    request.target = session::Target::Emulate;
    request.print = [&](std::string_view text) { ran.printed += text; };
    const session::RunResult result = session::run(request);
    for (const session::DiagnosticView& diagnostic : result.diagnostics)
        ran.complaints += diagnostic.message + "\n";
    if (result.status != session::Status::Ok && ran.complaints.empty())
        ran.complaints = "the run failed";
    return ran;
}

} // namespace

TEST_CASE("the examples of operators run") {
    for (const OpInfo* op : all_ops()) {
        const std::string example = op->example;
        if (*op->python == '\0' && example.empty())
            continue;
        SUBCASE(op->name) {
            REQUIRE(!example.empty());
            if (*op->python != '\0' && op->cls != OpClass::Elementwise) // those may stand as Python's operators
                REQUIRE(example.find(cat(".", op->python, "(")) != std::string::npos);
            const Ran ran = run(cat("import hidet\nprint(", example, ")\n"));
            REQUIRE(ran.complaints == "");
            REQUIRE(ran.printed.find("ensor(") != std::string::npos);
        }
    }
}
