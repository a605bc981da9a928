// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/dtype.h"

#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "lang/base/text.h"

using namespace hidet;
using namespace hidet::ir;

static std::string promoted(const std::string& left, const std::string& right) {
    auto result = promote(*find_dtype(left), *find_dtype(right));
    return result ? info(*result).short_name : "-";
}

TEST_CASE("integers promote by the table of the language") {
    const std::vector<std::string> names = {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
    const char* table[] = {
        "bool i8  i16 i32 i64 u8  u16 u32 u64", // bool
        "i8   i8  i16 i32 i64 i16 i32 i64 i64", // i8
        "i16  i16 i16 i32 i64 i16 i32 i64 i64", // i16
        "i32  i32 i32 i32 i64 i32 i32 i64 i64", // i32
        "i64  i64 i64 i64 i64 i64 i64 i64 i64", // i64
        "u8   i16 i32 i64 i64 u8  u16 u32 u64", // u8
        "u16  i16 i32 i64 i64 u16 u16 u32 u64", // u16
        "u32  i32 i32 i64 i64 u32 u32 u32 u64", // u32
        "u64  i64 i64 i64 i64 u64 u64 u64 u64", // u64
    };
    for (std::size_t row = 0; row < names.size(); ++row) {
        std::vector<std::string> cells;
        for (const std::string& cell : split(table[row], ' '))
            if (!cell.empty())
                cells.push_back(cell);
        for (std::size_t column = 0; column < names.size(); ++column)
            REQUIRE(promoted(names[row], names[column]) + " of " + names[row] + " " + names[column] ==
                    cells[column] + " of " + names[row] + " " + names[column]);
    }
}

TEST_CASE("a float takes integers along, and wider floats win") {
    for (const char* integer : {"bool", "i8", "i64", "u32"})
        for (const char* real : {"f8e4m3", "f16", "bf16", "tf32", "f32", "f64"}) {
            REQUIRE(promoted(integer, real) == real);
            REQUIRE(promoted(real, integer) == real);
        }
    const std::vector<std::string> order = {"f16", "bf16", "tf32", "f32", "f64"};
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = 0; j < order.size(); ++j)
            REQUIRE(promoted(order[i], order[j]) == order[std::max(i, j)]);
}

TEST_CASE("8-bit floats, complex numbers and vectors keep to themselves") {
    REQUIRE(promoted("f8e4m3", "f8e4m3") == "f8e4m3");
    REQUIRE(promoted("f8e4m3", "f8e5m2") == "-");
    REQUIRE(promoted("f8e4m3", "f16") == "-");
    REQUIRE(promoted("f32", "c64") + promoted("c64", "f32") + promoted("c64", "c64") == "c64c64c64");
    REQUIRE(promoted("f64", "c128") + promoted("c128", "c128") == "c128c128");
    REQUIRE(promoted("f64", "c64") + promoted("c64", "c128") + promoted("i32", "c64") == "---");
    REQUIRE(promoted("f16x2", "f16x2") + promoted("i8x4", "i8x4") == "f16x2i8x4");
    REQUIRE(promoted("f32x4", "f32x4") + promoted("f16x2", "f16") == "--");
    REQUIRE(promoted("i4", "i4") + promoted("u1", "i32") == "--");
}

TEST_CASE("types are found by both names, and ranges end where they should") {
    for (const DTypeInfo& row : all_dtypes()) {
        REQUIRE((find_dtype(row.name) == row.dtype && find_dtype(row.short_name) == row.dtype));
        REQUIRE(info(row.dtype).name == std::string(row.name));
    }
    REQUIRE(!find_dtype("float99"));
    REQUIRE(integer_range(DType::U4).highest == 15u);
    REQUIRE(integer_range(DType::I3).lowest == -4);
    REQUIRE(integer_range(DType::I64).lowest == std::numeric_limits<std::int64_t>::min());
    REQUIRE(integer_range(DType::U64).highest == std::numeric_limits<std::uint64_t>::max());
    REQUIRE(wrap_to(200, DType::I8) == -56);
    REQUIRE(wrap_to(-1, DType::U16) == 65535);
    REQUIRE(wrap_to(9, DType::I4) == -7);
    REQUIRE(wrap_to(256, DType::Bool) == 1);
}
