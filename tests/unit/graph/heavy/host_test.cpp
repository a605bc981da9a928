// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <doctest/doctest.h>
#include <string>

#include "tests/unit/graph/interpret.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

TEST_CASE("the k largest come in falling order, of equals the first") {
    const auto x = tensor(DType::F32, {2, 4}, {3, 1, 3, not_a_number, 0, -1, 2, 2});
    const auto largest = apply(op_info::TopK(), {x}, {{"k", std::int64_t{2}}});
    expect_close(largest[0], {not_a_number, 3, 2, 2});
    expect_close(largest[1], {3, 0, 2, 3});
    const auto smallest =
        apply(op_info::TopK(), {x}, {{"k", std::int64_t{1}}, {"axis", std::int64_t{0}}, {"largest", false}});
    expect_close(smallest[0], {0, -1, 2, 2});
    expect_close(smallest[1], {1, 1, 1, 1});
    const auto k = tensor(DType::I64, {1}, {3});
    expect_close(apply(op_info::TopK(), {x, k})[1], {3, 0, 2, 2, 3, 0});
    const auto bits = tensor(DType::U64, {3}, {1, -1, 2});
    expect_close(apply(op_info::TopK(), {bits}, {{"k", std::int64_t{3}}})[1], {1, 2, 0});
}

TEST_CASE("what is not zero, and what a condition keeps") {
    const auto x = tensor(DType::F32, {2, 3}, {0, 5, 0, 7, 0, 8});
    expect_close(apply(op_info::NonZero(), {x})[0], {0, 1, 1, 1, 0, 2});
    const auto scalar = tensor(DType::F32, {}, {2});
    REQUIRE(apply(op_info::NonZero(), {scalar})[0]->shape == (std::vector<std::int64_t>{1, 1}));
    const auto keep = tensor(DType::Bool, {2}, {0, 1});
    expect_close(apply(op_info::Compress(), {x, keep}, {{"axis", std::int64_t{1}}})[0], {5, 0});
    expect_close(apply(op_info::Compress(), {x, keep})[0], {5});
}

TEST_CASE("distinct slices come with their places and counts") {
    const auto x = tensor(DType::I32, {6}, {2, 1, 1, 3, 4, 3});
    const auto sorted = apply(op_info::Unique(), {x});
    expect_close(sorted[0], {1, 2, 3, 4});
    expect_close(sorted[1], {1, 0, 3, 4});
    expect_close(sorted[2], {1, 0, 0, 2, 3, 2});
    expect_close(sorted[3], {2, 1, 2, 1});
    expect_close(apply(op_info::Unique(), {x}, {{"sorted", false}})[0], {2, 1, 3, 4});
    const auto rows = tensor(DType::F32, {3, 2}, {1, 0, 0, 2, 1, 0});
    const auto slices = apply(op_info::Unique(), {rows}, {{"axis", std::int64_t{0}}});
    expect_close(slices[0], {0, 2, 1, 0});
    expect_close(slices[2], {1, 0, 1});
}

TEST_CASE("boxes that overlap a better one are suppressed") {
    const auto boxes = tensor(DType::F32, {1, 4, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11, 1, 11, 0, 10.1});
    const auto scores = tensor(DType::F32, {1, 1, 4}, {0.9, 0.75, 0.6, 0.95});
    const auto selected = apply(op_info::NonMaxSuppression(), {boxes, scores},
                                {{"max_output_boxes_per_class", std::int64_t{3}}, {"iou_threshold", 0.5}});
    expect_close(selected[0], {0, 0, 3, 0, 0, 0});
    const auto none =
        apply(op_info::NonMaxSuppression(), {boxes, scores}, {{"max_output_boxes_per_class", std::int64_t{0}}});
    REQUIRE(none[0]->shape[0] == 0);
}

