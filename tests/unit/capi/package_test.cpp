// SPDX-License-Identifier: Apache-2.0
// The library of packages on the CPU, on a package that was written once and for all.
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <thread>

#include "tests/unit/capi/package_file.h"

using namespace hidet;
using namespace hidet::test;

namespace {

std::int64_t ids[] = {3, 0, 11, -1, 5};
constexpr float probabilities[] = {0.06471146F, 0.8026501F,  0.02965803F, 0.10298047F, 0.051418F,
                                   0.45499113F, 0.051418F,   0.44217294F, 0.15216948F, 0.15216948F,
                                   0.15216948F, 0.5434916F,  0.15216948F, 0.15216948F, 0.15216948F,
                                   0.5434916F,  0.08059701F, 0.758209F,   0.08059701F, 0.08059701F};

struct Opened {
    Opened() {
        REQUIRE(hidet_open_memory(stored_package().data(), stored_package().size(), nullptr, &package, &error) ==
                HIDET_OK);
    }
    ~Opened() {
        hidet_destroy(context);
        hidet_close(package);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    static hidet_context_options usual() {
        hidet_context_options options = {};
        options.size = sizeof options;
        options.device = {HIDET_CPU, 0};
        options.runs_native_code = 1;
        options.threads = 2;
        return options;
    }
    hidet_status create(const hidet_context_options& options = usual()) {
        hidet_destroy(context);
        return hidet_create(package, &options, &context, &error);
    }
    hidet_status bind(std::int64_t* data, std::int64_t count) {
        shape[0] = count;
        const hidet_tensor input = {data, {HIDET_CPU, 0}, 1, {HIDET_INT, 64, 1}, shape, nullptr, 0};
        return hidet_bind(context, &input, 1, &error);
    }
    hidet_package* package = nullptr;
    hidet_context* context = nullptr;
    hidet_error error = {};
    std::int64_t shape[1] = {};
};

bool is_right(hidet_context* context) {
    float got[20] = {};
    hidet_error error;
    REQUIRE(hidet_read_output(context, 0, got, sizeof got, &error) == HIDET_OK);
    for (std::size_t i = 0; i < 20; ++i)
        if (!(std::fabs(got[i] - probabilities[i]) < 1e-5F))
            return false;
    return true;
}

// Counts what is given, and gives no more after so many.
struct Counting {
    long held = 0, given = 0, most = 1000;
    hidet_allocator table() {
        return {this,
                [](void* self, hidet_device, std::size_t bytes, std::size_t alignment, void*) -> void* {
                    auto& own = *static_cast<Counting*>(self);
                    if (own.given >= own.most)
                        return nullptr;
                    ++own.given, ++own.held;
                    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
                },
                [](void* self, hidet_device, void* data, std::size_t, void*) {
                    --static_cast<Counting*>(self)->held;
                    std::free(data);
                }};
    }
};

} // namespace

TEST_CASE("a package of version 1 opens, is whole, and says what it holds") {
    const Opened opened;
    REQUIRE(refusal_of_all(stored_package()).empty());
    const std::string text = hidet_describe(opened.package);
    REQUIRE(text.find(R"("format": 1, "name": "tiny")") != std::string::npos);
    REQUIRE(text.find(R"("inputs": [{"name": "ids", "dtype": "int64", "shape": [-1], "dimensions": ["n"]}])") !=
            std::string::npos);
    REQUIRE(text.find(R"({"name": "p", "dtype": "float32", "shape": [-1, 4])") != std::string::npos);
    REQUIRE(text.find(R"("target": "cuda", "architecture": "sm_90a")") != std::string::npos);
    REQUIRE(hidet_runtime_version() == 1u);
}

TEST_CASE("it computes what it did when it was written, for every number of rows") {
    Opened opened;
    REQUIRE(opened.create() == HIDET_OK);
    for (int again = 0; again < 3; ++again) {
        REQUIRE(opened.bind(ids, 5) == HIDET_OK);
        REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_OK);
        REQUIRE(is_right(opened.context));
        REQUIRE(opened.bind(ids, 2 - again) == HIDET_OK);
        REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_OK);
        hidet_tensor out = {};
        REQUIRE(hidet_output(opened.context, 0, &out, &opened.error) == HIDET_OK);
        REQUIRE(out.shape[0] == 2 - again);
        REQUIRE(out.shape[1] == 4);
    }
    hidet_memory_use use = {};
    hidet_memory(opened.context, &use);
    REQUIRE(use.weights == 528u);
}

