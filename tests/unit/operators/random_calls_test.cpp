// SPDX-License-Identifier: Apache-2.0
// Operators of the host believe nothing of what a package says: whatever operands and attributes they are given, they make
// results or say why not. Under the preset `sanitize` the same says that nothing is read or written outside of them.
#include <doctest/doctest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/operators/call.h"
#include "runtime/package/plan_names.h"

using namespace hidet;
using operators::Attribute;
using operators::Element;
using operators::HostOperator;
using operators::Tensor;
using package::AttributeKind;

namespace {

constexpr std::size_t operator_count = static_cast<std::size_t>(HostOperator::CheckIndices) + 1;
constexpr const char* onnx_names[] = {
#define HIDET_ONNX_NODE(name) #name,
#include "runtime/operators/onnx_nodes.def"
#undef HIDET_ONNX_NODE
};
constexpr Element types[] = {Element::I64, Element::F32, Element::Bool, Element::U8,
                             Element::F16, Element::U64, Element::I32};

struct Operand {
    std::vector<std::int64_t> extents;
    std::vector<unsigned char> bytes;
    Element element{};
    Tensor tensor() const {
        return {element, extents.data(), static_cast<std::uint32_t>(extents.size()), bytes.data()};
    }
};

class RandomCall {
public:
    explicit RandomCall(unsigned seed) : m_random(seed), m_usual(types[below(3)]), m_shape(shape()) {}

    std::vector<std::int64_t> shape() {
        std::vector<std::int64_t> made(below(5));
        for (std::int64_t& extent : made)
            extent = static_cast<std::int64_t>(below(4));
        return made;
    }
    // Often of the shape and of the type of others, so that some fit to each other.
    Operand operand() {
        Operand made;
        made.element = below(3) == 0 ? types[below(std::size(types))] : m_usual;
        made.extents = below(2) == 0 ? m_shape : below(4) == 0 ? shape() : std::vector<std::int64_t>(below(2), 1);
        std::int64_t count = 1;
        for (const std::int64_t extent : made.extents)
            count *= extent;
        std::vector<double> values(static_cast<std::size_t>(count));
        for (double& value : values)
            value = number();
        made.bytes.resize(values.size() * static_cast<std::size_t>(package::scalar_bytes(made.element)));
        operators::write_doubles(made.element, values.data(), values.size(), made.bytes.data());
        return made;
    }
    std::size_t below(std::size_t count) { return m_random() % count; }
    double number() {
        constexpr double odd[] = {-1e300, 1e18, -3, -2, -1e30, 0.5, 9e18, 7};
        return below(6) == 0 ? odd[below(std::size(odd))] : static_cast<double>(below(5)) - 1;
    }
    void add(const char* name, AttributeKind kind, std::vector<std::int64_t> ints, std::vector<double> reals = {},
             std::vector<std::string> texts = {}) {
        if (below(4) == 0)
            return;
        Kept& kept = *m_kept.emplace_back(std::make_unique<Kept>());
        kept.ints = std::move(ints), kept.reals = std::move(reals), kept.texts = std::move(texts);
        for (const std::string& each : kept.texts)
            kept.flats.push_back(package::text(each.c_str()));
        Attribute& made = attributes.emplace_back();
        made.name = package::text(name);
        made.kind = kind;
        made.ints = {kept.ints.data(), static_cast<std::uint32_t>(kept.ints.size())};
        made.reals = {kept.reals.data(), static_cast<std::uint32_t>(kept.reals.size())};
        made.texts = {kept.flats.data(), static_cast<std::uint32_t>(kept.flats.size())};
    }
    std::vector<std::int64_t> whole(std::size_t count) {
        std::vector<std::int64_t> made(count);
        for (std::int64_t& each : made)
            each = static_cast<std::int64_t>(below(5)) - 1;
        return made;
    }
    void describe() {
        for (const char* name : {"axis", "k", "largest", "sorted", "size", "sample_size", "num_mel_bins", "dft_length",
                                 "sample_rate", "layout", "linear_before_reset", "max_output_boxes_per_class",
                                 "onnx.axis", "onnx.allowzero", "onnx.keepdims", "onnx.upper", "onnx.reverse"})
            add(name, AttributeKind::Int, whole(1));
        for (const char* name : {"shape", "extents", "given", "kernel", "stride", "padding", "output_shape"})
            add(name, AttributeKind::Ints, whole(below(5)));
        for (const char* name : {"seed", "scale", "clip", "iou_threshold", "upper_edge_hertz"})
            add(name, AttributeKind::Real, {}, {number()});
        const char* const directions[] = {"forward", "reverse", "bidirectional", "sideways"};
        add("direction", AttributeKind::Text, {}, {}, {directions[below(4)]});
        const char* const reductions[] = {"none", "add", "mul", "max", "min", "other"};
        add("reduction", AttributeKind::Text, {}, {}, {reductions[below(6)]});
        const char* const dtypes[] = {"float32", "int64", "uint8", "string"};
        add("dtype", AttributeKind::DType, {}, {}, {dtypes[below(4)]});
        const char* const modes[] = {"constant", "edge", "reflect", "wrap"};
        add("onnx.mode", AttributeKind::Text, {}, {}, {modes[below(4)]});
        add("activations", AttributeKind::Texts, {}, {}, std::vector<std::string>(below(4), "Relu"));
    }

