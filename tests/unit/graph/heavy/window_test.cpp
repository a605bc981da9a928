// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <doctest/doctest.h>
#include <string>

#include "compiler/graph/ops/contraction/convolution.h"
#include "tests/unit/graph/interpret.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

using Extents = std::vector<std::int64_t>;

// Pictures with loops for two spatial dimensions; one dimension is a picture of one row, and three are tested apart.
struct Case {
    std::int64_t channels = 4, out_channels = 6, groups = 1;
    Extents size = {7, 6}, kernel = {3, 2};
    Ints stride = {1, 1}, padding = {0, 0, 0, 0}, dilations = {1, 1}, output_padding = {0, 0};
    bool ceil_mode = false;
};

double at4(const std::vector<double>& v, const Extents& s, std::int64_t n, std::int64_t c, std::int64_t h,
           std::int64_t w) {
    return v[static_cast<std::size_t>(((n * s[1] + c) * s[2] + h) * s[3] + w)];
}

std::int64_t extent(const Case& c, std::size_t d) {
    return (c.size[d] + c.padding[d] + c.padding[d + 2] - c.dilations[d] * (c.kernel[d] - 1) - 1) / c.stride[d] + 1;
}

template <class F>
void for_each_output(const Extents& shape, F&& visit) {
    for (std::int64_t n = 0; n < shape[0]; ++n)
        for (std::int64_t c = 0; c < shape[1]; ++c)
            for (std::int64_t h = 0; h < shape[2]; ++h)
                for (std::int64_t w = 0; w < shape[3]; ++w)
                    visit(n, c, h, w);
}

Attributes attributes_of(const Case& c) {
    return {{"stride", c.stride}, {"padding", c.padding}, {"dilations", c.dilations}, {"groups", c.groups}};
}

void check_convolution(const Case& c) {
    const auto x = random_tensor(DType::F32, {2, c.channels, c.size[0], c.size[1]}, 5);
    const auto w = random_tensor(DType::F32, {c.out_channels, c.channels / c.groups, c.kernel[0], c.kernel[1]}, 6);
    const auto xs = values_of(x), ws = values_of(w);
    const Extents shape = {2, c.out_channels, extent(c, 0), extent(c, 1)};
    std::vector<double> expected;
    for_each_output(shape, [&](auto n, auto o, auto h, auto v) {
        double sum = 0;
        const std::int64_t per_group = c.channels / c.groups;
        for (std::int64_t i = 0; i < per_group; ++i)
            for (std::int64_t p = 0; p < c.kernel[0]; ++p)
                for (std::int64_t q = 0; q < c.kernel[1]; ++q) {
                    const std::int64_t y = h * c.stride[0] - c.padding[0] + p * c.dilations[0];
                    const std::int64_t z = v * c.stride[1] - c.padding[1] + q * c.dilations[1];
                    if (y < 0 || y >= c.size[0] || z < 0 || z >= c.size[1])
                        continue;
                    const std::int64_t channel = o / (c.out_channels / c.groups) * per_group + i;
                    sum += at4(xs, x->shape, n, channel, y, z) * at4(ws, w->shape, o, i, p, q);
                }
        expected.push_back(sum);
    });
    const auto y = apply(op_info::Conv2d(), {x, w}, attributes_of(c))[0];
    REQUIRE(y->shape == shape);
    expect_close(y, expected);
}

