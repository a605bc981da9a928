// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>
#include <string>

#include "compiler/graph/ops/composed/einsum.h"
#include "compiler/graph/ops/composed/scatter.h"
#include "tests/unit/graph/interpret.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

// A graph whose values are all known: constants, and what operators make of them.
class Known {
public:
    ValueId add(const lang::TensorRef& tensor) { return graph.add_constant(tensor); }
    lang::TensorRef value(ValueId id) {
        const Value& value = graph.value(id);
        if (value.is_constant())
            return value.data;
        const Node& node = graph.node(value.producer);
        std::vector<lang::TensorRef> inputs;
        for (ValueId input : node.inputs)
            inputs.push_back(this->value(input));
        return apply(*node.op, inputs, node.attributes)[value.output];
    }
    Graph graph;
};

TEST_CASE("numbers are quantised by tensor, axis and block, and back") {
    const auto x = tensor(DType::F32, {2, 3}, {0, 2, 3, 1000, -254, -1000});
    const auto scale = tensor(DType::F32, {}, {2}), zero = tensor(DType::U8, {}, {128});
    expect_close(apply(op_info::QuantizeLinear(), {x, scale, zero})[0], {128, 129, 130, 255, 1, 0});
    const auto scales = tensor(DType::F32, {3}, {1, 2, 4}), zeros = tensor(DType::I8, {3}, {0, 1, -1});
    const auto q = apply(op_info::QuantizeLinear(), {x, scales, zeros})[0];
    REQUIRE(q->dtype == DType::I8);
    expect_close(q, {0, 2, 0, 127, -126, -128});
    expect_close(apply(op_info::DequantizeLinear(), {q, scales, zeros})[0], {0, 2, 4, 127, -254, -508});
    const auto blocks = tensor(DType::F32, {2, 2}, {1, 2, 100, 200});
    const Attributes blocked = {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}, {"dtype", DType::I4}};
    const auto four_bits = apply(op_info::QuantizeLinear(), {x, blocks}, blocked)[0];
    REQUIRE(four_bits->dtype == DType::I8);
    expect_close(four_bits, {0, 2, 2, 7, -3, -5});
    const auto halves = tensor(DType::F32, {4}, {0.5, 1.5, 2.5, -0.5}), one = tensor(DType::F32, {}, {1});
    expect_close(apply(op_info::QuantizeLinear(), {halves, one}, {{"dtype", DType::I8}})[0], {0, 2, 2, 0});
    expect_close(apply(op_info::QuantizeLinear(), {halves, one}, {{"dtype", DType::F8E4M3}})[0], {0.5, 1.5, 2.5, -0.5});
    const auto dynamic = apply(op_info::DynamicQuantizeLinear(), {tensor(DType::F32, {3}, {-1, 0, 4.1})});
    expect_close(dynamic[0], {0, 50, 255});
    expect_close(dynamic[1], {0.02});
    expect_close(dynamic[2], {50});
    const auto symmetric = apply(op_info::SymmetricQuantization(), {tensor(DType::F32, {2, 2}, {1, -2, 0, 0})});
    expect_close(symmetric[0], {64, -127, 0, 0});
    expect_close(apply(op_info::SymmetricDeQuantization(), {symmetric[0], symmetric[1]})[0],
                 {64 * 2.0 / 127, -2, 0, 0});
}

TEST_CASE("normalising gives what loops give") {
    const auto x = random_tensor(DType::F32, {2, 4, 3}, 2);
    const auto v = values_of(x);
    const auto normal = [&](std::size_t i, std::size_t first, std::size_t count) {
        double m = 0, s = 0;
        for (std::size_t j = first; j < first + count; ++j)
            m += v[j] / static_cast<double>(count);
        for (std::size_t j = first; j < first + count; ++j)
            s += (v[j] - m) * (v[j] - m) / static_cast<double>(count);
        return (v[i] - m) / std::sqrt(s + 1e-3);
    };
    // Rows that stand one after the other, of so many elements.
    const auto rows = [&](std::size_t count) {
        std::vector<double> result;
        for (std::size_t i = 0; i < 24; ++i)
            result.push_back(normal(i, i / count * count, count));
        return result;
    };
    const auto normalised = [](const lang::TensorRef& of, const Ints& dims) {
        return apply(op_info::Normalize(), {of}, {{"dims", dims}, {"epsilon", 1e-3}})[0];
    };
    expect_close(normalised(x, {2}), rows(3));
    expect_close(normalised(x, {-2, -1}), rows(12));
    const auto groups = apply(op_info::Reshape(), {x}, {{"shape", graph::shape_of({2, 2, 2, 3})}})[0];
    expect_close(normalised(groups, {2, 3}), rows(6));
    const auto root = values_of(apply(op_info::RmsNormalize(), {x}, {{"dims", Ints{-1}}, {"epsilon", 0.0}})[0]);
    REQUIRE(std::fabs(root[0] * root[0] + root[1] * root[1] + root[2] * root[2] - 3) < 1e-5);
}

