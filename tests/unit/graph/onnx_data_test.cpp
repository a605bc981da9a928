// SPDX-License-Identifier: Apache-2.0
// Tensors of data sets: the types that a file packs, and the one that it calls otherwise.
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/onnx/import.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

// A file with one tensor of one dimension, gone at the end.
class TensorFile {
public:
    TensorFile(char type, char count, const std::string& raw)
        : m_path(std::filesystem::temp_directory_path() / ("hidet_onnx_data_" + std::to_string(::getpid()) + ".pb")) {
        const std::string bytes = {'\x08', count, '\x10', type, '\x4a', static_cast<char>(raw.size())};
        std::ofstream(m_path, std::ios::binary) << bytes << raw;
    }
    ~TensorFile() { std::filesystem::remove(m_path); }
    std::string path() const { return m_path.string(); }

private:
    std::filesystem::path m_path;
};

std::vector<double> read_packed(char type, char count, const std::string& raw) {
    const TensorFile file(type, count, raw);
    return numbers_of(*read_tensor_proto(file.path()).value());
}

} // namespace

TEST_CASE("uint16 is the bits of bfloat16 where the model declares that") {
    const TensorFile file(4, 2, std::string("\x80\x3f\x00\xc0", 4));
    const lang::TensorRef declared = read_tensor_proto(file.path(), ir::DType::BF16).value();
    REQUIRE(declared->dtype == ir::DType::BF16);
    REQUIRE(numbers_of(*declared) == std::vector<double>{1, -2});
    REQUIRE(read_tensor_proto(file.path(), ir::DType::U16).value()->dtype == ir::DType::U16);
    REQUIRE(read_tensor_proto(file.path()).value()->dtype == ir::DType::U16);
    REQUIRE(read_tensor_proto(file.path(), ir::DType::F16).value()->dtype == ir::DType::U16);
}

TEST_CASE("elements of 2 and 4 bits are unpacked from the low bits on") {
    REQUIRE(read_packed(25, 5, std::string("\xe4\x01", 2)) == std::vector<double>{0, 1, 2, 3, 1});    // uint2
    REQUIRE(read_packed(26, 5, std::string("\xe4\x03", 2)) == std::vector<double>{0, 1, -2, -1, -1}); // int2
    REQUIRE(read_packed(22, 3, std::string("\x87\x0f", 2)) == std::vector<double>{7, -8, -1});        // int4
    REQUIRE(read_packed(23, 3, std::string("\xf1\x07", 2)) == std::vector<double>{0.5, -6, 6});       // float4e2m1
}

TEST_CASE("float8e8m0 is powers of two, and NaN") {
    const std::vector<double> numbers = read_packed(24, 4, std::string("\x00\x7f\x80\xff", 4));
    REQUIRE(numbers[0] == std::ldexp(1.0, -127));
    REQUIRE(numbers[1] == 1);
    REQUIRE(numbers[2] == 2);
    REQUIRE(std::isnan(numbers[3]));
}
