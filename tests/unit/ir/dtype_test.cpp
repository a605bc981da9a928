// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/dtype.h"

#include <limits>

#include "lang/base/text.h"
#include "tests/harness/unit.h"

using namespace hidet;
using namespace hidet::ir;

static std::string promoted(const std::string& left, const std::string& right) {
    auto result = promote(*find_dtype(left), *find_dtype(right));
    return result ? info(*result).short_name : "-";
}

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    suite.run("integers promote by the table of the language", [] {
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
                EXPECT_EQUAL(promoted(names[row], names[column]) + " of " + names[row] + " " + names[column],
                             cells[column] + " of " + names[row] + " " + names[column]);
        }
    });
    suite.run("a float takes integers along, and wider floats win", [] {
        for (const char* integer : {"bool", "i8", "i64", "u32"})
            for (const char* real : {"f8e4m3", "f16", "bf16", "tf32", "f32", "f64"}) {
                EXPECT_EQUAL(promoted(integer, real), real);
                EXPECT_EQUAL(promoted(real, integer), real);
            }
        const std::vector<std::string> order = {"f16", "bf16", "tf32", "f32", "f64"};
        for (std::size_t i = 0; i < order.size(); ++i)
            for (std::size_t j = 0; j < order.size(); ++j)
                EXPECT_EQUAL(promoted(order[i], order[j]), order[std::max(i, j)]);
    });
    suite.run("8-bit floats, complex numbers and vectors keep to themselves", [] {
        EXPECT_EQUAL(promoted("f8e4m3", "f8e4m3"), "f8e4m3");
        EXPECT_EQUAL(promoted("f8e4m3", "f8e5m2"), "-");
        EXPECT_EQUAL(promoted("f8e4m3", "f16"), "-");
        EXPECT_EQUAL(promoted("f32", "c64") + promoted("c64", "f32") + promoted("c64", "c64"), "c64c64c64");
        EXPECT_EQUAL(promoted("f64", "c128") + promoted("c128", "c128"), "c128c128");
        EXPECT_EQUAL(promoted("f64", "c64") + promoted("c64", "c128") + promoted("i32", "c64"), "---");
        EXPECT_EQUAL(promoted("f16x2", "f16x2") + promoted("i8x4", "i8x4"), "f16x2i8x4");
        EXPECT_EQUAL(promoted("f32x4", "f32x4") + promoted("f16x2", "f16"), "--");
        EXPECT_EQUAL(promoted("i4", "i4") + promoted("u1", "i32"), "--");
    });
    suite.run("types are found by both names, and ranges end where they should", [] {
        for (const DTypeInfo& row : all_dtypes()) {
            EXPECT(find_dtype(row.name) == row.dtype && find_dtype(row.short_name) == row.dtype);
            EXPECT(info(row.dtype).name == std::string(row.name));
        }
        EXPECT(!find_dtype("float99"));
        EXPECT_EQUAL(integer_range(DType::U4).highest, 15u);
        EXPECT_EQUAL(integer_range(DType::I3).lowest, -4);
        EXPECT_EQUAL(integer_range(DType::I64).lowest, std::numeric_limits<std::int64_t>::min());
        EXPECT_EQUAL(integer_range(DType::U64).highest, std::numeric_limits<std::uint64_t>::max());
        EXPECT_EQUAL(wrap_to(200, DType::I8), -56);
        EXPECT_EQUAL(wrap_to(-1, DType::U16), 65535);
        EXPECT_EQUAL(wrap_to(9, DType::I4), -7);
        EXPECT_EQUAL(wrap_to(256, DType::Bool), 1);
    });
    return suite.result();
}
