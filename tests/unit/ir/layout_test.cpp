// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/layout.h"

#include <doctest/doctest.h>
#include <set>
#include <string>

#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "tests/unit/ir/dims.h"

using namespace hidet;
using namespace hidet::ir;
using hidet::test::dims;

// All slots in row-major order of the index, computed with numbers and with expressions.
static std::string slots(const LayoutRef& layout) {
    std::vector<std::int64_t> extents;
    std::int64_t count = 1;
    for (const ExprRef& extent : shape_of(layout))
        count *= extents.emplace_back(*constant_int(extent));
    std::string text;
    for (std::int64_t linear = 0; linear < count; ++linear) {
        std::vector<std::int64_t> index(extents.size());
        ExprVec symbolic(extents.size());
        std::int64_t rest = linear;
        for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d])
            symbolic[d] = int_constant(index[d] = rest % extents[d]);
        std::int64_t slot = slot_of(layout, index);
        REQUIRE(constant_int(slot_of(layout, symbolic)).value_or(-1) == slot);
        REQUIRE((slot >= 0 && slot < *constant_int(size_of(layout))));
        REQUIRE(is_constant(within_bound(layout, symbolic), 1));
        text += (linear ? " " : "") + std::to_string(slot);
    }
    return text;
}

TEST_CASE("row-major, column-major and ranked strides") {
    REQUIRE(slots(row_major(dims({2, 3}))) == "0 1 2 3 4 5");
    REQUIRE(slots(column_major(dims({2, 3}))) == "0 2 4 1 3 5");
    REQUIRE(slots(strided_layout(dims({2, 2, 2}), {2, 0, 1})) == "0 2 4 6 1 3 5 7");
    REQUIRE((is_row_major(row_major(dims({4, 1, 3}))) && !is_row_major(column_major(dims({2, 3})))));
}

TEST_CASE("the size of strides is one more than the largest slot") {
    LayoutRef padded = strides_layout(dims({4, 8}), dims({9, 1}));
    REQUIRE(is_constant(size_of(padded), 3 * 9 + 7 + 1));
    ExprRef m = make_symbol("m", data_type(DType::I32));
    REQUIRE(structural_equal(size_of(row_major({m, int_constant(4)})), mul(m, int_constant(4))));
}

TEST_CASE("a local layout holds everything in one slot") {
    REQUIRE(slots(local_layout(dims({2, 2}))) == "0 0 0 0");
    REQUIRE(is_constant(size_of(local_layout(dims({2, 2}))), 1));
}

TEST_CASE("composition puts inner tiles into outer ones") {
    REQUIRE(slots(compose(row_major(dims({2, 2})), row_major(dims({1, 2})))) == "0 1 2 3 4 5 6 7");
    REQUIRE(slots(compose(column_major(dims({2, 1})), row_major(dims({1, 2})))) == "0 1 2 3");
    REQUIRE(slots(compose(row_major(dims({1, 2})), row_major(dims({2, 2})))) == "0 1 4 5 2 3 6 7");
    LayoutRef spread = compose(local_layout(dims({2, 2})), row_major(dims({1, 2})));
    REQUIRE(slots(spread) == "0 1 0 1 0 1 0 1");
}

TEST_CASE("concatenation orders the first layout's slots before the second's") {
    REQUIRE(slots(concat(row_major(dims({2})), column_major(dims({2, 2})))) == "0 2 1 3 4 6 5 7");
    REQUIRE(shape_of(concat(row_major(dims({2})), row_major(dims({3, 4})))).size() == 3u);
}

TEST_CASE("a swizzle exchanges slots within rows") {
    REQUIRE(slots(swizzle(row_major(dims({4, 4})), 1, 0, 0)) == "0 1 2 3 5 4 7 6 10 11 8 9 15 14 13 12");
    REQUIRE(slots(swizzle(row_major(dims({4, 2})), 1, 0, 0)) == "0 1 3 2 4 5 7 6");
    REQUIRE(slots(swizzle(row_major(dims({4, 2})), 1, 0, 1)) == "0 1 2 3 5 4 7 6");
    REQUIRE(slots(swizzle(row_major(dims({2, 4})), 0, 1, 0)) == "0 5 2 7 4 1 6 3");
}

TEST_CASE("every permutation is a view of the same slots") {
    REQUIRE(slots(permute(row_major(dims({2, 3})), {1, 0})) == "0 3 1 4 2 5");
    LayoutRef base = row_major(dims({2, 3, 4}));
    std::vector<std::int64_t> perm = {0, 1, 2};
    do {
        LayoutRef view = permute(base, perm);
        std::set<std::int64_t> seen;
        for (std::int64_t i = 0; i < 2; ++i)
            for (std::int64_t j = 0; j < 3; ++j)
                for (std::int64_t k = 0; k < 4; ++k) {
                    std::int64_t index[] = {i, j, k};
                    std::vector<std::int64_t> permuted;
                    for (std::int64_t dim : perm)
                        permuted.push_back(index[dim]);
                    REQUIRE(slot_of(view, permuted) == i * 12 + j * 4 + k);
                    seen.insert(slot_of(view, permuted));
                }
        REQUIRE(seen.size() == 24u);
    } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST_CASE("a reshape reads the elements in row-major order") {
    REQUIRE(slots(reshape(column_major(dims({2, 3})), dims({3, 2}))) == "0 2 4 1 3 5");
    REQUIRE(slots(reshape(row_major(dims({12})), dims({3, 4}))) == "0 1 2 3 4 5 6 7 8 9 10 11");
}

TEST_CASE("indices outside of the shape are out of bounds") {
    LayoutRef layout = row_major(dims({4, 8}));
    REQUIRE(is_constant(within_bound(layout, {int_constant(4), int_constant(0)}), 0));
    REQUIRE(is_constant(within_bound(layout, {int_constant(3), int_constant(-1)}), 0));
}

TEST_CASE("sizes in bytes follow the layout and the packing of short types") {
    REQUIRE(size_in_bytes(tensor_type(data_type(DType::F16), dims({4, 8}))) == 64);
    REQUIRE(size_in_bytes(tensor_type(data_type(DType::F32), dims({4, 8}), local_layout(dims({4, 8})))) == 4);
    REQUIRE(size_in_bytes(tensor_type(data_type(DType::I4), dims({3}))) == 2);
    REQUIRE(size_in_bytes(tensor_type(data_type(DType::U3), dims({11}))) == 8);
    REQUIRE(size_in_bytes(pointer_type(data_type(DType::I4))) == 8);
    REQUIRE(size_in_bytes(tensor_type(data_type(DType::F32), {make_symbol("m", data_type(DType::I32))})) == -1);
}

TEST_CASE("tensors of more than 2**31 elements are counted and indexed in 64 bits") {
    TypeRef huge = tensor_type(data_type(DType::F16), dims({65536, 65536}));
    REQUIRE(size_in_bytes(huge) == std::int64_t(1) << 33);
    REQUIRE(size_in_bytes(tensor_type(data_type(DType::F32), dims({1 << 30, 1 << 30, 1 << 30}))) == -1);
    LayoutRef layout = row_major(dims({65536, 65536}));
    ExprRef slot = slot_of(layout, {make_var("i", data_type(DType::I32)), make_var("j", data_type(DType::I32))});
    REQUIRE(scalar_of(slot->type) == DType::I64);
    REQUIRE(is_constant(slot_of(layout, dims({65535, 65535})), 4294967295));
    REQUIRE(is_row_major(row_major(dims({2, 65536, 65536}))));
    REQUIRE(is_constant(product(dims({65536, 65536})), std::int64_t(1) << 32));
}
