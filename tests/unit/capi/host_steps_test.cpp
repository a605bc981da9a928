// SPDX-License-Identifier: Apache-2.0
// A package whose steps are all done by the host: what it computes, and what becomes of it when whoever wrote it damaged the plan.
// Nothing of it is machine code, so damaged plans are run too.
#include <doctest/doctest.h>
#include <random>

#include "tests/unit/capi/package_bytes.h"
#include "tests/unit/capi/package_file.h"

using namespace hidet;
using namespace hidet::artifact;
using namespace hidet::test;
using package::ExprOp;

namespace {

using Ints = std::vector<std::int64_t>;

PlanAttribute ints(const char* name, Ints values) {
    return {name, AttributeKind::Ints, std::move(values), {}, {}, {}};
}
PlanAttribute word(const char* name, const char* value) {
    return {name, AttributeKind::Text, {}, {}, {value}, {}};
}

// x: float32[n, 4]; where it is not zero; its two largest of each row; rows that another input says.
LaunchPlan host_plan() {
    LaunchPlan plan;
    plan.name = "model";
    plan.target = "cpu";
    enum : Row { N, Four, Found, Two, XBytes, FoundBytes, BestBytes, PlaceBytes, One, Start, Cut, CutBytes, None };
    plan.symbols = {{"n", 0, 0, 0, 64}, {"found", 3, 1}, {"cut", 6, 0}};
    plan.expressions = {{{ExprOp::Symbol, 0}},
                        {{ExprOp::Constant, 4}},
                        {{ExprOp::Symbol, 1}},
                        {{ExprOp::Constant, 2}},
                        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 16}, {ExprOp::Mul}},
                        {{ExprOp::Symbol, 1}, {ExprOp::Constant, 16}, {ExprOp::Mul}},
                        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 8}, {ExprOp::Mul}},
                        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 16}, {ExprOp::Mul}},
                        {{ExprOp::Constant, 1}},
                        {{ExprOp::Constant, 8}},
                        {{ExprOp::Symbol, 2}},
                        {{ExprOp::Symbol, 2}, {ExprOp::Constant, 16}, {ExprOp::Mul}},
                        {{ExprOp::Constant, 0}}};
    const auto value = [](const char* name, const char* dtype, std::vector<Row> shape, Place place, Row bytes) {
        PlanValue made{.name = name, .dtype = dtype, .shape = std::move(shape), .place = place, .bytes = bytes};
        if (place != Place::Input)
            made.first_step = 0, made.last_step = 3;
        return made;
    };
    plan.values = {value("x", "float32", {N, Four}, Place::Input, XBytes),
                   value("from", "int64", {One}, Place::Input, Start),
                   value("to", "int64", {One}, Place::Input, Start),
                   value("where", "int64", {Two, Found}, Place::Output, FoundBytes),
                   value("best", "float32", {N, Two}, Place::Output, BestBytes),
                   value("places", "int64", {N, Two}, Place::Output, PlaceBytes),
                   value("rows", "float32", {Cut, Four}, Place::Output, CutBytes)};
    plan.inputs = {0, 1, 2};
    plan.outputs = {3, 4, 5, 6};
    const auto step = [](HostOperator op, std::vector<Row> reads, std::vector<Row> writes) {
        PlanStep made;
        made.kind = StepKind::Host;
        made.op = op;
        made.reads = std::move(reads);
        made.writes = std::move(writes);
        return made;
    };
    plan.steps = {step(HostOperator::NonZero, {0}, {3}), step(HostOperator::TopK, {0}, {4, 5}),
                  step(HostOperator::OnnxNode, {0, 1, 2}, {6}), step(HostOperator::CheckIndices, {1}, {})};
    plan.steps[1].attributes = {ints("k", {2}), ints("axis", {1})};
    plan.steps[1].attributes[0].kind = plan.steps[1].attributes[1].kind = AttributeKind::Int;
    plan.steps[2].attributes = {word("op", "Slice"), ints("present", {1, 1, 1})};
    plan.steps[3].attributes = {{"extents", AttributeKind::Shape, {}, {}, {}, {N}}, word("tensor", "from")};
    plan.sections = {{0, 4, None, package::no_row}};
    return plan;
}

// A weight is copied to where operators hand things on, part of that is filled, and it is copied to y. The inputs are those of
// the plan above.
LaunchPlan memory_plan() {
    LaunchPlan plan = host_plan();
    enum : Row { W = 3, T, View, Y };
    const Row sixteen = static_cast<Row>(plan.expressions.size()), four = 1, none = sixteen - 1;
    plan.expressions.push_back({{ExprOp::Constant, 16}});
    plan.symbols.resize(1);
    plan.expressions[2] = plan.expressions[5] = plan.expressions[10] = plan.expressions[11] = {{ExprOp::Constant, 0}};
    plan.weights = {{"w.bin", 0, 16, "float32", {4}, {1}, ""}};
    plan.values.resize(3);
    const auto add = [&](const char* name, Place place) -> PlanValue& {
        return plan.values.emplace_back(
            PlanValue{.name = name, .dtype = "float32", .shape = {four}, .place = place, .bytes = sixteen});
    };
    add("w", Place::Constant).weight = 0;
    PlanValue& t = add("t", Place::Arena);
    t.offset = none;
    t.first_step = 0;
    t.last_step = 2;
    add("view", Place::Alias).of = T;
    add("y", Place::Output);
    plan.outputs = {Y};
    const auto step = [&](StepKind kind, std::vector<Row> reads, Row written, Row bytes) {
        PlanStep made;
        made.kind = kind;
        made.reads = std::move(reads);
        made.writes = {written};
        made.bytes = bytes;
        return made;
    };
    plan.steps = {step(StepKind::Copy, {W}, T, sixteen), step(StepKind::Fill, {}, View, four),
                  step(StepKind::Copy, {T}, Y, sixteen)};
    plan.sections = {{0, 3, sixteen, package::no_row}};
    return plan;
}
const std::map<std::string, std::string> memory_members = {{"w.bin", "0123456789abcdef"}};

