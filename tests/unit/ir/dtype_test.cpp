// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/dtype.h"

#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "compiler/ir/packing.h"
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

TEST_CASE("8-bit floats and vectors keep to themselves, integers of less than a byte have no arithmetic") {
    REQUIRE(promoted("f8e4m3", "f8e4m3") == "f8e4m3");
    REQUIRE(promoted("f8e4m3", "f8e5m2") == "-");
    REQUIRE(promoted("f8e4m3", "f16") == "-");
    for (const DTypeInfo& row : all_dtypes()) {
        if (!is_vector(row.dtype))
            continue;
        REQUIRE(promote(row.dtype, row.dtype).has_value() == !is_subbyte(row.lane));
        REQUIRE(!promote(row.dtype, row.lane));
    }
    REQUIRE(promoted("f16x2", "f16x4") + promoted("i4", "i4") + promoted("u1", "i32") == "---");
}

TEST_CASE("a complex number takes any number along, and the wider parts win") {
    REQUIRE(promoted("f32", "c64") + promoted("c64", "f32") + promoted("c64", "c64") == "c64c64c64");
    REQUIRE(promoted("i32", "c64") + promoted("c64", "bool") + promoted("f16", "c64") == "c64c64c64");
    REQUIRE(promoted("f64", "c128") + promoted("c128", "c128") + promoted("c128", "i8") == "c128c128c128");
    REQUIRE(promoted("f64", "c64") + promoted("c64", "c128") == "c128c128");
    REQUIRE(promoted("c64", "i4") + promoted("c64", "f32x2") == "--");
}

TEST_CASE("values of less than a byte fill units from their lowest bits on") {
    const auto text = [](const char* name) {
        const Packing packing = packing_of(*find_dtype(name));
        return cat(info(packing.unit).short_name, " ", packing.per_unit, " ", packing.bits);
    };
    REQUIRE(text("i4") + ", " + text("u2") + ", " + text("u1") + ", " + text("i3") ==
            "u8 2 4, u8 4 2, u8 8 1, u32 10 3");
    REQUIRE(packed_bytes(DType::I4, 0) == 0);
    REQUIRE(packed_bytes(DType::I4, 5) == 3);
    REQUIRE(packed_bytes(DType::U3, 11) == 8);
    REQUIRE(packed_bytes(DType::F32x4, 3) == 48);
    REQUIRE(packed_bytes(DType::I64, std::numeric_limits<std::int64_t>::max()) == -1);
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
