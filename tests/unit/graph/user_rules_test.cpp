// SPDX-License-Identifier: Apache-2.0
// Rules that users give, as patterns.
#include "compiler/graph/passes/pattern.h"
#include "compiler/graph/text/print_graph.h"
#include "tests/unit/graph/read_graph.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::graph;

namespace {

std::string names_in(const Graph& graph) {
    std::string text;
    for (NodeId node : graph.topological())
        text += (text.empty() ? "" : " ") + std::string(graph.node(node).op->name);
    return text;
}

std::string rewritten(const std::string& text, UserRule& rule, const GraphOptions& given = {}) {
    Graph graph = read_graph(text);
    GraphOptions options = given;
    options.rewrite_rules = {&rule};
    optimise(graph, options);
    return names_in(graph);
}

// exp(relu(x)) -> relu(x)
PatternRule exp_of_relu() {
    Pattern source;
    const std::size_t x = source.tensor(TensorKind::Symbolic);
    const std::size_t inner = source.op({OpId::Relu}, {x});
    source.set_outputs({source.op({OpId::Exp}, {inner})});
    return {"exp-of-relu", source, [x](Rewriting& rewriting, const Pattern::Matched& matched) {
                return std::optional(std::vector{rewriting.add(OpId::Relu, {matched.tensors[x]})});
            }};
}

// tanh(x), sin(x) -> sin(x), tanh(x)
PatternRule swapped() {
    Pattern source;
    const std::size_t x = source.tensor();
    source.set_outputs({source.op({OpId::Tanh}, {x}), source.op({OpId::Sin}, {x})});
    return {"swapped", source, [x](Rewriting& rewriting, const Pattern::Matched& matched) {
                return std::optional(std::vector{rewriting.add(OpId::Cos, {matched.tensors[x]}),
                                                 rewriting.add(OpId::Cosh, {matched.tensors[x]})});
            }};
}

class ToldRule : public PatternRule {
public:
    using PatternRule::PatternRule;
    void refused(const std::string& reason) override { why = reason; }
    std::string why;
};

constexpr const char* chain = "Graph(x: float32[2][cpu]){\n a = Relu(x)\n y = Exp(a)\n return y\n}";

} // namespace

TEST_CASE("a pattern is replaced by what the rule makes") {
    PatternRule rule = exp_of_relu();
    REQUIRE(rewritten(chain, rule) == "Relu");
}

TEST_CASE("a value inside of the match that is read elsewhere keeps the rule from applying") {
    PatternRule rule = exp_of_relu();
    REQUIRE(rewritten("Graph(x: float32[2][cpu]){\n a = Relu(x)\n y = Exp(a)\n return y, a\n}", rule) == "Relu Exp");
}

TEST_CASE("a rule of a user can be switched off by its name, or at an operator by its key") {
    PatternRule rule = exp_of_relu();
    Graph graph = read_graph(chain);
    GraphOptions options;
    options.rewrite_rules = {&rule};
    options.off = {"exp-of-relu"};
    REQUIRE(optimise(graph, options).unknown.empty());
    REQUIRE(names_in(graph) == "Relu Exp");
    GraphOptions forbidden;
    forbidden.rewrites = {{"y", "exp-of-relu", false}};
    REQUIRE(rewritten(chain, rule, forbidden) == "Relu Exp");
}

TEST_CASE("a pattern with two results is replaced in both") {
    PatternRule rule = swapped();
    REQUIRE(rewritten("Graph(x: float32[2][cpu]){\n a = Tanh(x)\n b = Sin(x)\n return a, b\n}", rule) == "Cos Cosh");
    REQUIRE(rewritten("Graph(x: float32[2][cpu]){\n a = Tanh(x)\n return a\n}", rule) == "Tanh");
}

TEST_CASE("a replacement of another shape is refused") {
    Pattern source;
    const std::size_t x = source.tensor();
    source.set_outputs({source.op({OpId::Relu}, {x})});
    PatternRule rule("wrong", source, [x](Rewriting& rewriting, const Pattern::Matched& matched) {
        return std::optional(std::vector{rewriting.add(OpId::Unsqueeze, {matched.tensors[x]}, {{"dims", Ints{0}}})});
    });
    REQUIRE(rewritten(chain, rule) == "Relu Exp");
}

TEST_CASE("rules that undo each other for ever come to an end") {
    Pattern source;
    const std::size_t x = source.tensor();
    source.set_outputs({source.op({OpId::Relu}, {x})});
    PatternRule rule("again", source, [x](Rewriting& rewriting, const Pattern::Matched& matched) {
        return std::optional(std::vector{rewriting.add(OpId::Relu, {matched.tensors[x]})});
    });
    REQUIRE(rewritten(chain, rule) == "Relu Exp");
}

TEST_CASE("a rule that makes a tensor depend on itself is refused and told so, with one result and with two") {
    Pattern source;
    const std::size_t x = source.tensor();
    const std::size_t y = source.op({OpId::Relu}, {x});
    source.set_outputs({y});
    ToldRule rule("round", source, [y](Rewriting& rewriting, const Pattern::Matched& matched) {
        return std::optional(std::vector{rewriting.add(OpId::Exp, {matched.tensors[y]})});
    });
    REQUIRE(rewritten(chain, rule) == "Relu Exp");
    REQUIRE(rule.why == "what it puts in the place of a tensor is computed from that tensor");

    Pattern both;
    const std::size_t z = both.tensor();
    const std::size_t tanh = both.op({OpId::Tanh}, {z});
    const std::size_t sin = both.op({OpId::Sin}, {z});
    both.set_outputs({tanh, sin});
    ToldRule crossed("crossed", both, [=](Rewriting& rewriting, const Pattern::Matched& matched) {
        return std::optional(std::vector{rewriting.add(OpId::Cos, {matched.tensors[sin]}),
                                         rewriting.add(OpId::Cosh, {matched.tensors[tanh]})});
    });
    REQUIRE(rewritten("Graph(x: float32[2][cpu]){\n a = Tanh(x)\n b = Sin(x)\n return a, b\n}", crossed) == "Tanh Sin");
    REQUIRE(crossed.why == rule.why);
}

TEST_CASE("a cancelled run says so and leaves a graph that computes") {
    Graph graph = read_graph(chain);
    const std::atomic<bool> cancelled = true;
    GraphOptions options;
    options.cancelled = &cancelled;
    REQUIRE(optimise(graph, options).is_cancelled);
    REQUIRE(names_in(graph) == "Relu Exp");
}

TEST_CASE("names that are neither a pass nor a rule are reported") {
    Graph graph = read_graph(chain);
    GraphOptions options;
    options.off = {"fold-constants", "recognise-gelu", "no-such-rule"};
    const std::vector<std::string> unknown = optimise(graph, options).unknown;
    REQUIRE(unknown.size() == 1u);
    REQUIRE(unknown.at(0) == "no-such-rule");
}
