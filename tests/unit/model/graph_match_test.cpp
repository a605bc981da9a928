// SPDX-License-Identifier: Apache-2.0
// Two graphs side by side: what is matched, what differs, and that edits are found again.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <doctest/doctest.h>
#include <string>

#include "app/session/model/compare/graph_match.h"
#include "lang/base/text.h"
#include "tests/unit/model/sketch.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

std::string figures(const GraphMatching& matching) {
    return cat(matching.same, " same, ", matching.changed, " changed, ", matching.inherited, " of them inherited, ",
               matching.added, " new, ", matching.gone, " gone");
}
std::size_t cost(const GraphMatching& matching) {
    return matching.changed + matching.added + matching.gone;
}
std::string figures(const Sketch& left, const Sketch& right) {
    return figures(match_graphs(left.graph(), right.graph()));
}
const GraphPair& of_left(const GraphMatching& matching, std::uint32_t node) {
    return matching.nodes[matching.pair_of_left.at(node)];
}
// Of the operators that are on both sides, those that have their own mark as partner.
std::size_t true_pairs(const GraphMatching& matching, const Sketch& left) {
    return static_cast<std::size_t>(
        std::ranges::count_if(left.ops, [&](const SketchOp& op) { return matching.right_of(op.mark) == op.mark; }));
}

TEST_CASE("a graph against itself is the same") {
    for (const Sketch& sketch : {residual_net(16), transformer(12)})
        REQUIRE(figures(sketch, sketch) ==
                cat(sketch.ops.size(), " same, 0 changed, 0 of them inherited, 0 new, 0 gone"));
    REQUIRE(summary_of(match_graphs(transformer(1).graph(), transformer(1).graph())) == "no differences");
}

TEST_CASE("empty graphs") {
    REQUIRE(figures(match_graphs(ModelGraph(), ModelGraph())) ==
            "0 same, 0 changed, 0 of them inherited, 0 new, 0 gone");
    REQUIRE(figures(match_graphs(ModelGraph(), transformer(1).graph())) ==
            cat("0 same, 0 changed, 0 of them inherited, ", transformer(1).ops.size(), " new, 0 gone"));
    REQUIRE(figures(match_graphs(transformer(1).graph(), ModelGraph())) ==
            cat("0 same, 0 changed, 0 of them inherited, 0 new, ", transformer(1).ops.size(), " gone"));
}

TEST_CASE("names and order do not matter") {
    std::mt19937 random(1);
    for (const Sketch& sketch : {residual_net(16), transformer(12)}) {
        Sketch other = sketch;
        rename_all(other);
        shuffle(other, random);
        const GraphMatching matching = match_graphs(sketch.graph(), other.graph());
        REQUIRE(cost(matching) == 0u);
        REQUIRE(true_pairs(matching, sketch) == sketch.ops.size());
    }
}

TEST_CASE("a changed attribute is said in words") {
    const Sketch left = residual_net(8);
    Sketch right = left;
    rename_all(right);
    SketchOp& conv = right.ops[11];
    conv.attributes[0].second = "[5, 5]";
    conv.weights[0] = "[128, 128, 5, 5]";
    const GraphMatching matching = match_graphs(left.graph(), right.graph());
    REQUIRE(cost(matching) == 1u);
    const GraphPair& pair = of_left(matching, conv.mark);
    REQUIRE((pair.state == PairState::Changed && !pair.is_inherited));
    REQUIRE(join(pair.differences, "; ") == "kernel [3, 3] -> [5, 5]; constant 2 [128, 128, 3, 3] -> [128, 128, 5, 5]");
}

TEST_CASE("an operator in the place of another") {
    const Sketch left = transformer(4);
    Sketch right = left;
    rename_all(right);
    SketchOp& gelu = *std::ranges::find(right.ops, "Gelu", &SketchOp::op);
    gelu.op = "Relu";
    const GraphMatching matching = match_graphs(left.graph(), right.graph());
    REQUIRE(cost(matching) == 1u);
    REQUIRE(join(of_left(matching, gelu.mark).differences, "; ") == "operator Gelu -> Relu");
}

