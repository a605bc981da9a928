// SPDX-License-Identifier: Apache-2.0
// What lowering makes leads back to the text it came from, and names the pass that made it.
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>

#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/text/print.h"
#include "lang/base/text.h"
#include "tests/unit/ir/parsed.h"
#include "tests/unit/passes/random_program.h"

using namespace hidet;
using namespace hidet::ir;

namespace {

class OriginChecker : public Walker {
public:
    std::string first_without;
    std::set<PassId> passes;

protected:
    using Walker::visit;
#define HIDET_STMT(name)                                                                                               \
    void visit(const name& node) override {                                                                            \
        check(node);                                                                                                   \
        walk_children(node);                                                                                           \
    }
#include "compiler/ir/nodes.def"
    void visit(const TensorElement& node) override {
        check(node);
        walk_children(node);
    }
    void visit(const Call& node) override {
        check(node);
        walk_children(node);
    }

private:
    void check(const Node& node) {
        bool is_empty = node.kind == Kind::SeqStmt;
        if (!is_empty && !node.origin.known() && first_without.empty())
            first_without = cat(kind_name(node.kind), ": ", to_string(NodeRef(&node)));
        passes.insert(node.origin.pass);
    }
};

// The passes that the statements of the lowered module name.
std::set<PassId> check_origins(const ModuleRef& module, compiler::LowerTo to) {
    DiagnosticSink sink;
    ModuleRef current = module;
    OriginChecker checker;
    for (PassId id : compiler::pipeline(to)) {
        const compiler::PassInfo& pass = compiler::all_passes()[id - 1];
        current = compiler::run_pass(pass, current, {}, sink);
        if (!current || sink.has_errors())
            return checker.passes;
        checker.walk(NodeRef(current));
        if (!checker.first_without.empty())
            FAIL(cat("after ", pass.name, " without origin: ", checker.first_without));
    }
    return checker.passes;
}

// Lines that stand once in a text, without their indentation, and the pass that each names.
std::map<std::string, PassId> passes_of_lines(const Module& module) {
    PrintedText printed = print_module(module);
    std::map<std::string, PassId> out;
    std::set<std::string> several;
    std::size_t number = 0;
    for (const std::string& line : split(printed.text, '\n')) {
        const std::string said = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        if (number < printed.line_origins.size() && !out.emplace(said, printed.line_origins[number].pass).second)
            several.insert(said);
        ++number;
    }
    for (const std::string& line : several)
        out.erase(line);
    return out;
}

// A line that says what it said is not the work of the pass, whatever has become of the lines in its block. (An access of a
// tensor that has another type says something else in the same words.)
std::string wrongly_blamed(const ModuleRef& module) {
    DiagnosticSink sink;
    ModuleRef current = module;
    for (PassId id : compiler::pipeline(compiler::LowerTo::Kernel)) {
        const ModuleRef before = current;
        current = compiler::run_pass(compiler::all_passes()[id - 1], before, {}, sink);
        if (!current || sink.has_errors())
            return "";
        const auto was = passes_of_lines(*before);
        for (const auto& [line, pass] : passes_of_lines(*current))
            if (auto known = was.find(line); known != was.end() && pass == id && known->second != id)
                return cat(compiler::all_passes()[id - 1].name, ": ", line);
    }
    return "";
}

const char* const tile = R"(module 'm' level script

def square(a: f32) -> f32:
    attrs.func_kind = 'cuda_internal'
    if a < 0.0:
        return 0.0
    return a * a

def k(x: *f32[@n, 64]):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = @n, 1, 1
    attrs.cuda.block_dim = 64, 1, 1
    for i, j in repeat(2, 2).spatial(4, 8) on threadIdx.x:
        if x.protect[i, j] < 1.0:
            break
        x[i, 1:][j] = square(x[i, j])
)";

} // namespace

TEST_CASE("every statement and access of a lowered kernel has an origin and the passes are named") {
    std::set<PassId> passes = check_origins(test::parsed_module(tile), compiler::LowerTo::Kernel);
    for (const char* name : {"generate-launch", "inline-function", "expand-task-mapping"})
        REQUIRE(passes.contains(compiler::find_pass(name)->id));
    REQUIRE(passes.contains(0)); // and what the text has itself
}

TEST_CASE("a statement around what a pass has changed keeps the pass that made it") {
    REQUIRE(wrongly_blamed(test::parsed_module(tile)) == "");
    const char* const nested = R"(module 'm' level script

def k(y: ~f32, n: i32):
    attrs.func_kind = 'cuda_kernel'
    attrs.cuda.grid_dim = 1, 1, 1
    attrs.cuda.block_dim = 64, 1, 1
    for i in range(n):
        if y[i] < 1.0:
            for j in spatial(64) on threadIdx.x:
                y[j] = y[j] + 0.0 * 2.0
        else:
            while y[0] < 2.0:
                y[i] = 1.0 + 0.0 * 2.0
)";
    REQUIRE(wrongly_blamed(test::parsed_module(nested)) == "");
}

TEST_CASE("so it is for random programs") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        test::Random random(seed);
        check_origins(test::parsed_module(print_module(*test::random_program(random)).text), compiler::LowerTo::Kernel);
    }
}
