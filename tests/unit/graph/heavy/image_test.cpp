// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "compiler/graph/interpreter/interpreter.h"
#include "tests/unit/graph/interpret.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

const auto ramp = [](std::int64_t n) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < n; ++i)
        values.push_back(static_cast<double>(i + 1));
    return values;
};

// One dimension resized in the plain way: coordinates by `place`, taps by a loop over all of the input.
std::vector<double> resampled(const std::vector<double>& x, std::size_t out, double (*place)(double, double, double),
                              double (*kernel)(double), double shrink, bool drops_outside) {
    std::vector<double> result;
    const auto n = static_cast<std::int64_t>(x.size());
    const double scale = static_cast<double>(out) / static_cast<double>(n);
    for (std::size_t o = 0; o < out; ++o) {
        const double c = place(static_cast<double>(o), scale, static_cast<double>(n));
        double sum = 0, total = 0;
        for (std::int64_t i = -20; i < n + 20; ++i) {
            const double weight = kernel(std::fabs((static_cast<double>(i) - c) * shrink));
            if (drops_outside && (i < 0 || i >= n))
                continue;
            sum += weight * x[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, n - 1))];
            total += weight;
        }
        result.push_back(sum / total);
    }
    return result;
}

double half_pixel(double o, double scale, double) {
    return (o + 0.5) / scale - 0.5;
}
double aligned(double o, double scale, double n) {
    return scale * n == 1 ? 0 : o * (n - 1) / (scale * n - 1);
}
double asymmetric(double o, double scale, double) {
    return o / scale;
}
double triangle(double d) {
    return std::max(0.0, 1 - d);
}
double cubic(double d) {
    const double a = -0.75;
    return d <= 1  ? (a + 2) * d * d * d - (a + 3) * d * d + 1
           : d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a
                   : 0;
}

lang::TensorRef resized(const lang::TensorRef& x, std::int64_t size, Attributes attributes) {
    attributes.set("sizes", graph::shape_of({size}));
    attributes.set("axes", Ints{-1});
    return apply(op_info::Resize(), {x}, attributes)[0];
}

TEST_CASE("resizing gives what loops over all elements give") {
    const auto x = random_tensor(DType::F64, {1, 7}, 3);
    const auto v = values_of(x);
    for (const std::int64_t size : {3, 7, 10, 14}) {
        const auto n = static_cast<std::size_t>(size);
        const double shrink = std::min(1.0, static_cast<double>(size) / 7);
        const auto with = [&](const char* mode, const char* transformation, bool exclude, bool antialias) {
            return resized(x, size,
                           {{"mode", std::string(mode)},
                            {"coordinate_transformation_mode", std::string(transformation)},
                            {"exclude_outside", exclude},
                            {"antialias", antialias}});
        };
        expect_close(with("linear", "half_pixel", false, false), resampled(v, n, half_pixel, triangle, 1, false));
        expect_close(with("linear", "align_corners", false, false), resampled(v, n, aligned, triangle, 1, false));
        expect_close(with("linear", "asymmetric", false, false), resampled(v, n, asymmetric, triangle, 1, false));
        expect_close(with("cubic", "half_pixel", false, false), resampled(v, n, half_pixel, cubic, 1, false));
        expect_close(with("cubic", "align_corners", true, false), resampled(v, n, aligned, cubic, 1, true));
        expect_close(with("linear", "half_pixel", false, true), resampled(v, n, half_pixel, triangle, shrink, false));
        expect_close(with("cubic", "half_pixel", true, true), resampled(v, n, half_pixel, cubic, shrink, true));
    }
}

TEST_CASE("the nearest element is that which the rounding says") {
    const auto x = tensor(DType::F32, {4}, ramp(4));
    const auto nearest = [&](const char* rounding, const char* transformation) {
        return resized(
            x, 8,
            {{"nearest_mode", std::string(rounding)}, {"coordinate_transformation_mode", std::string(transformation)}});
    };
    expect_close(nearest("floor", "asymmetric"), {1, 1, 2, 2, 3, 3, 4, 4});
    expect_close(nearest("ceil", "asymmetric"), {1, 2, 2, 3, 3, 4, 4, 4});
    expect_close(nearest("round_prefer_floor", "asymmetric"), {1, 1, 2, 2, 3, 3, 4, 4});
    expect_close(nearest("round_prefer_ceil", "asymmetric"), {1, 2, 2, 3, 3, 4, 4, 4});
    expect_close(nearest("round_prefer_floor", "half_pixel"), {1, 1, 2, 2, 3, 3, 4, 4});
}

