// SPDX-License-Identifier: Apache-2.0
// .npy files: what is written is read again, and what is damaged is refused before memory is taken for it.
#include "lang/tensor/npy.h"

#include <cstdio>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

using namespace hidet;
using namespace hidet::lang;
using ir::DType;

namespace {

class File {
public:
    File() : m_path("/tmp/hidet-npy-" + std::to_string(::getpid()) + ".npy") {}
    ~File() { std::remove(m_path.c_str()); }
    const std::string& path() const { return m_path; }
    void write(const std::string& bytes) const { std::ofstream(m_path, std::ios::binary) << bytes; }
    std::string text() const {
        std::ostringstream out;
        out << std::ifstream(m_path, std::ios::binary).rdbuf();
        return out.str();
    }

private:
    std::string m_path;
};

std::string with_header(const std::string& dict, const std::string& data) {
    std::string out("\x93NUMPY\x01\x00", 8);
    out += static_cast<char>(dict.size());
    out += '\0';
    return out + dict + data;
}

TensorRef counting(DType dtype, std::vector<std::int64_t> shape) {
    TensorRef tensor(new Tensor);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    std::int64_t bytes = ir::bytes_of(dtype);
    for (std::int64_t extent : tensor->shape)
        bytes *= extent;
    tensor->storage = std::make_shared<Storage>(static_cast<std::size_t>(bytes));
    for (std::int64_t i = 0; i < bytes; ++i)
        tensor->data()[i] = static_cast<std::byte>(i % 2); // bools too
    return tensor;
}

std::string code_of(const File& file, std::optional<DType> stored_as = {}, const NpyLimits& limits = {}) {
    Result<TensorRef> read = read_npy(file.path(), stored_as, limits);
    return read ? "fine" : read.error().code;
}

} // namespace

TEST_CASE("what is written is read again, whatever its type and shape") {
    File file;
    for (DType dtype : {DType::Bool, DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32,
                        DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64, DType::F8E4M3})
        for (const std::vector<std::int64_t>& shape :
             {std::vector<std::int64_t>{}, {5}, {3, 4}, {2, 0, 3}, {1, 2, 3, 4}}) {
            TensorRef tensor = counting(dtype, shape);
            REQUIRE(write_npy(file.path(), *tensor).ok());
            Result<TensorRef> read = read_npy(file.path(), dtype);
            REQUIRE(read.ok());
            REQUIRE(read.value()->dtype == dtype);
            REQUIRE(read.value()->shape == shape);
            REQUIRE(std::memcmp(read.value()->read(), tensor->read(), tensor->storage->bytes) == 0);
        }
}

TEST_CASE("the header is padded to 64 bytes, as NumPy does") {
    File file;
    REQUIRE(write_npy(file.path(), *counting(DType::F32, {3, 4})).ok());
    std::string text = file.text();
    REQUIRE((text.size() - 48) % 64 == 0u);
    REQUIRE(text.find("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }") == 10);
}

TEST_CASE("keys come in any order, and blanks anywhere") {
    File file;
    file.write(with_header("{ 'shape':(2 ,) ,\"descr\" : '<i4', 'fortran_order' :False}\n", std::string(8, '\1')));
    REQUIRE(code_of(file) == "fine");
}

TEST_CASE("files that are none, or are damaged, are refused") {
    File file;
    REQUIRE(read_npy("/nonexistent.npy").error().code == "file-not-found");
    REQUIRE(read_npy("/tmp").error().code == "file-unreadable");
    for (const char* dict : {"", "{", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
                             "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "{'x': 1}"}) {
        file.write(with_header(dict, std::string(64, '\0')));
        REQUIRE(code_of(file) == "npy-malformed");
    }
    file.write("\x93NUMPY");
    REQUIRE(code_of(file) == "npy-malformed");
    file.write("not an array at all");
    REQUIRE(code_of(file) == "npy-malformed");
}

TEST_CASE("a file that ends early, is too large, or is stored by columns says so") {
    File file;
    auto header = [](const char* order, const char* shape) {
        return std::string("{'descr': '<f4', 'fortran_order': ") + order + ", 'shape': " + shape + "}";
    };
    file.write(with_header(header("False", "(4, 4)"), std::string(60, '\0')));
    REQUIRE(code_of(file) == "npy-truncated");
    file.write(with_header(header("False", "(1000000000000, 4)"), ""));
    REQUIRE(code_of(file) == "npy-too-large");
    file.write(with_header(header("False", "(9000000000000000000, 9000000000000000000)"), ""));
    REQUIRE(code_of(file) == "npy-too-large");
    file.write(with_header(header("True", "(4, 4)"), std::string(64, '\0')));
    REQUIRE(code_of(file) == "npy-order");
    file.write(with_header(header("True", "(16,)"), std::string(64, '\0'))); // one dimension has no order
    REQUIRE(code_of(file) == "fine");
}

TEST_CASE("types that are not ours are refused, and two bytes without a type are bf16 where it is asked for") {
    File file;
    auto header = [](const char* descr) {
        return std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2,)}";
    };
    for (const char* descr : {">f4", "<c8", "|S4", "<U4", "|O", "<f16"}) {
        file.write(with_header(header(descr), std::string(64, '\0')));
        REQUIRE(code_of(file) == "npy-type");
    }
    file.write(with_header(header("|V2"), std::string(4, '\0')));
    REQUIRE(code_of(file) == "npy-type");
    REQUIRE(code_of(file, DType::F32) == "npy-type");
    REQUIRE(code_of(file, DType::BF16) == "fine");
}