// Of damaged plans; `nightly` asks for more.
int attempts(int usual) {
    const char* asked = std::getenv("HIDET_DAMAGED_PLANS");
    return asked ? std::atoi(asked) : usual;
}

struct Model {
    explicit Model(const LaunchPlan& plan) : bytes(package_bytes(plan, {})) { open(); }
    explicit Model(std::string package) : bytes(std::move(package)) { open(); }
    ~Model() {
        hidet_destroy(context);
        hidet_close(opened);
    }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    void open() {
        const hidet_context_options options = bounded_options();
        if (hidet_open_memory(bytes.data(), bytes.size(), nullptr, &opened, &error) == HIDET_OK)
            hidet_create(opened, &options, &context, &error);
    }
    bool run(std::int64_t from, std::int64_t to) {
        std::int64_t rows[] = {2, 4}, one[] = {1};
        const hidet_tensor inputs[] = {{x, {HIDET_CPU, 0}, 2, {HIDET_FLOAT, 32, 1}, rows, nullptr, 0},
                                       {&from, {HIDET_CPU, 0}, 1, {HIDET_INT, 64, 1}, one, nullptr, 0},
                                       {&to, {HIDET_CPU, 0}, 1, {HIDET_INT, 64, 1}, one, nullptr, 0}};
        return context && hidet_bind(context, inputs, 3, &error) == HIDET_OK &&
               hidet_run(context, nullptr, &error) == HIDET_OK;
    }
    template <class T>
    std::vector<T> result(std::size_t output, std::size_t count) {
        std::vector<T> made(count);
        REQUIRE_MESSAGE(hidet_read_output(context, output, made.data(), count * sizeof(T), &error) == HIDET_OK,
                        error.message);
        return made;
    }

    std::string bytes;
    float x[8] = {0, 3, 0, 1, 5, 0, 0, 7};
    hidet_package* opened = nullptr;
    hidet_context* context = nullptr;
    hidet_error error = {};
};

} // namespace

TEST_CASE("steps of the host compute what follows from data, and the extents of it") {
    Model model(host_plan());
    for (int round = 0; round < 2; ++round) {
        REQUIRE_MESSAGE(model.run(1, 9), model.error.message);
        REQUIRE(model.result<std::int64_t>(0, 8) == Ints{0, 0, 1, 1, 1, 3, 0, 3});
        REQUIRE(model.result<float>(1, 4) == std::vector<float>{3, 1, 7, 5});
        REQUIRE(model.result<std::int64_t>(2, 4) == Ints{1, 3, 3, 0});
        REQUIRE(model.result<float>(3, 4) == std::vector<float>{5, 0, 0, 7});
    }
    REQUIRE_MESSAGE(model.run(0, 0), model.error.message);
    hidet_tensor rows = {};
    REQUIRE(hidet_output(model.context, 3, &rows, &model.error) == HIDET_OK);
    REQUIRE(rows.shape[0] == 0);
}

TEST_CASE("what an input indexes is looked at before anything runs") {
    Model model(host_plan());
    REQUIRE(!model.run(2, 9));
    REQUIRE(std::string(model.error.message) == "'from'[0] is 2, which is outside of the extent 2 that it indexes");
    REQUIRE(model.error.status == HIDET_BAD_INPUT);
}

TEST_CASE("operators that there are none of are refused before anything runs") {
    LaunchPlan plan = host_plan();
    plan.steps[2].attributes[0].texts = {"Resize"};
    const Model model(plan);
    REQUIRE(!model.context);
    REQUIRE(std::string(model.error.message) ==
            "the operator 'Resize', whose parameters are data, is not one that packages have");
    LaunchPlan checking = host_plan();
    checking.steps[3].reads = {0, 1};
    REQUIRE(std::string(Model(checking).error.message) == "the package is damaged: a check of inputs reads 2");
}

TEST_CASE("weights are copied, and what is filled is a copy") {
    Model model(package_bytes(memory_plan(), memory_members));
    const std::string before = model.bytes;
    REQUIRE_MESSAGE(model.run(1, 2), model.error.message);
    REQUIRE(model.result<char>(0, 16) ==
            std::vector<char>{0, 0, 0, 0, '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'});
    REQUIRE(model.bytes == before);
}

TEST_CASE("plans of the host that somebody damaged run, or are refused with a reason") {
    std::mt19937 random(5);
    int refused = 0, ran = 0;
    const int count = attempts(3000);
    for (int i = 0; i < count; ++i) {
        std::string damaged = to_bytes(i % 4 < 2 ? host_plan() : memory_plan());
        for (int k = 0; k < 1 + i % 3; ++k)
            damaged[random() % damaged.size()] = static_cast<char>(i % 2 ? random() : random() % 8);
        Model model(package_bytes_of(damaged, "cpu", memory_members));
        const std::string before = model.bytes;
        const bool is_ok = model.run(1, 2);
        (is_ok ? ran : refused) += 1;
        REQUIRE(model.bytes == before); // weights are mapped from files, which nobody may write to
        REQUIRE(is_ok == (model.error.message[0] == '\0'));
    }
    REQUIRE(refused > count / 3);
    REQUIRE(ran > count / 60); // with other names, or other numbers
}
