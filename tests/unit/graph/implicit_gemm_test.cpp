// SPDX-License-Identifier: Apache-2.0
// Convolutions of random shapes as products, beside what their definition computes.
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <string_view>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/pass.h"
#include "lang/tensor/elements.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

class RandomCase {
public:
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(most - least + 1));
    }
    lang::TensorRef tensor(const std::vector<std::int64_t>& shape) {
        lang::TensorRef tensor = make_tensor(ir::DType::F32, shape);
        auto* numbers = reinterpret_cast<float*>(tensor->data());
        for (std::int64_t i = 0; i < tensor->count(); ++i)
            numbers[i] = static_cast<float>(between(-8, 8)) * 0.25f;
        return tensor;
    }

private:
    std::mt19937_64 m_engine{11};
};

struct Convolution {
    Graph graph;
    lang::TensorRef x;
    std::string text;
};

Convolution convolution(RandomCase& random, std::size_t rank, bool is_pointwise) {
    Convolution conv;
    const std::int64_t groups = random.between(0, 2) ? 1 : random.between(2, 3);
    std::vector<std::int64_t> x = {random.between(1, 2), groups * random.between(1, 3)};
    std::vector<std::int64_t> w = {groups * random.between(1, 4), x[1] / groups};
    Ints stride, padding, ends, dilations;
    for (std::size_t d = 0; d < rank; ++d) {
        w.push_back(is_pointwise ? 1 : random.between(1, 3));
        dilations.push_back(random.between(1, 2));
        stride.push_back(is_pointwise ? 1 : random.between(1, 2));
        padding.push_back(is_pointwise ? 0 : random.between(0, 2));
        ends.push_back(is_pointwise ? 0 : random.between(0, 2));
        x.push_back((w.back() - 1) * dilations.back() + random.between(1, 4));
    }
    padding.insert(padding.end(), ends.begin(), ends.end());
    conv.x = random.tensor(x);
    const ValueId input = conv.graph.add_input("x", {ir::DType::F32, shape_of(x)});
    const ValueId weight = conv.graph.add_constant(random.tensor(w), "w");
    const char* names[] = {"Conv1d", "Conv2d", "Conv3d", "ConvNd"};
    conv.graph.set_outputs(
        {conv.graph.add_one(*find_op(names[rank - 1]), {input, weight},
                            {{"stride", stride}, {"padding", padding}, {"dilations", dilations}, {"groups", groups}})});
    conv.text = text_of(shape_of(x)) + " by " + text_of(shape_of(w)) + ", " + std::to_string(groups) + " groups";
    return conv;
}

bool has(const Graph& graph, std::string_view op) {
    for (NodeId node : graph.topological())
        if (graph.node(node).op->name == op)
            return true;
    return false;
}

// How many of the convolutions have become products.
int compare(const char* rule, const char* parallel_k, bool is_pointwise) {
    RandomCase random;
    int products = 0;
    for (int i = 0; i < 60; ++i) {
        const Convolution conv = convolution(random, static_cast<std::size_t>(i % 4) + 1, is_pointwise);
        Graph graph = conv.graph;
        GraphOptions options;
        options.on = {rule};
        options.parallel_k = parallel_k;
        optimise(graph, options);
        products += has(graph, "Matmul");
        const std::vector<double> wanted = lang::read_doubles(*evaluate_graph(conv.graph, {conv.x})[0]);
        const std::vector<double> given = lang::read_doubles(*evaluate_graph(graph, {conv.x})[0]);
        REQUIRE((given == wanted ? "" : conv.text) == ""); // sums of multiples of 1/16 are exact
    }
    return products;
}

} // namespace

TEST_CASE("convolutions are products with their columns, whatever their shape, padding, stride and groups") {
    REQUIRE(compare("implicit-gemm", "disabled", false) > 40);
}

TEST_CASE("and so are they in sums that are computed in parts") {
    REQUIRE(compare("implicit-gemm", "2", false) > 40);
}

TEST_CASE("convolutions with windows of one element are products with what they read") {
    REQUIRE(compare("pointwise-convolution", "disabled", true) > 40);
}