    std::vector<Attribute> attributes;

private:
    struct Kept {
        std::vector<std::int64_t> ints;
        std::vector<double> reals;
        std::vector<std::string> texts;
        std::vector<package::Text> flats;
    };
    std::mt19937 m_random;
    Element m_usual;
    std::vector<std::int64_t> m_shape;
    std::vector<std::unique_ptr<Kept>> m_kept;
};

struct Made {
    std::vector<std::vector<unsigned char>> bytes;
    static unsigned char* make(void* self, std::size_t which, Element element, const std::int64_t* extents,
                               std::uint32_t rank, package::Problem& problem) {
        std::size_t bytes = static_cast<std::size_t>(package::scalar_bytes(element));
        for (std::uint32_t d = 0; d < rank; ++d)
            bytes *= static_cast<std::size_t>(extents[d]);
        if (bytes > std::size_t{1} << 20) {
            package::refuse(problem, package::Code::Memory, "too much");
            return nullptr;
        }
        auto& made = static_cast<Made*>(self)->bytes[which];
        made.resize(bytes + 1);
        return made.data();
    }
};

// Whether results were made.
bool runs(HostOperator op, const char* onnx_name, unsigned seed) {
    RandomCall random(seed);
    std::vector<Operand> operands(random.below(6));
    for (Operand& each : operands)
        each = random.operand();
    std::vector<Tensor> inputs;
    for (const Operand& each : operands)
        inputs.push_back(each.tensor());
    random.describe();
    if (onnx_name) {
        random.attributes.clear();
        while (random.attributes.empty())
            random.add("op", AttributeKind::Text, {}, {}, {onnx_name});
        random.add("present", AttributeKind::Ints, std::vector<std::int64_t>(operands.size(), 1));
        random.describe();
    }
    Made made;
    made.bytes.resize(random.below(2) == 0 ? 1 : 1 + random.below(4));
    const operators::Results results{&made, Made::make};
    package::Problem problem;
    operators::Call call(op, {inputs.data(), static_cast<std::uint32_t>(inputs.size())},
                         {random.attributes.data(), static_cast<std::uint32_t>(random.attributes.size())},
                         made.bytes.size(), results, problem);
    const bool is_ok = operators::run(call);
    REQUIRE(is_ok == (problem.code == package::Code::Ok));
    REQUIRE(is_ok == (problem.message[0] == '\0'));
    return is_ok;
}

} // namespace

// Of those that have to be given a lot that fits, none may have made anything.
TEST_CASE("whatever an operator of the host is given, it makes results or says why not") {
    std::string silent;
    for (std::size_t i = 0; i < operator_count; ++i) {
        const auto op = static_cast<HostOperator>(i);
        int made = 0;
        for (unsigned seed = 0; seed < 2000; ++seed)
            made += runs(op, nullptr, seed);
        if (made == 0)
            silent += package::enum_name(op) + std::string(" ");
    }
    REQUIRE(silent == "GRU LSTM NonMaxSuppression RNN OnnxNode ");
}

TEST_CASE("whatever an operator of ONNX is given, it makes results or says why not") {
    std::string silent;
    for (const char* name : onnx_names) {
        int made = 0;
        for (unsigned seed = 0; seed < 1000; ++seed)
            made += runs(HostOperator::OnnxNode, name, seed);
        if (made == 0)
            silent += name + std::string(" ");
    }
    REQUIRE(silent == "NonMaxSuppression OneHot TopK ");
}