TEST_CASE("extents that follow from others are inherited") {
    const Sketch left = transformer(3);
    Sketch right = left;
    for (SketchOp& op : right.ops)
        op.shape = "[8" + op.shape.substr(2);
    const GraphMatching matching = match_graphs(left.graph(), right.graph());
    REQUIRE(matching.changed == left.ops.size());
    REQUIRE(matching.inherited == left.ops.size());
    REQUIRE(matching.nodes[0].differences[0] == "output [1, 128, 768] -> [8, 128, 768]");
}

void inserted_and_removed(std::uint32_t at) {
    const Sketch left = transformer(12);
    Sketch right = left;
    rename_all(right);
    std::uint32_t& read = right.ops[at].reads[0];
    const std::uint32_t before = read;
    read = right.next;
    right.ops.insert(right.ops.begin() + at, {right.next++, "Clip", "clip", {before}, {}, {}, right.ops[at].shape});
    const GraphMatching there = match_graphs(left.graph(), right.graph());
    REQUIRE(figures(there) == cat(left.ops.size(), " same, 0 changed, 0 of them inherited, 1 new, 0 gone"));
    REQUIRE(true_pairs(there, left) == left.ops.size());
    const GraphMatching back = match_graphs(right.graph(), left.graph());
    REQUIRE(figures(back) == cat(left.ops.size(), " same, 0 changed, 0 of them inherited, 0 new, 1 gone"));
}

// A whole layer among equal ones: with names that say which, with numbers that are shifted by it, and without names.
TEST_CASE("a layer among equal ones") {
    const Sketch left = transformer(6);
    const Sketch long_one = transformer(7);
    Sketch right = long_one;
    const std::size_t layer = left.ops.size() / 6;
    for (std::size_t i = 3 * layer; i < right.ops.size(); ++i) { // the fourth is the new one
        std::string& name = right.ops[i].name;
        const std::size_t of = i / layer;
        name = cat("/layer.", of == 3 ? std::string("new") : cat(of - 1), name.substr(8));
    }
    const std::string expected = cat(left.ops.size(), " same, 0 changed, 0 of them inherited, ", layer, " new, 0 gone");
    const GraphMatching named = match_graphs(left.graph(), right.graph());
    REQUIRE(figures(named) == expected);
    for (const GraphPair& pair : named.nodes)
        REQUIRE((pair.state == PairState::New) == (pair.right > 3 * layer && pair.right <= 4 * layer));
    REQUIRE(figures(match_graphs(left.graph(true), long_one.graph(true))) == expected);
    rename_all(right);
    REQUIRE(figures(left, right) == expected);
}

TEST_CASE("operands from elsewhere") {
    const Sketch left = transformer(2);
    Sketch right = left;
    SketchOp& sum = *std::ranges::find(right.ops, std::string("/layer.1/Add"), &SketchOp::name);
    const std::uint32_t first = std::ranges::find(right.ops, std::string("/layer.0/norm1"), &SketchOp::name)->mark;
    sum.reads[1] = first;
    const GraphMatching matching = match_graphs(left.graph(), right.graph());
    REQUIRE(cost(matching) == 1u);
    REQUIRE(of_left(matching, sum.mark).differences.at(0) == "operand 2 from /layer.0/norm2 -> /layer.0/norm1");
    std::swap(sum.reads[0], sum.reads[1] = left.ops[sum.mark - 1].reads[1]); // a + b is b + a
    REQUIRE(cost(match_graphs(left.graph(), right.graph())) == 0u);
}

TEST_CASE("graphs with nothing in common") {
    Sketch left, right;
    std::uint32_t a = 0, b = 0;
    for (int i = 0; i < 50; ++i) {
        a = left.add({0, i % 2 ? "Relu" : "Conv2d", cat("l", i), {a}, {}, {}, "[1, 64]"});
        b = right.add({0, i % 2 ? "Softmax" : "Matmul", cat("r", i), {b}, {}, {}, "[1, 64]"});
    }
    const GraphMatching matching = match_graphs(left.graph(), right.graph());
    REQUIRE((matching.same == 0 && matching.changed <= 2));
}