TEST_CASE("a run reads what its inputs hold by then, and inputs of the same shape elsewhere") {
    Opened opened;
    REQUIRE(opened.create() == HIDET_OK);
    std::int64_t own[5] = {0, 0, 0, 0, 0};
    REQUIRE(opened.bind(own, 5) == HIDET_OK);
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_OK);
    REQUIRE(!is_right(opened.context));
    std::memcpy(own, ids, sizeof own);
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_OK);
    REQUIRE(is_right(opened.context));
    own[0] = 4;
    REQUIRE(opened.bind(ids, 5) == HIDET_OK);
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_OK);
    REQUIRE(is_right(opened.context));
}

TEST_CASE("machine code runs only where the caller allows it") {
    Opened opened;
    hidet_context_options options = Opened::usual();
    options.runs_native_code = 0;
    REQUIRE(opened.create(options) == HIDET_NOT_TRUSTED);
    REQUIRE(opened.context == nullptr);
    REQUIRE(std::string(opened.error.message).find("does not allow it") != std::string::npos);
}

TEST_CASE("what does not fit is refused, and the context goes on") {
    Opened opened;
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_BAD_ARGUMENT);
    REQUIRE(opened.create() == HIDET_OK);
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_BAD_ARGUMENT);
    REQUIRE(std::string(opened.error.message) == "no inputs are bound");
    std::int64_t shape[2] = {5, 1};
    std::int64_t stride[1] = {2};
    const auto refused = [&](const hidet_tensor& input, hidet_status status, const char* why) {
        REQUIRE(hidet_bind(opened.context, &input, 1, &opened.error) == status);
        REQUIRE(std::string(opened.error.message) == why);
    };
    const hidet_dtype i64 = {HIDET_INT, 64, 1}, f32 = {HIDET_FLOAT, 32, 1};
    refused({ids, {HIDET_CPU, 0}, 1, f32, shape, nullptr, 0}, HIDET_BAD_INPUT, "input 'ids' is int64, not float32");
    refused({ids, {HIDET_CPU, 0}, 2, i64, shape, nullptr, 0}, HIDET_BAD_INPUT,
            "input 'ids' has 1 dimension, [n], not 2: [5, 1]");
    refused({ids, {HIDET_CPU, 0}, 1, i64, shape, stride, 0}, HIDET_BAD_INPUT,
            "input 'ids' has strides; the elements of an input lie row after row, without gaps");
    refused({nullptr, {HIDET_CPU, 0}, 1, i64, shape, nullptr, 0}, HIDET_BAD_INPUT, "input 'ids' has no data");
    refused({ids, {HIDET_CUDA, 0}, 1, i64, shape, nullptr, 0}, HIDET_BAD_INPUT, "input 'ids' is not on the CPU");
    shape[0] = -1;
    refused({ids, {HIDET_CPU, 0}, 1, i64, shape, nullptr, 0}, HIDET_BAD_INPUT, "input 'ids' has the shape [-1]");
    REQUIRE(hidet_bind(opened.context, nullptr, 0, &opened.error) == HIDET_BAD_INPUT);
    REQUIRE(std::string(opened.error.message) == "the model takes 1 input ('ids'), not 0");
    std::int64_t wrong[] = {3, 12};
    REQUIRE(opened.bind(wrong, 2) == HIDET_OK);
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_BAD_INPUT);
    REQUIRE(std::string(opened.error.message) == "'ids'[1] is 12, which is outside of the extent 12 that it indexes");
    float few[3];
    REQUIRE(hidet_read_output(opened.context, 0, few, sizeof few, &opened.error) == HIDET_BAD_ARGUMENT);
    REQUIRE(opened.bind(ids, 5) == HIDET_OK);
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_OK);
    REQUIRE(is_right(opened.context));
    REQUIRE(hidet_read_output(opened.context, 0, few, sizeof few, &opened.error) == HIDET_BAD_ARGUMENT);
    REQUIRE(std::string(opened.error.message) == "output 'p' has 80 bytes, not 12");
    REQUIRE(hidet_read_output(opened.context, 7, few, sizeof few, &opened.error) == HIDET_BAD_ARGUMENT);
}

