// SPDX-License-Identifier: Apache-2.0
// The C++ header over the C interface: owners, spans, results, callbacks.
#include "runtime/capi/hidet_runtime.hpp"

#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <map>
#include <string_view>

namespace hr = hidet::runtime;

namespace {

constexpr std::string_view plain = "hidet fake package\ntargets cpu cuda\n";

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

hr::Package open(std::string_view text = plain, hr::OpenOptions options = {}) {
    return hr::Package::open(bytes_of(text), std::move(options)).value();
}

struct Inputs {
    std::vector<float> x = {1, 2, 3, 4, 5, 6};
    std::int64_t k = 3;
    hr::Tensor tensors[2] = {hr::Tensor(std::span(x), {2, 3}), hr::Tensor(std::span(&k, 1), {})};
};

hidet_status status_of(const auto& result) {
    return result ? HIDET_OK : result.error().status;
}

} // namespace

TEST_CASE("a model computes, and its results come as vectors and spans") {
    Inputs inputs;
    hr::Model model = open().create({.runs_native_code = true}).value();
    model.run(inputs.tensors).value();
    CHECK(model.read<float>(0).value() == std::vector<float>{3, 6, 9, 12, 15, 18});
    std::int64_t rows = 0;
    model.read(1, std::span(&rows, 1)).value();
    CHECK(rows == 2);
    CHECK(model.output(0)->shape() == std::vector<std::int64_t>{2, 3});
    std::vector<float> copy(6);
    model.copy_output(0, hr::Tensor(std::span(copy), {2, 3})).value();
    CHECK(copy[5] == 18);
    model.wait().value();
    CHECK(model.memory().weights == 4096);
    CHECK(model.runs_on() == "fake CPU, 1 threads");
}

TEST_CASE("what a result held outlives it") {
    Inputs inputs;
    hr::Model model = open().create({.runs_native_code = true}).value();
    model.run(inputs.tensors).value();
    float sum = 0;
    for (float each : model.read<float>(0).value())
        sum += each;
    CHECK(sum == 63);
    CHECK((*model.read<float>(0)).size() == 6);
}

TEST_CASE("a model says what it takes and gives") {
    hr::Model model = open().create({.entry = "same", .runs_native_code = true}).value();
    std::vector<hr::ValueInfo> inputs = model.inputs();
    REQUIRE(inputs.size() == 12);
    CHECK(inputs[9].name == "bfloat16");
    CHECK(hr::is_same(inputs[9].dtype, hr::bfloat16));
    CHECK(inputs[9].shape == std::vector<std::int64_t>{-1});
    CHECK(model.outputs().size() == 12);
    CHECK(std::string_view(open().describe()).find("\"writer\": \"a test\"") != std::string_view::npos);
}

TEST_CASE("errors are values with a status and a message") {
    auto missing = hr::Package::open("nowhere.hidet");
    CHECK(!missing);
    CHECK(missing.error().status == HIDET_NO_FILE);
    CHECK(missing.error().message == "cannot read 'nowhere.hidet'");
    CHECK(status_of(hr::Package::open(bytes_of("something else, longer than that"))) == HIDET_DAMAGED);
    CHECK(status_of(open().create()) == HIDET_NOT_TRUSTED);
    CHECK(status_of(open().create({.entry = "none", .runs_native_code = true})) == HIDET_BAD_ARGUMENT);
    CHECK(status_of(open().create({.device = hr::cuda()})) == HIDET_NO_DEVICE);
    CHECK(status_of(open().verify()) == HIDET_OK);
    CHECK(status_of(open("hidet fake package\nfail verify 2\n").verify()) == HIDET_DAMAGED);
}

TEST_CASE("value() of an error throws it") {
    CHECK_THROWS_WITH_AS(open().create().value(), "native code of the package was not allowed", hr::Failure);
    try {
        open("hidet fake package\nfail verify 2\n").verify().value();
        FAIL("nothing was thrown");
    } catch (const hr::Failure& failure) {
        CHECK(failure.status() == HIDET_DAMAGED);
    }
}