// By scattering, where the definition gathers.
void check_transposed(const Case& c) {
    const auto x = random_tensor(DType::F32, {2, c.channels, c.size[0], c.size[1]}, 5);
    const std::int64_t per_group = c.out_channels / c.groups;
    const auto w = random_tensor(DType::F32, {c.channels, per_group, c.kernel[0], c.kernel[1]}, 6);
    const auto xs = values_of(x), ws = values_of(w);
    Extents shape = {2, c.out_channels};
    for (std::size_t d = 0; d < 2; ++d)
        shape.push_back((c.size[d] - 1) * c.stride[d] + c.dilations[d] * (c.kernel[d] - 1) + 1 + c.output_padding[d] -
                        c.padding[d] - c.padding[d + 2]);
    std::vector<double> expected(static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * shape[3]));
    for_each_output(x->shape, [&](auto n, auto i, auto h, auto v) {
        for (std::int64_t o = 0; o < per_group; ++o)
            for (std::int64_t p = 0; p < c.kernel[0]; ++p)
                for (std::int64_t q = 0; q < c.kernel[1]; ++q) {
                    const std::int64_t y = h * c.stride[0] - c.padding[0] + p * c.dilations[0];
                    const std::int64_t z = v * c.stride[1] - c.padding[1] + q * c.dilations[1];
                    if (y < 0 || y >= shape[2] || z < 0 || z >= shape[3])
                        continue;
                    const std::int64_t channel = i / (c.channels / c.groups) * per_group + o;
                    expected[static_cast<std::size_t>(((n * shape[1] + channel) * shape[2] + y) * shape[3] + z)] +=
                        at4(xs, x->shape, n, i, h, v) * at4(ws, w->shape, i, o, p, q);
                }
    });
    Attributes attributes = attributes_of(c);
    attributes.set("output_padding", c.output_padding);
    const auto y = apply(op_info::Conv2dTranspose(), {x, w}, attributes)[0];
    REQUIRE(y->shape == shape);
    expect_close(y, expected);
}

std::vector<Case> cases() {
    Case strided{.stride = {2, 3}, .padding = {1, 0, 2, 1}};
    Case dilated{.padding = {2, 1, 2, 1}, .dilations = {2, 3}};
    Case grouped{.groups = 2, .padding = {1, 1, 1, 1}};
    Case depthwise{.out_channels = 4, .groups = 4, .stride = {2, 2}};
    Case extra{.stride = {3, 2}, .output_padding = {1, 1}};
    Case everything{.groups = 2, .stride = {2, 2}, .padding = {1, 0, 0, 1}, .dilations = {2, 2}};
    return {Case{}, strided, dilated, grouped, depthwise, extra, everything};
}

TEST_CASE("a convolution gives what loops give") {
    for (const Case& c : cases())
        check_convolution(c);
}

TEST_CASE("a transposed convolution gives what scattering gives") {
    for (const Case& c : cases())
        check_transposed(c);
}

TEST_CASE("convolutions of one, three and any number of dimensions agree with that of two") {
    const auto x = random_tensor(DType::F32, {2, 4, 1, 9}), w = random_tensor(DType::F32, {6, 2, 1, 3});
    const Attributes two = {{"padding", Ints{0, 1, 0, 2}}, {"stride", Ints{1, 2}}, {"groups", std::int64_t{2}}};
    const Attributes one = {{"padding", Ints{1, 2}}, {"stride", Ints{2}}, {"groups", std::int64_t{2}}};
    const auto expected = values_of(apply(op_info::Conv2d(), {x, w}, two)[0]);
    const auto row = tensor(DType::F32, {2, 4, 9}, values_of(x)), weight = tensor(DType::F32, {6, 2, 3}, values_of(w));
    expect_close(apply(op_info::Conv1d(), {row, weight}, one)[0], expected, 0);
    const auto cube = tensor(DType::F32, {2, 4, 1, 1, 9}, values_of(x));
    const auto kernel = tensor(DType::F32, {6, 2, 1, 1, 3}, values_of(w));
    const Attributes three = {
        {"padding", Ints{0, 0, 1, 0, 0, 2}}, {"stride", Ints{1, 1, 2}}, {"groups", std::int64_t{2}}};
    expect_close(apply(op_info::Conv3d(), {cube, kernel}, three)[0], expected, 0);
    expect_close(apply(op_info::ConvNd(), {cube, kernel}, three)[0], expected, 0);
}