TEST_CASE("attention is softmax of scores times values") {
    const auto q = random_tensor(DType::F32, {2, 3, 4}, 1), k = random_tensor(DType::F32, {1, 4, 5}, 2);
    const auto v = random_tensor(DType::F32, {2, 5, 2}, 3), mask = random_tensor(DType::F32, {3, 5}, 4);
    const auto qs = values_of(q), ks = values_of(k), vs = values_of(v), ms = values_of(mask);
    const auto expected = [&](bool causal, bool masked, double scale = 1) {
        std::vector<double> result;
        for (std::size_t b = 0; b < 2; ++b)
            for (std::size_t i = 0; i < 3; ++i) {
                double powers[5], total = 0;
                for (std::size_t j = 0; j < 5; ++j) {
                    double score = masked ? ms[i * 5 + j] : 0;
                    for (std::size_t d = 0; d < 4; ++d)
                        score += scale * qs[(b * 3 + i) * 4 + d] * ks[d * 5 + j];
                    powers[j] = causal && j > i ? 0 : std::exp(score);
                    total += powers[j];
                }
                for (std::size_t e = 0; e < 2; ++e) {
                    double sum = 0;
                    for (std::size_t j = 0; j < 5; ++j)
                        sum += powers[j] / total * vs[(b * 5 + j) * 2 + e];
                    result.push_back(sum);
                }
            }
        return result;
    };
    expect_close(apply(op_info::Attn(), {q, k, v})[0], expected(false, false));
    expect_close(apply(op_info::Attn(), {q, k, v}, {{"is_causal", true}})[0], expected(true, false));
    expect_close(apply(op_info::AttnMaskAdd(), {q, k, v, mask})[0], expected(false, true));
    const auto rows = apply(op_info::PermuteDims(), {k}, {{"axes", Ints{0, 2, 1}}})[0];
    const Attributes causal = {{"is_causal", true}, {"transpose_k", true}, {"scale", 0.3}};
    expect_close(apply(op_info::Attn(), {q, rows, v}, causal)[0], expected(true, false, 0.3));
    const Attributes scaled = {{"transpose_k", true}, {"scale", -2.0}};
    expect_close(apply(op_info::AttnMaskAdd(), {q, rows, v, mask}, scaled)[0], expected(false, true, -2));
}

TEST_CASE("bags of rows, empty ones too, are combined") {
    const auto table = tensor(DType::F32, {3, 2}, {1, 2, 3, 4, 5, 6});
    const auto indices = tensor(DType::I64, {4}, {0, 2, 1, -1}), offsets = tensor(DType::I64, {3}, {0, 2, 2});
    const auto bags = [&](const char* mode) {
        return apply(op_info::EmbeddingBag(), {indices, table, offsets}, {{"mode", std::string(mode)}})[0];
    };
    expect_close(bags("sum"), {6, 8, 0, 0, 8, 10});
    expect_close(bags("mean"), {3, 4, 0, 0, 4, 5});
    expect_close(bags("max"), {5, 6, 0, 0, 5, 6});
}

TEST_CASE("einsum reads implied results, diagonals and dots") {
    const auto a = tensor(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6}), b = tensor(DType::F32, {3, 2}, {1, 0, 0, 1, 1, 1});
    const auto with = [](const char* equation, const std::vector<lang::TensorRef>& inputs) {
        return apply(op_info::Einsum(), inputs, {{"equation", std::string(equation)}})[0];
    };
    expect_close(with("ij,jk->ik", {a, b}), {4, 5, 10, 11});
    expect_close(with("ij , jk", {a, b}), {4, 5, 10, 11});
    expect_close(with("ij->ji", {a}), {1, 4, 2, 5, 3, 6});
    expect_close(with("ij->", {a}), {21});
    const auto square = tensor(DType::F32, {2, 2}, {1, 2, 3, 4});
    expect_close(with("ii->i", {square}), {1, 4});
    expect_close(with("...i,...i->...", {a, a}), {14, 77});
    const auto rows = tensor(DType::F32, {1, 2, 3}, {1, 2, 3, 4, 5, 6});
    expect_close(with("...ij,...jk", {rows, b}), {4, 5, 10, 11});
    const TensorSpec vector{DType::F32, graph::shape_of({2})};
    REQUIRE(blocker_of(op_info::Einsum(), {vector}, {{"equation", std::string("ij->i")}}) ==
            "einsum: the equation 'ij->i' is not one for an operand of shape " + text_of(vector.shape));
    REQUIRE(blocker_of(op_info::Einsum(), {vector}, {{"equation", std::string("i->j")}}) ==
            "einsum cannot read the equation 'i->j': no operand has index 'j'");
}

