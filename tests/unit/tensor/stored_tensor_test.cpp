// SPDX-License-Identifier: Apache-2.0
// Tensors in files: figures and slices of them worked out by hand, at sizes of one part and of several.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <limits>

#include "app/session/tensor/tensor_text.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/npy.h"

using namespace hidet::session;
using hidet::Result, hidet::ir::DType;
namespace lang = hidet::lang;
namespace ir = hidet::ir;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN(),
                 endless = std::numeric_limits<double>::infinity();

class StoredTensors {
public:
    StoredTensors() {
        std::string name = (std::filesystem::temp_directory_path() / "tensorXXXXXX").string();
        m_path = mkdtemp(name.data());
    }
    ~StoredTensors() { std::filesystem::remove_all(m_path); }
    std::string file(const std::string& name) const { return (m_path / name).string(); }
    StoredTensorPtr stored(DType dtype, std::vector<std::int64_t> shape, const lang::Doubles& values) {
        lang::TensorRef tensor(new lang::Tensor);
        tensor->dtype = dtype;
        tensor->shape = std::move(shape);
        tensor->storage =
            std::make_shared<lang::Storage>(values.size() * static_cast<std::size_t>(ir::bytes_of(dtype)));
        lang::write_doubles(*tensor, values);
        const std::string path = file(std::to_string(++m_count) + ".npy");
        REQUIRE(lang::write_npy(path, *tensor));
        const Result<StoredTensorPtr> opened = StoredTensor::open(path, ir::info(dtype).short_name);
        REQUIRE(opened);
        return opened.value();
    }

private:
    std::filesystem::path m_path;
    int m_count = 0;
};

lang::Doubles ascending(std::int64_t count) {
    lang::Doubles out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(static_cast<double>(i));
    return out;
}

TEST_CASE("statistics count what is not finite and are of the rest") {
    StoredTensors folder;
    const TensorStatistics found =
        statistics_of(*folder.stored(DType::F32, {2, 4}, {1, no_number, -3, 0, endless, 2, 0, no_number}));
    REQUIRE(found.count == 8);
    REQUIRE(found.nan == 2);
    REQUIRE(found.infinite == 1);
    REQUIRE(found.zeros == 2);
    REQUIRE(found.min == -3.0);
    REQUIRE(found.max == 2.0);
    REQUIRE(found.mean == 0.0);
    REQUIRE(std::fabs(*found.deviation - std::sqrt(14.0 / 5)) < 1e-12);
    std::int64_t all = 0;
    for (std::int64_t part : found.histogram)
        all += part;
    REQUIRE(all == 5);
    REQUIRE(found.histogram.front() == 1);
    REQUIRE(found.histogram.back() == 1);
}

TEST_CASE("all types that arrays have are read as they were written") {
    StoredTensors folder;
    for (DType dtype : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2, DType::I8,
                        DType::U8, DType::I16, DType::I32, DType::I64, DType::U64}) {
        const StoredTensorPtr tensor = folder.stored(dtype, {3}, {1, 2, 96});
        REQUIRE(tensor->dtype_name() == ir::info(dtype).short_name);
        REQUIRE(part_of(*tensor, usual_slice({3}), 0, 0, 1, 3).values == lang::Doubles{1, 2, 96});
    }
}

