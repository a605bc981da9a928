// SPDX-License-Identifier: Apache-2.0
// Rules that users give, as patterns.
#include "compiler/graph/passes/pattern.h"
#include "compiler/graph/text/print_graph.h"
#include "tests/harness/unit.h"
#include "tests/unit/graph/read_graph.h"

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
    const std::size_t inner = source.op({"Relu"}, {x});
    source.set_outputs({source.op({"Exp"}, {inner})});
    return {"exp-of-relu", source, [x](Rewriting& rewriting, const Pattern::Matched& matched) {
                return std::optional(std::vector{rewriting.add("Relu", {matched.tensors[x]})});
            }};
}

// tanh(x), sin(x) -> sin(x), tanh(x)
PatternRule swapped() {
    Pattern source;
    const std::size_t x = source.tensor();
    source.set_outputs({source.op({"Tanh"}, {x}), source.op({"Sin"}, {x})});
    return {"swapped", source, [x](Rewriting& rewriting, const Pattern::Matched& matched) {
                return std::optional(std::vector{rewriting.add("Cos", {matched.tensors[x]}),
                                                 rewriting.add("Cosh", {matched.tensors[x]})});
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

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    suite.run("a pattern is replaced by what the rule makes", [] {
        PatternRule rule = exp_of_relu();
        EXPECT_EQUAL(rewritten(chain, rule), "Relu");
    });
    suite.run("a value inside of the match that is read elsewhere keeps the rule from applying", [] {
        PatternRule rule = exp_of_relu();
        EXPECT_EQUAL(rewritten("Graph(x: float32[2][cpu]){\n a = Relu(x)\n y = Exp(a)\n return y, a\n}", rule),
                     "Relu Exp");
    });
    suite.run("a rule of a user can be switched off by its name, or at an operator by its key", [] {
        PatternRule rule = exp_of_relu();
        Graph graph = read_graph(chain);
        GraphOptions options;
        options.rewrite_rules = {&rule};
        options.off = {"exp-of-relu"};
        EXPECT(optimise(graph, options).unknown.empty());
        EXPECT_EQUAL(names_in(graph), "Relu Exp");
        GraphOptions forbidden;
        forbidden.rewrites = {{"y", "exp-of-relu", false}};
        EXPECT_EQUAL(rewritten(chain, rule, forbidden), "Relu Exp");
    });
    suite.run("a pattern with two results is replaced in both", [] {
        PatternRule rule = swapped();
        EXPECT_EQUAL(rewritten("Graph(x: float32[2][cpu]){\n a = Tanh(x)\n b = Sin(x)\n return a, b\n}", rule),
                     "Cos Cosh");
        EXPECT_EQUAL(rewritten("Graph(x: float32[2][cpu]){\n a = Tanh(x)\n return a\n}", rule), "Tanh");
    });
    suite.run("a replacement of another shape is refused", [] {
        Pattern source;
        const std::size_t x = source.tensor();
        source.set_outputs({source.op({"Relu"}, {x})});
        PatternRule rule("wrong", source, [x](Rewriting& rewriting, const Pattern::Matched& matched) {
            return std::optional(std::vector{rewriting.add("Unsqueeze", {matched.tensors[x]}, {{"dims", Ints{0}}})});
        });
        EXPECT_EQUAL(rewritten(chain, rule), "Relu Exp");
    });
    suite.run("rules that undo each other for ever come to an end", [] {
        Pattern source;
        const std::size_t x = source.tensor();
        source.set_outputs({source.op({"Relu"}, {x})});
        PatternRule rule("again", source, [x](Rewriting& rewriting, const Pattern::Matched& matched) {
            return std::optional(std::vector{rewriting.add("Relu", {matched.tensors[x]})});
        });
        EXPECT_EQUAL(rewritten(chain, rule), "Relu Exp");
    });
    suite.run("a rule that makes a tensor depend on itself is refused and told so, with one result and with two", [] {
        Pattern source;
        const std::size_t x = source.tensor();
        const std::size_t y = source.op({"Relu"}, {x});
        source.set_outputs({y});
        ToldRule rule("round", source, [y](Rewriting& rewriting, const Pattern::Matched& matched) {
            return std::optional(std::vector{rewriting.add("Exp", {matched.tensors[y]})});
        });
        EXPECT_EQUAL(rewritten(chain, rule), "Relu Exp");
        EXPECT_EQUAL(rule.why, "what it puts in the place of a tensor is computed from that tensor");

        Pattern both;
        const std::size_t z = both.tensor();
        const std::size_t tanh = both.op({"Tanh"}, {z});
        const std::size_t sin = both.op({"Sin"}, {z});
        both.set_outputs({tanh, sin});
        ToldRule crossed("crossed", both, [=](Rewriting& rewriting, const Pattern::Matched& matched) {
            return std::optional(std::vector{rewriting.add("Cos", {matched.tensors[sin]}),
                                             rewriting.add("Cosh", {matched.tensors[tanh]})});
        });
        EXPECT_EQUAL(rewritten("Graph(x: float32[2][cpu]){\n a = Tanh(x)\n b = Sin(x)\n return a, b\n}", crossed),
                     "Tanh Sin");
        EXPECT_EQUAL(crossed.why, rule.why);
    });
    suite.run("a cancelled run says so and leaves a graph that computes", [] {
        Graph graph = read_graph(chain);
        const std::atomic<bool> cancelled = true;
        GraphOptions options;
        options.cancelled = &cancelled;
        EXPECT(optimise(graph, options).is_cancelled);
        EXPECT_EQUAL(names_in(graph), "Relu Exp");
    });
    suite.run("names that are neither a pass nor a rule are reported", [] {
        Graph graph = read_graph(chain);
        GraphOptions options;
        options.off = {"fold-constants", "recognise-gelu", "no-such-rule"};
        const std::vector<std::string> unknown = optimise(graph, options).unknown;
        EXPECT_EQUAL(unknown.size(), 1u);
        EXPECT_EQUAL(unknown.at(0), "no-such-rule");
    });
    return suite.result();
}