TEST_CASE("einsum of several operands is made of matrix products") {
    Known known;
    const auto a = random_tensor(DType::F64, {2, 3, 4}, 1), b = random_tensor(DType::F64, {4, 2, 5}, 2);
    const auto c = random_tensor(DType::F64, {5, 6, 2}, 3);
    for (const char* equation : {"bij,jbk,klb->lib", "bij,jbk,klb->", "bij,jmk,klb->ml", "bij,jbk,nlb->bn"}) {
        const Attributes attributes = {{"equation", std::string(equation)}};
        const auto expected = values_of(apply(op_info::Einsum(), {a, b, c}, attributes)[0]);
        const ValueId y = einsum(known.graph, equation, {known.add(a), known.add(b), known.add(c)});
        REQUIRE(known.graph.node(known.graph.value(y).producer).op != &op_info::Einsum());
        expect_close(known.value(y), expected, 1e-9);
    }
}

TEST_CASE("Fourier transforms are sums of complex powers") {
    const auto x = random_tensor(DType::F32, {1, 6, 2}, 5);
    const auto v = values_of(x);
    for (const bool inverse : {false, true}) {
        std::vector<double> expected;
        for (std::size_t k = 0; k < 6; ++k) {
            std::complex<double> sum;
            for (std::size_t n = 0; n < 6; ++n)
                sum += std::complex(v[n * 2], v[n * 2 + 1]) *
                       std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(n * k) / 6);
            if (inverse)
                sum /= 6;
            expected.push_back(sum.real());
            expected.push_back(sum.imag());
        }
        expect_close(apply(op_info::DFT(), {x}, {{"axis", std::int64_t{1}}, {"inverse", inverse}})[0], expected);
    }
    const auto signal = tensor(DType::F32, {1, 4, 1}, {1, 2, 3, 4});
    const auto longer = apply(op_info::DFT(), {signal}, {{"dft_length", graph::shape_of({5})}, {"onesided", true}})[0];
    REQUIRE(longer->shape == (std::vector<std::int64_t>{1, 3, 2}));
    REQUIRE(std::fabs(values_of(longer)[0] - 10) < 1e-5);
    for (const std::int64_t length : {4, 5}) { // there and back, with a bin that is its own conjugate and without
        const auto there =
            apply(op_info::DFT(), {signal}, {{"dft_length", graph::shape_of({length})}, {"onesided", true}})[0];
        const auto back = apply(op_info::DFT(), {there},
                                {{"dft_length", graph::shape_of({length})}, {"onesided", true}, {"inverse", true}})[0];
        REQUIRE(back->shape == (std::vector<std::int64_t>{1, length, 1}));
        expect_close(back, length == 4 ? std::vector<double>{1, 2, 3, 4} : std::vector<double>{1, 2, 3, 4, 0});
    }
    const auto window = tensor(DType::F32, {2}, {1, 0.5});
    const auto frames = apply(op_info::STFT(), {signal, window}, {{"frame_step", std::int64_t{1}}})[0];
    expect_close(frames, {2, 0, 0, 0, 3.5, 0, 0.5, 0, 5, 0, 1, 0});
}

TEST_CASE("losses ignore, weigh and average") {
    const auto x = tensor(DType::F32, {3, 2}, {1, 2, 3, 4, 5, 7}), targets = tensor(DType::I64, {3}, {0, 1, -1});
    const auto weights = tensor(DType::F32, {2}, {1, 3});
    const auto loss = [&](const char* reduction) {
        const Attributes attributes = {{"reduction", std::string(reduction)}, {"ignore_index", std::int64_t{-1}}};
        return apply(op_info::NegativeLogLikelihoodLoss(), {x, targets, weights}, attributes)[0];
    };
    expect_close(loss("none"), {-1, -12, 0});
    expect_close(loss("sum"), {-13});
    expect_close(loss("mean"), {-13.0 / 4});
}

TEST_CASE("few places are looked through, many are left to the host") {
    const auto scattered = [](std::int64_t extent, std::int64_t places) {
        return std::string(scatter_elements_op(graph::shape_of({extent}), graph::shape_of({places}), 0).name);
    };
    REQUIRE(scattered(1000, 10) == "ScatterElements");
    REQUIRE(scattered(100000, 100000) == "HostScatterElements");
}

} // namespace