TEST_CASE("inputs that do not fit are refused") {
    Inputs inputs;
    hr::Model model = open().create({.runs_native_code = true}).value();
    CHECK(status_of(model.run()) == HIDET_BAD_ARGUMENT);
    CHECK(status_of(model.bind(std::span(inputs.tensors, 1))) == HIDET_BAD_INPUT);
    inputs.tensors[0] = hr::Tensor(std::span(inputs.x), {4, 3}); // more than there is
    CHECK(model.bind(inputs.tensors).error().message == "input 0 has another number of elements than its shape");
    inputs.tensors[0] = hr::Tensor(std::span(inputs.x), {3, 2});
    CHECK(model.bind(inputs.tensors).error().message == "input 'x' has another shape");
}

TEST_CASE("results are read as what they are") {
    Inputs inputs;
    hr::Model model = open().create({.runs_native_code = true}).value();
    model.run(inputs.tensors).value();
    CHECK(model.read<double>(0).error().message == "output 0 has another dtype");
    CHECK(status_of(model.read<float>(2)) == HIDET_BAD_ARGUMENT);
    std::vector<float> short_of(5);
    CHECK(status_of(model.read(0, std::span(short_of))) == HIDET_BAD_ARGUMENT);
    std::vector<std::uint32_t> bits = model.read<std::uint32_t>(0).value();
    CHECK(bits[0] == 0x40400000);
}

TEST_CASE("a model outlives its package, and moves") {
    Inputs inputs;
    std::optional<hr::Package> package = open();
    hr::Model first = package->create({.runs_native_code = true}).value();
    package.reset();
    hr::Model second = std::move(first);
    CHECK(second.run(inputs.tensors).has_value());
}

TEST_CASE("memory comes from the caller, and all of it goes back") {
    std::map<void*, std::size_t> held;
    int taken = 0;
    {
        Inputs inputs;
        hr::Allocator allocator = {
            .allocate =
                [&](hidet_device, std::size_t bytes, std::size_t, void*) {
                    void* data = std::malloc(bytes);
                    held[data] = bytes, ++taken;
                    return data;
                },
            .release =
                [&](hidet_device, void* data, std::size_t bytes, void*) {
                    CHECK(held.at(data) == bytes);
                    held.erase(data);
                    std::free(data);
                },
        };
        hr::Model model = open().create({.runs_native_code = true, .allocator = allocator}).value();
        model.run(inputs.tensors).value();
    }
    CHECK(taken == 2);
    CHECK(held.empty());
}

TEST_CASE("callbacks are called, and what they throw ends there") {
    Inputs inputs;
    std::string said, step;
    hr::Package package = open(plain, {.log = [&](int, const std::string& message) { said = message; }});
    CHECK(said == "opened a fake package");
    bool stop = false;
    hr::Model model = package
                          .create({.runs_native_code = true,
                                   .profile = [&](const std::string& name, double) { step = name; },
                                   .is_cancelled = [&] { return stop; }})
                          .value();
    model.run(inputs.tensors).value();
    CHECK(step == "scale");
    stop = true;
    CHECK(status_of(model.run()) == HIDET_CANCELLED);
    open(plain, {.log = [](int, const std::string&) { throw 1; }});
    hr::Allocator none = {.allocate = [](auto...) -> void* { throw 1; }, .release = [](auto...) {}};
    hr::Model without = open().create({.runs_native_code = true, .allocator = none}).value();
    CHECK(status_of(without.bind(inputs.tensors)) == HIDET_OUT_OF_MEMORY);
}

TEST_CASE("who asks for a signature decides whether it holds") {
    constexpr std::string_view is_signed = "hidet fake package\ntargets cpu\nsignature 0102ff\n";
    bool answer = true;
    std::size_t manifest_bytes = 0;
    auto verify = [&](std::span<const std::byte> manifest, std::span<const std::byte> signature) {
        manifest_bytes = manifest.size();
        return answer && signature.size() == 3 && signature[2] == std::byte(0xff);
    };
    CHECK(status_of(hr::Package::open(bytes_of(is_signed), {.verify = verify})) == HIDET_OK);
    CHECK(manifest_bytes == is_signed.find("signature"));
    answer = false;
    CHECK(status_of(hr::Package::open(bytes_of(is_signed), {.verify = verify})) == HIDET_NOT_TRUSTED);
    CHECK(status_of(hr::Package::open(bytes_of(plain), {.verify = verify})) == HIDET_NOT_TRUSTED);
}