TEST_CASE("a context has the caller's memory, and gives all of it back wherever it ends") {
    for (long most = 0; most < 8; ++most) {
        Counting counting;
        counting.most = most == 7 ? 1000 : most;
        {
            Opened opened;
            const hidet_allocator table = counting.table();
            hidet_context_options options = Opened::usual();
            options.allocator = &table;
            bool is_ok = opened.create(options) == HIDET_OK && opened.bind(ids, 5) == HIDET_OK;
            is_ok = is_ok && hidet_run(opened.context, nullptr, &opened.error) == HIDET_OK;
            REQUIRE((is_ok ? is_right(opened.context) : opened.error.status == HIDET_OUT_OF_MEMORY));
            if (most == 7)
                REQUIRE(counting.given > 0);
        }
        REQUIRE(counting.held == 0);
    }
}

TEST_CASE("a package serves many contexts at once, and lives as long as the last") {
    hidet_context* contexts[4] = {};
    {
        Opened opened;
        const hidet_context_options options = Opened::usual();
        for (hidet_context*& context : contexts)
            REQUIRE(hidet_create(opened.package, &options, &context, &opened.error) == HIDET_OK);
    }
    std::vector<std::thread> threads;
    std::vector<int> right(4);
    for (std::size_t i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            std::int64_t shape[] = {5};
            const hidet_tensor input = {ids, {HIDET_CPU, 0}, 1, {HIDET_INT, 64, 1}, shape, nullptr, 0};
            hidet_error error;
            for (int again = 0; again < 20; ++again)
                right[i] += hidet_bind(contexts[i], &input, 1, &error) == HIDET_OK &&
                            hidet_run(contexts[i], nullptr, &error) == HIDET_OK && is_right(contexts[i]);
        });
    for (std::thread& thread : threads)
        thread.join();
    for (std::size_t i = 0; i < 4; ++i) {
        REQUIRE(right[i] == 20);
        hidet_destroy(contexts[i]);
    }
}

TEST_CASE("steps are timed, and a run is cancelled between them") {
    Opened opened;
    hidet_context_options options = Opened::usual();
    std::vector<std::string> names;
    options.profile = [](void* self, const hidet_step_time* step) {
        static_cast<std::vector<std::string>*>(self)->emplace_back(step->name);
    };
    options.profile_self = &names;
    REQUIRE(opened.create(options) == HIDET_OK);
    REQUIRE(opened.bind(ids, 5) == HIDET_OK);
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_OK);
    REQUIRE(names.size() > 1);
    REQUIRE(names[0] == "CheckIndices");
    options = Opened::usual();
    options.is_cancelled = [](void*) { return 1; };
    REQUIRE(opened.create(options) == HIDET_OK);
    REQUIRE(opened.bind(ids, 5) == HIDET_OK);
    REQUIRE(hidet_run(opened.context, nullptr, &opened.error) == HIDET_CANCELLED);
}

TEST_CASE("options of an older header are enough, and those without a size are refused") {
    Opened opened;
    hidet_context_options options = Opened::usual();
    options.size = offsetof(hidet_context_options, threads);
    options.threads = 99999; // behind what the caller knows
    REQUIRE(opened.create(options) == HIDET_OK);
    options.size = 0;
    REQUIRE(opened.create(options) == HIDET_BAD_ARGUMENT);
}
