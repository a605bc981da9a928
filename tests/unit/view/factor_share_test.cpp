// SPDX-License-Identifier: Apache-2.0
// What a factor of a composition divides, element by element.
#include "app/session/view/factor_share.h"

#include <doctest/doctest.h>

using namespace hidet::session;

namespace {

Canvas composed(const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& factors) {
    Canvas out;
    for (const auto& [name, extents] : factors) {
        CanvasFactor& factor = out.factors.emplace_back();
        factor.name = name;
        for (const std::int64_t extent : extents)
            factor.numbers.push_back({"", std::to_string(extent), extent, {}, {}, ""});
    }
    return out;
}

CanvasPicture picture_of_shape(const std::vector<std::int64_t>& shape) {
    CanvasPicture out;
    out.shape = shape;
    return out;
}

TEST_CASE("the factor in the middle divides one element of those around it") {
    const Canvas canvas = composed({{"spatial", {2, 3}}, {"repeat", {2, 2}}, {"spatial", {2, 1}}});
    const CanvasPicture picture = picture_of_shape({8, 6});
    const auto share = share_of(canvas, picture, 1);
    REQUIRE(share);
    REQUIRE(share->counts == std::vector<std::int64_t>{2, 2});
    REQUIRE(share->part == std::vector<std::int64_t>{2, 1});
    REQUIRE(share->blocks() == 6);
    REQUIRE(share->part_of(0) == 0);
    REQUIRE(share->part_of(1 * 6 + 0) == 0);
    REQUIRE(share->part_of(0 * 6 + 1) == 1);
    REQUIRE(share->part_of(2 * 6 + 0) == 2);
    REQUIRE(share->part_of(3 * 6 + 1) == 3);
    REQUIRE(share->part_of(4 * 6 + 0) == -1);
    REQUIRE(share->part_of(0 * 6 + 2) == -1);
    REQUIRE(share_text(*share) ==
            "repeat(2, 2): 4 parts of (2, 1), one after the other for the same workers; marked is the "
            "first of 6 such blocks");
}

TEST_CASE("numbers that are no extents of the picture divide nothing") {
    REQUIRE(!share_of(composed({{"row_major", {8, 8}}, {"swizzle", {3}}}), picture_of_shape({8, 8}), 0));
    REQUIRE(!share_of(composed({{"spatial", {4, 4}}}), picture_of_shape({8, 8}), 0));
    REQUIRE(!share_of(composed({{"spatial", {8, 8}}}), picture_of_shape({8, 8}), 1));
}

} // namespace