TEST_CASE("channels last changes the order alone") {
    const auto x = random_tensor(DType::F32, {1, 3, 4, 4}), w = random_tensor(DType::F32, {2, 3, 3, 3});
    const auto xs = values_of(x);
    std::vector<double> last;
    for (std::size_t p = 0; p < 16; ++p)
        for (std::size_t c = 0; c < 3; ++c)
            last.push_back(xs[c * 16 + p]);
    const Attributes attributes = {{"padding", Ints{1, 1}}};
    const auto first = values_of(apply(op_info::Conv2d(), {x, w}, attributes)[0]);
    std::vector<double> expected;
    for (std::size_t p = 0; p < 16; ++p)
        for (std::size_t c = 0; c < 2; ++c)
            expected.push_back(first[c * 16 + p]);
    expect_close(apply(op_info::Conv2dChannelLast(), {tensor(DType::F32, {1, 4, 4, 3}, last), w}, attributes)[0],
                 expected, 0);
}

struct Pooled {
    std::vector<double> largest, index, mean, padded_mean, norm;
    Extents shape;
};

Pooled pooled(const Case& c, const lang::TensorRef& x) {
    Pooled result;
    const auto xs = values_of(x);
    result.shape = {2, c.channels};
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t room = c.size[d] + c.padding[d] + c.padding[d + 2] - c.dilations[d] * (c.kernel[d] - 1) - 1;
        std::int64_t count = room / c.stride[d] + 1;
        if (c.ceil_mode && room % c.stride[d] != 0 && count * c.stride[d] < c.size[d] + c.padding[d])
            ++count;
        result.shape.push_back(count);
    }
    for_each_output(result.shape, [&](auto n, auto ch, auto h, auto v) {
        double best = -infinity, sum = 0, square = 0;
        std::int64_t place = -1, inside = 0, padded = 0;
        for (std::int64_t p = 0; p < c.kernel[0]; ++p)
            for (std::int64_t q = 0; q < c.kernel[1]; ++q) {
                const std::int64_t y = h * c.stride[0] - c.padding[0] + p * c.dilations[0];
                const std::int64_t z = v * c.stride[1] - c.padding[1] + q * c.dilations[1];
                padded += y < c.size[0] + c.padding[2] && z < c.size[1] + c.padding[3];
                if (y < 0 || y >= c.size[0] || z < 0 || z >= c.size[1])
                    continue;
                const double value = at4(xs, x->shape, n, ch, y, z);
                if (place < 0 || value > best)
                    best = value, place = ((n * c.channels + ch) * c.size[0] + y) * c.size[1] + z;
                sum += value, square += value * value, ++inside;
            }
        result.largest.push_back(best);
        result.index.push_back(static_cast<double>(place));
        result.mean.push_back(sum / static_cast<double>(inside));
        result.padded_mean.push_back(sum / static_cast<double>(padded));
        result.norm.push_back(std::sqrt(square));
    });
    return result;
}

TEST_CASE("pools give what loops give") {
    Case plain{.stride = {2, 2}};
    Case padded{.size = {6, 7}, .kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 0, 1, 2}};
    Case ceiled{.size = {6, 7}, .kernel = {3, 3}, .stride = {2, 2}, .padding = {0, 1, 0, 1}, .ceil_mode = true};
    Case beyond{.size = {4, 4}, .kernel = {1, 2}, .stride = {4, 3}, .padding = {0, 1, 0, 1}, .ceil_mode = true};
    Case dilated{.size = {7, 8}, .kernel = {2, 3}, .padding = {1, 1, 1, 1}, .dilations = {2, 2}};
    for (const Case& c : {plain, padded, ceiled, beyond, dilated}) {
        const auto x = random_tensor(DType::F32, {2, c.channels, c.size[0], c.size[1]}, 8);
        const Pooled expected = pooled(c, x);
        const Attributes attributes = {{"kernel", Ints(c.kernel)},
                                       {"stride", c.stride},
                                       {"padding", c.padding},
                                       {"dilations", c.dilations},
                                       {"ceil_mode", c.ceil_mode}};
        const auto y = apply(op_info::MaxPool2d(), {x}, attributes)[0];
        REQUIRE(y->shape == expected.shape);
        expect_close(y, expected.largest, 0);
        const auto both = apply(op_info::MaxPoolWithIndices(), {x}, attributes);
        expect_close(both[0], expected.largest, 0);
        expect_close(both[1], expected.index, 0);
        expect_close(apply(op_info::AvgPool2d(), {x}, attributes)[0], expected.mean);
        expect_close(apply(op_info::LpPool(), {x}, attributes)[0], expected.norm);
        Attributes with_padding = attributes;
        with_padding.set("count_include_pad", true);
        expect_close(apply(op_info::AvgPoolNd(), {x}, with_padding)[0], expected.padded_mean);
    }
}