TEST_CASE("values have partners too") {
    const Sketch sketch = transformer(2);
    Sketch other = sketch;
    rename_all(other);
    const ModelGraph left = sketch.graph(), right = other.graph();
    const GraphMatching matching = match_graphs(left, right);
    for (const auto& value : left.values)
        REQUIRE(matching.value_of_left.at(value->id) == value->id);
    REQUIRE((matching.inputs.size() == 1 && matching.outputs.size() == 1));
}

// Edits at random: hardly more differences are found than were made, and nearly every operator has its true partner.
TEST_CASE("random edits are found") {
    std::mt19937 random(20);
    std::size_t all = 0, right_ones = 0, made = 0, excess = 0;
    for (int round = 0; round < 300; ++round) {
        const Sketch left = round % 3 == 0   ? residual_net(2 + round % 20)
                            : round % 3 == 1 ? transformer(1 + round % 12)
                                             : random_net(random, 20 + round);
        Sketch right = left;
        for (std::uint32_t edits = random() % 7; edits > 0; --edits) {
            constexpr void (*kinds[])(Sketch&, std::mt19937&) = {insert_op, remove_op, change_op};
            kinds[random() % 3](right, random);
        }
        shuffle(right, random);
        if (round % 4 != 0)
            rename_all(right);
        const GraphMatching matching = match_graphs(left.graph(), right.graph(round % 4 == 2));
        std::size_t common = 0, differences = 0;
        for (const SketchOp& op : left.ops) {
            const auto at = std::ranges::find(right.ops, op.mark, &SketchOp::mark);
            common += at != right.ops.end();
            differences += at == right.ops.end() || at->attributes != op.attributes;
        }
        differences += right.ops.size() - common;
        made += differences;
        excess += cost(matching) - std::min(differences, cost(matching));
        all += common;
        right_ones += true_pairs(matching, left);
    }
    std::printf(
        "random edits: %zu of %zu operators have their true partner, %zu differences were made, %zu more found\n",
        right_ones, all, made, excess);
    REQUIRE(right_ones * 1000 >= all * 995);
    REQUIRE(excess * 25 <= made);
}

void large(const char* title, const Sketch& left, const Sketch& right, bool is_numbered) {
    const ModelGraph a = left.graph(), b = right.graph(is_numbered);
    const auto begin = std::chrono::steady_clock::now();
    const GraphMatching matching = match_graphs(a, b);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%s, %zu x %zu: %.0f ms, %s\n", title, left.ops.size(), right.ops.size(), took.count() * 1e3,
                figures(matching).c_str());
    REQUIRE(matching.pair_of_left.size() == a.nodes.size());
}

// Twenty thousand operators. Where a step took the square of that, the test would run out of its time.
TEST_CASE("graphs of twenty thousand operators") {
    std::mt19937 random(3);
    const Sketch layers = transformer(910), net = residual_net(4000), any = random_net(random, 20000);
    Sketch edited = layers;
    for (int i = 0; i < 50; ++i) {
        insert_op(edited, random);
        remove_op(edited, random);
        change_op(edited, random);
    }
    large("itself", layers, layers, false);
    large("other names", layers, layers, true);
    large("edited", layers, edited, false);
    rename_all(edited);
    large("edited, other names", layers, edited, false);
    large("different", layers, net, true);
    large("at random", any, layers, true);
    Sketch wide;
    for (int i = 0; i < 20000; ++i)
        wide.add({0, "Relu", cat("r", i), {0}, {}, {}, "[1, 64]"});
    large("equal ones side by side", wide, wide, true);
}

} // namespace

TEST_CASE("an operator that is new or gone") {
    for (const std::uint32_t at : {0u, 1u, 60u, 131u, 200u})
        SUBCASE(cat("at ", at).c_str()) {
            inserted_and_removed(at);
        }
}