// A scale that f32 rounds: 17 / 1.7 is the element 10 all the same, and 10 elements times 0.7 are 7.
TEST_CASE("the nearest element does not depend on how a scale was rounded") {
    const auto scaled = [](std::int64_t count, float scale) {
        const auto x = tensor(DType::F32, {count}, ramp(static_cast<std::size_t>(count)));
        return apply(op_info::Resize(), {x},
                     {{"scales", Floats{static_cast<double>(scale)}},
                      {"nearest_mode", std::string("floor")},
                      {"coordinate_transformation_mode", std::string("asymmetric")}})[0];
    };
    REQUIRE(values_of(scaled(12, 1.7F)).at(17) == 11.0);
    REQUIRE(scaled(10, 0.7F)->shape.at(0) == std::int64_t{7});
}

TEST_CASE("scales, policies and regions give ONNX's shapes") {
    const auto x = tensor(DType::F32, {1, 1, 2, 4}, ramp(8));
    const auto scaled =
        apply(op_info::Resize(), {x}, {{"scales", Floats{1, 1, 0.6, 0.6}}, {"mode", std::string("linear")}})[0];
    REQUIRE(scaled->shape == (std::vector<std::int64_t>{1, 1, 1, 2}));
    expect_close(scaled, {2.6666665, 4.3333331});
    const auto kept = apply(op_info::Resize(), {x},
                            {{"sizes", graph::shape_of({7, 8})},
                             {"axes", Ints{2, 3}},
                             {"keep_aspect_ratio_policy", std::string("not_larger")}})[0];
    REQUIRE(kept->shape == (std::vector<std::int64_t>{1, 1, 4, 8}));
    const auto cropped = apply(op_info::Resize(), {x},
                               {{"sizes", graph::shape_of({3})},
                                {"axes", Ints{3}},
                                {"mode", std::string("linear")},
                                {"roi", Floats{0.5, 1.5}},
                                {"extrapolation_value", 10.0},
                                {"coordinate_transformation_mode", std::string("tf_crop_and_resize")}})[0];
    expect_close(cropped, {2.5, 4, 10, 6.5, 8, 10});
}

TEST_CASE("a grid samples pictures, and what lies around them") {
    const auto x = tensor(DType::F32, {1, 1, 2, 2}, {1, 2, 3, 4});
    const auto grid = tensor(DType::F32, {1, 1, 3, 2}, {-1, -1, 0, 0, 2, 0.5});
    const auto sample = [&](const char* mode, const char* padding, bool align) {
        return apply(
            op_info::GridSample(), {x, grid},
            {{"mode", std::string(mode)}, {"padding_mode", std::string(padding)}, {"align_corners", align}})[0];
    };
    expect_close(sample("linear", "zeros", true), {1, 2.5, 1.75});
    expect_close(sample("linear", "border", true), {1, 2.5, 3.5});
    expect_close(sample("linear", "reflection", true), {1, 2.5, 3});
    expect_close(sample("nearest", "zeros", true), {1, 1, 0});
    expect_close(sample("linear", "zeros", false), {0.25, 2.5, 0});
    expect_close(sample("cubic", "border", true), {1, 2.5, 3.640625});
}