TEST_CASE("the index of a largest element is one of the input") {
    const Attributes attributes = {{"kernel", Ints{2}}, {"padding", Ints{1, 1}}};
    const auto low = tensor(DType::U8, {1, 1, 3}, {0, 0, 0});
    expect_close(apply(op_info::MaxPoolWithIndices(), {low}, attributes)[1], {0, 0, 1, 2});
    const auto lowest = tensor(DType::F32, {1, 1, 2}, {-infinity, -infinity});
    expect_close(apply(op_info::MaxPoolWithIndices(), {lowest}, attributes)[1], {0, 0, 1});
    const auto x = tensor(DType::F32, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
    expect_close(
        apply(op_info::MaxPoolWithIndices(), {x}, {{"kernel", Ints{2}}, {"storage_order", std::int64_t{1}}})[1],
        {3, 5});
}

TEST_CASE("adaptive pools give the wanted size") {
    const auto x = random_tensor(DType::F32, {1, 2, 5, 7}, 2);
    const auto v = values_of(x);
    std::vector<double> mean, largest;
    for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                double sum = 0, count = 0, best = -infinity;
                for (std::size_t y = i * 5 / 3; y < ((i + 1) * 5 + 2) / 3; ++y)
                    for (std::size_t z = j * 7 / 4; z < ((j + 1) * 7 + 3) / 4; ++z)
                        sum += v[c * 35 + y * 7 + z], ++count, best = std::max(best, v[c * 35 + y * 7 + z]);
                mean.push_back(sum / count);
                largest.push_back(best);
            }
    expect_close(apply(op_info::AdaptiveAvgPool2d(), {x}, {{"output_size", Ints{3, 4}}})[0], mean);
    expect_close(apply(op_info::AdaptiveMaxPool2d(), {x}, {{"output_size", Ints{3, 4}}})[0], largest);
}

TEST_CASE("what does not fit is refused with its shapes") {
    const TensorSpec x{DType::F32, graph::shape_of({1, 4, 5, 5})};
    const TensorSpec w{DType::F32, graph::shape_of({8, 3, 3, 3})};
    const std::string both = text_of(x) + " and " + text_of(w);
    REQUIRE(blocker_of(op_info::Conv2d(), {x, w}) ==
            "conv2d of " + both + ": the weight does not have the input's channels");
    REQUIRE(blocker_of(op_info::Conv1d(), {x, w}) == "conv1d of " + both + ": both want 3 dimensions");
    REQUIRE(blocker_of(op_info::Conv2d(), {x, w}, {{"groups", std::int64_t{3}}}) ==
            "conv2d of " + both + ": 4 input channels do not form 3 groups");
    REQUIRE(blocker_of(op_info::MaxPool2d(), {x}, {{"kernel", Ints{2, 2, 2}}}) ==
            "max_pool2d wants 2 numbers in kernel, not [2, 2, 2]");
    REQUIRE(blocker_of(op_info::MaxPool2d(), {x}, {{"kernel", Ints{6}}}).starts_with("max_pool2d: a window of "));
    REQUIRE(blocker_of(op_info::MaxPool2d(), {x}, {{"kernel", Ints{2}}, {"stride", Ints{0}}}) ==
            "max_pool2d wants positive strides, not [0, 0]");
}

} // namespace