TEST_CASE("statistics and seeking do not depend on the parts that a large tensor is read in") {
    StoredTensors folder;
    lang::Doubles values = ascending(200'000);
    values[131'072] = no_number;
    const StoredTensorPtr tensor = folder.stored(DType::F64, {200, 1000}, values);
    const TensorStatistics found = statistics_of(*tensor);
    REQUIRE(found.max == 199'999.0);
    REQUIRE(found.nan == 1);
    for (std::int64_t from : {-1, 0, 131'071, 131'072, 199'999})
        REQUIRE(next_of(TensorSeek::NotANumber, *tensor, nullptr, {}, from) == 131'072);
    REQUIRE(next_of(TensorSeek::Wrong, *tensor, tensor.get(), {}, 0) == -1);
}

TEST_CASE("slices show any two dimensions, forwards and through their parts") {
    StoredTensors folder;
    const std::vector<std::int64_t> shape = {2, 3, 4};
    const StoredTensorPtr tensor = folder.stored(DType::I32, shape, ascending(24));
    TensorSlice slice;
    REQUIRE(read_slice("*,2,*", shape, slice).empty());
    REQUIRE(part_of(*tensor, slice, 0, 1, 9, 2).values == lang::Doubles{9, 10, 21, 22});
    REQUIRE(read_slice("*,*,1", shape, slice).empty());
    REQUIRE(part_of(*tensor, slice, 1, 0, 1, 3).values == lang::Doubles{13, 17, 21});
    REQUIRE(read_slice("1,*,3", shape, slice).empty());
    REQUIRE(part_of(*tensor, slice, 0, 0, 1, 9).values == lang::Doubles{15, 19, 23});
    REQUIRE(read_slice("1,2,3", shape, slice) == "one or two dimensions of a slice are stars");
    REQUIRE(read_slice("*,3,*", shape, slice) == "'3' is no index below 3 and no star");
    REQUIRE(slice_with(shape, usual_slice(shape), 23).fixed[0] == 1);
    REQUIRE(index_of(shape, 23) == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("a wrong stride is stripes in the map of differences") {
    StoredTensors folder;
    lang::Doubles right = ascending(64 * 300), wrong = right;
    for (std::size_t i = 0; i < wrong.size(); ++i)
        if (i % 300 % 10 == 3)
            wrong[i] += 5;
    const StoredTensorPtr got = folder.stored(DType::F32, {64, 300}, wrong);
    const StoredTensorPtr wanted = folder.stored(DType::F32, {64, 300}, right);
    const TensorMap map = map_of(*got, wanted.get(), {2.5, 0}, usual_slice({64, 300}));
    REQUIRE(map.cell_columns == 3);
    REQUIRE(map.columns == 100);
    REQUIRE(map.rows == 64);
    for (int row = 0; row < map.rows; ++row)
        for (int column = 0; column < map.columns; ++column) {
            bool has = false;
            for (int i = 3 * column; i < 3 * column + 3; ++i)
                has = has || i % 10 == 3;
            REQUIRE(map.values[static_cast<std::size_t>(row * map.columns + column)] == (has ? 2.0 : 0.0));
        }
    const TensorDifference found = difference_of(*got, *wanted, {2.5, 0});
    REQUIRE(found.bad == 64 * 30);
    REQUIRE(found.max_absolute == 5.0);
    REQUIRE(found.worst == 3);
    REQUIRE(next_of(TensorSeek::Wrong, *got, wanted.get(), {2.5, 0}, 3) == 13);
}

TEST_CASE("not a number is right where it is wanted and furthest off where it is not") {
    StoredTensors folder;
    const StoredTensorPtr got = folder.stored(DType::F32, {5}, {no_number, 1, no_number, endless, 9});
    const StoredTensorPtr wanted = folder.stored(DType::F32, {5}, {no_number, 1, 2, endless, 2});
    const TensorDifference found = difference_of(*got, *wanted, {10, 0});
    REQUIRE(found.bad == 1);
    REQUIRE(found.worst == 2);
}

TEST_CASE("damaged files are refused and nothing is read behind their ends") {
    StoredTensors folder;
    std::ofstream(folder.file("short.npy")) << "no array";
    REQUIRE(StoredTensor::open(folder.file("short.npy")).error().code == "npy-malformed");
    REQUIRE(StoredTensor::open(folder.file("none.npy")).error().code == "file-not-found");
    const StoredTensorPtr tensor = folder.stored(DType::F32, {4}, {1, 2, 3, 4});
    std::vector<double> values(2);
    REQUIRE(!tensor->read(3, values));
    REQUIRE(!tensor->read(-1, values));
    std::filesystem::resize_file(tensor->path(), std::filesystem::file_size(tensor->path()) - 4);
    REQUIRE(StoredTensor::open(tensor->path()).error().code == "npy-truncated");
    REQUIRE(!statistics_of(*tensor).refusal.empty()); // it was longer when it was opened
}

TEST_CASE("empty tensors and scalars have figures and a slice") {
    StoredTensors folder;
    REQUIRE(!statistics_of(*folder.stored(DType::F32, {0, 3}, {})).min);
    REQUIRE(map_of(*folder.stored(DType::F32, {3, 0}, {}), nullptr, {}, usual_slice({3, 0})).rows == 0);
    const StoredTensorPtr scalar = folder.stored(DType::F32, {}, {2.5});
    REQUIRE(part_of(*scalar, usual_slice({}), 0, 0, 4, 4).values == lang::Doubles{2.5});
    REQUIRE(statistics_text(statistics_of(*scalar)) == "1 element, min 2.5, max 2.5, mean 2.5, deviation 0");
}

TEST_CASE("elements are written in the format that is asked for, whatever they are") {
    REQUIRE(element_text(1.5, true, {TensorFormat::General, 5}) == "1.5");
    REQUIRE(element_text(-0.0, true, {TensorFormat::General, 5}) == "-0");
    REQUIRE(element_text(1.5, true, {TensorFormat::Fixed, 3}) == "1.500");
    REQUIRE(element_text(1500, true, {TensorFormat::Scientific, 2}) == "1.50e+03");
    REQUIRE(element_text(1.5, true, {TensorFormat::Hexadecimal, 0}) == "0x1.8p+0");
    REQUIRE(element_text(-255, false, {TensorFormat::Hexadecimal, 0}) == "-0xff");
    REQUIRE(element_text(-7, false, {TensorFormat::Scientific, 2}) == "-7");
    REQUIRE(element_text(no_number, true, {TensorFormat::Fixed, 3}) == "nan");
    REQUIRE(element_text(-endless, true, {TensorFormat::Hexadecimal, 3}) == "-inf");
    REQUIRE(element_text(1e308, true, {TensorFormat::Fixed, 17}).size() == 327);
}

} // namespace

TEST_CASE("a storage begins where a vector of a CPU is in one line of its cache, with zeros") {
    for (const std::size_t bytes : {0, 1, 100, 1 << 20}) {
        lang::Storage storage(bytes);
        CHECK(reinterpret_cast<std::uintptr_t>(storage.read()) % 64 == 0);
        CHECK(std::all_of(storage.read(), storage.read() + bytes, [](std::byte each) { return each == std::byte{0}; }));
    }
}