TEST_CASE("regions are pooled to one size") {
    const auto x = tensor(DType::F32, {1, 1, 4, 4}, ramp(16));
    const auto rois = tensor(DType::F32, {1, 4}, {0, 0, 3, 3});
    const auto batch = tensor(DType::I64, {1}, {0});
    const Attributes attributes = {{"output_height", std::int64_t{1}},
                                   {"output_width", std::int64_t{1}},
                                   {"sampling_ratio", std::int64_t{2}},
                                   {"coordinate_transformation_mode", std::string("output_half_pixel")}};
    expect_close(apply(op_info::RoiAlign(), {x, rois, batch}, attributes)[0], {8.5});
    Attributes adaptive = attributes;
    adaptive.set("sampling_ratio", std::int64_t{0});
    expect_close(apply(op_info::RoiAlign(), {x, rois, batch}, adaptive)[0], {8.5});
    const auto region = tensor(DType::F32, {1, 4}, {0, 0, 2, 3});
    const Attributes pooled = {{"pooled_shape", Ints{2, 2}}};
    expect_close(apply(op_info::MaxRoiPool(), {x, region, batch}, pooled)[0], {6, 7, 14, 15});
    const auto of_another = tensor(DType::I64, {1}, {1});
    const OpCall call(op_info::MaxRoiPool(), {graph::spec_of(*x), graph::spec_of(*region), graph::spec_of(*of_another)},
                      pooled);
    REQUIRE_THROWS_AS(graph::evaluate(call, {x, region, of_another}), OpError);
}

TEST_CASE("columns are windows, and windows add up again") {
    const auto x = tensor(DType::F32, {1, 1, 3, 3}, ramp(9));
    const auto columns = apply(op_info::Im2Col(), {x}, {{"kernel_size", Ints{2, 2}}})[0];
    expect_close(columns, {1, 2, 4, 5, 2, 3, 5, 6, 4, 5, 7, 8, 5, 6, 8, 9});
    const auto back =
        apply(op_info::Col2Im(), {columns}, {{"image_shape", graph::shape_of({3, 3})}, {"block_shape", Ints{2, 2}}})[0];
    expect_close(back, {1, 4, 3, 8, 20, 12, 7, 16, 9}); // each as often as windows cover it
}

TEST_CASE("cropping and padding keep the middle") {
    const auto x = tensor(DType::F32, {5}, ramp(5));
    const auto crop = [&](const lang::TensorRef& of, std::int64_t size) {
        return apply(op_info::CenterCropPad(), {of}, {{"shape", graph::shape_of({size})}})[0];
    };
    expect_close(crop(x, 2), {2, 3});
    expect_close(crop(x, 3), {2, 3, 4});
    expect_close(crop(x, 8), {0, 1, 2, 3, 4, 5, 0, 0});
}

TEST_CASE("affine grids hold the coordinates of elements") {
    const auto theta = tensor(DType::F32, {1, 2, 3}, {1, 0, 0, 0, 2, 1});
    const auto size = graph::shape_of({1, 1, 2, 3});
    const auto grid = [&](bool align) {
        return apply(op_info::AffineGrid(), {theta}, {{"size", size}, {"align_corners", align}})[0];
    };
    expect_close(grid(true), {-1, -1, 0, -1, 1, -1, -1, 3, 0, 3, 1, 3});
    expect_close(grid(false), {-2.0 / 3, 0, 0, 0, 2.0 / 3, 0, -2.0 / 3, 2, 0, 2, 2.0 / 3, 2});
}

// Without offsets it is a convolution; an offset of one element moves the window.
TEST_CASE("a convolution with offsets reads elsewhere") {
    const auto x = random_tensor(DType::F32, {1, 2, 5, 5}, 4), w = random_tensor(DType::F32, {2, 1, 2, 2}, 5);
    const auto none = tensor(DType::F32, {1, 8, 4, 4}, std::vector<double>(128));
    const Attributes attributes = {{"groups", std::int64_t{2}}};
    const auto plain = values_of(apply(op_info::Conv2d(), {x, w}, attributes)[0]);
    expect_close(apply(op_info::DeformConv(), {x, w, none}, attributes)[0], plain);
    std::vector<double> shifts(128);
    for (std::size_t i = 0; i < 128; ++i)
        shifts[i] = (i / 16) % 2; // columns, one to the right
    const auto moved =
        values_of(apply(op_info::DeformConv(), {x, w, tensor(DType::F32, {1, 8, 4, 4}, shifts)}, attributes)[0]);
    for (std::size_t row = 0; row < 8; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            REQUIRE(std::fabs(moved[row * 4 + column] - plain[row * 4 + column + 1]) < 1e-5);
}

} // namespace