TEST_CASE("random numbers depend on the seed alone") {
    const Attributes attributes = {{"shape", graph::shape_of({1000})}, {"seed", 3.0}, {"mean", 2.0}, {"scale", 0.5}};
    const auto normal = values_of(apply(op_info::RandomNormal(), {}, attributes)[0]);
    double mean = 0;
    for (double value : normal)
        mean += value / 1000;
    REQUIRE(std::fabs(mean - 2) < 0.1);
    REQUIRE(normal == values_of(apply(op_info::RandomNormal(), {}, attributes)[0]));
    const auto chances = tensor(DType::F32, {3}, {0, 1, 1});
    expect_close(apply(op_info::Bernoulli(), {chances})[0], {0, 1, 1});
    const auto logits = tensor(DType::F32, {1, 2}, {-1000, 0});
    expect_close(apply(op_info::Multinomial(), {logits}, {{"sample_size", std::int64_t{3}}})[0], {1, 1, 1});
}

TEST_CASE("scattering on the host and as a definition agree") {
    const auto data = tensor(DType::F32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const auto indices = tensor(DType::I64, {2, 2}, {1, -1, 1, 0}),
               updates = tensor(DType::F32, {2, 2}, {10, 20, 30, 40});
    for (const OpInfo* op : {&op_info::ScatterElements(), &op_info::HostScatterElements()}) {
        const auto with = [&](const char* how, std::int64_t axis) {
            return apply(*op, {data, indices, updates}, {{"reduction", std::string(how)}, {"axis", axis}})[0];
        };
        expect_close(with("none", 0), {1, 40, 3, 30, 5, 6, 7, 20, 9});
        expect_close(with("add", 0), {1, 42, 3, 44, 5, 6, 7, 28, 9});
        expect_close(with("mul", 0), {1, 80, 3, 1200, 5, 6, 7, 160, 9});
        expect_close(with("max", 0), {1, 40, 3, 30, 5, 6, 7, 20, 9});
        expect_close(with("min", 0), {1, 2, 3, 4, 5, 6, 7, 8, 9});
        expect_close(with("none", 1), {1, 10, 20, 40, 30, 6, 7, 8, 9});
    }
    const auto rows = tensor(DType::I64, {2, 1}, {2, -3}), slices = tensor(DType::F32, {2, 3}, {1, 1, 1, 2, 2, 2});
    const auto cells = tensor(DType::I64, {2, 2}, {0, 1, 0, 1}), values = tensor(DType::F32, {2}, {5, 6});
    for (const OpInfo* op : {&op_info::ScatterND(), &op_info::HostScatterND()}) {
        expect_close(apply(*op, {data, rows, slices})[0], {2, 2, 2, 4, 5, 6, 1, 1, 1});
        expect_close(apply(*op, {data, cells, values})[0], {1, 6, 3, 4, 5, 6, 7, 8, 9});
        expect_close(apply(*op, {data, cells, values}, {{"reduction", std::string("add")}})[0],
                     {1, 13, 3, 4, 5, 6, 7, 8, 9});
    }
}

TEST_CASE("unpooling puts elements back") {
    const auto x = tensor(DType::F32, {1, 1, 2, 2}, {1, 2, 3, 4}),
               indices = tensor(DType::I64, {1, 1, 2, 2}, {5, 7, 13, 15});
    Attributes attributes = {{"kernel", Ints{2, 2}}, {"stride", Ints{2, 2}}};
    expect_close(apply(op_info::MaxUnpool(), {x, indices}, attributes)[0],
                 {0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4});
    attributes.set("output_shape", Ints{1, 1, 5, 5});
    expect_close(apply(op_info::MaxUnpool(), {x, indices}, attributes)[0],
                 {0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a determinant is found with pivots") {
    const auto x = tensor(DType::F32, {2, 2, 2}, {0, 2, 3, 4, 1, 2, 2, 4});
    expect_close(apply(op_info::Det(), {x})[0], {-6, 0});
}

TEST_CASE("windows of signals") {
    expect_close(apply(op_info::HannWindow(), {}, {{"size", std::int64_t{4}}})[0], {0, 0.5, 1, 0.5});
    expect_close(apply(op_info::HannWindow(), {}, {{"size", std::int64_t{3}}, {"periodic", false}})[0], {0, 1, 0});
    expect_close(apply(op_info::BlackmanWindow(), {tensor(DType::I64, {}, {2})})[0], {0, 1});
    expect_close(apply(op_info::HammingWindow(), {}, {{"size", std::int64_t{1}}, {"periodic", false}})[0], {1});
}

// Written out for one feature and one hidden state.
TEST_CASE("gates of recurrent layers are those of ONNX") {
    const auto x = tensor(DType::F32, {3, 1, 1}, {0.5, -1, 2});
    const auto w = tensor(DType::F32, {1, 4, 1}, {0.1, 0.2, 0.3, 0.4}),
               r = tensor(DType::F32, {1, 4, 1}, {0.5, 0.6, 0.7, 0.8});
    const auto bias = tensor(DType::F32, {1, 8}, {0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2});
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    double h = 0, c = 0;
    std::vector<double> all;
    for (double v : {0.5, -1.0, 2.0}) {
        const double i = sigmoid(0.1 * v + 0.5 * h + 0.3), o = sigmoid(0.2 * v + 0.6 * h + 0.3);
        const double f = sigmoid(0.3 * v + 0.7 * h + 0.3), g = std::tanh(0.4 * v + 0.8 * h + 0.3);
        c = f * c + i * g;
        h = o * std::tanh(c);
        all.push_back(h);
    }
    const auto lstm = apply(op_info::LSTM(), {x, w, r, bias}, {{"given", Ints{3}}});
    expect_close(lstm[0], all);
    expect_close(lstm[1], {h});
    expect_close(lstm[2], {c});

    const auto w3 = tensor(DType::F32, {1, 3, 1}, {0.1, 0.2, 0.3}), r3 = tensor(DType::F32, {1, 3, 1}, {0.5, 0.6, 0.7});
    const auto b3 = tensor(DType::F32, {1, 6}, {0, 0, 0.1, 0, 0, 0.2});
    for (const bool linear : {false, true}) {
        h = 0;
        for (double v : {0.5, -1.0, 2.0}) {
            const double z = sigmoid(0.1 * v + 0.5 * h), reset = sigmoid(0.2 * v + 0.6 * h);
            const double past = linear ? reset * (0.7 * h + 0.2) : 0.7 * reset * h + 0.2;
            h = (1 - z) * std::tanh(0.3 * v + 0.1 + past) + z * h;
        }
        expect_close(apply(op_info::GRU(), {x, w3, r3, b3},
                           {{"given", Ints{3}}, {"linear_before_reset", std::int64_t{linear}}})[1],
                     {h});
    }
}

TEST_CASE("sequences run both ways, as long as they are") {
    const auto x = tensor(DType::F32, {2, 2, 1}, {1, 2, 3, 4}); // two steps, two entries
    const auto w = tensor(DType::F32, {2, 1, 1}, {1, 1}), r = tensor(DType::F32, {2, 1, 1}, {10, 10});
    const auto lengths = tensor(DType::I32, {2}, {2, 1});
    const Attributes attributes = {{"given", Ints{4}},
                                   {"direction", std::string("bidirectional")},
                                   {"activations", Texts{"Affine", "Relu"}},
                                   {"activation_alpha", Floats{2}}};
    const auto y = apply(op_info::RNN(), {x, w, r, lengths}, attributes);
    // Forward: 2 (x + 10 h); backward: x + 10 h. The second entry has one step.
    expect_close(y[0], {2, 4, 31, 2, 46, 0, 3, 0});
    expect_close(y[1], {46, 4, 31, 2});
    Attributes first = attributes;
    first.set("layout", std::int64_t{1});
    const auto swapped = tensor(DType::F32, {2, 2, 1}, {1, 3, 2, 4});
    const auto batch_first = apply(op_info::RNN(), {swapped, w, r, lengths}, first);
    expect_close(batch_first[0], {2, 31, 46, 3, 4, 2, 0, 0});
    expect_close(batch_first[1], {46, 31, 4, 2});
}

TEST_CASE("what cannot be done is refused with its shape") {
    const TensorSpec x{DType::F32, graph::shape_of({2, 3})};
    REQUIRE(blocker_of(op_info::TopK(), {x}, {{"k", std::int64_t{4}}}) ==
            "topk of " + text_of(x) + " cannot take 4 elements along axis 1");
    REQUIRE(blocker_of(op_info::LSTM(), {x, x, x}, {{"direction", std::string("sideways")}}) ==
            "lstm has no direction 'sideways'");
    REQUIRE(blocker_of(op_info::Det(), {x}) == "det wants square matrices of floats, not " + text_of(x));
}

} // namespace
