// SPDX-License-Identifier: Apache-2.0
// Models written byte by byte: what is right becomes a graph, what is wrong a sentence.
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/onnx/import.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

// ---- the wire format of protobuf ----------------------------------------------------------------------------------

std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 128; value >>= 7)
        bytes += static_cast<char>(value | 128);
    return bytes + static_cast<char>(value);
}

class Message {
public:
    Message& number(int field, std::int64_t value) {
        m_bytes += varint(static_cast<std::uint64_t>(field) << 3) + varint(static_cast<std::uint64_t>(value));
        return *this;
    }
    Message& text(int field, const std::string& bytes) {
        m_bytes += varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(bytes.size()) + bytes;
        return *this;
    }
    Message& message(int field, const Message& inner) { return text(field, inner.m_bytes); }
    const std::string& bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

using Names = std::vector<std::string>;

Message attribute(const std::string& name, std::int64_t value) {
    return Message().text(1, name).number(3, value).number(20, 2);
}
Message attribute(const std::string& name, const Message& graph) {
    return Message().text(1, name).message(6, graph).number(20, 5);
}

Message node(const std::string& op, const Names& inputs, const Names& outputs,
             const std::vector<Message>& attributes = {}, const std::string& domain = "") {
    Message made;
    for (const std::string& each : inputs)
        made.text(1, each);
    for (const std::string& each : outputs)
        made.text(2, each);
    made.text(3, "the_" + op).text(4, op);
    for (const Message& each : attributes)
        made.message(5, each);
    return domain.empty() ? made : made.text(7, domain);
}

constexpr int type_float = 1;
constexpr int type_int64 = 7;
constexpr int type_bool = 9;

Message value(const std::string& name, int type, const Names& dims) {
    Message shape;
    for (const std::string& each : dims) {
        const bool is_number = !each.empty() && (std::isdigit(static_cast<unsigned char>(each[0])) || each[0] == '-');
        shape.message(1, is_number ? Message().number(1, std::stoll(each)) : Message().text(2, each));
    }
    return Message().text(1, name).message(2, Message().message(1, Message().number(1, type).message(2, shape)));
}

Message tensor(const std::string& name, int type, const std::vector<std::int64_t>& dims, const std::string& raw) {
    Message made;
    for (std::int64_t each : dims)
        made.number(1, each);
    return made.number(2, type).text(8, name).text(9, raw);
}

std::string raw_ints(const std::vector<std::int64_t>& values) {
    std::string raw(values.size() * 8, '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    return raw;
}
Message ints(const std::string& name, const std::vector<std::int64_t>& values) {
    return tensor(name, type_int64, {static_cast<std::int64_t>(values.size())}, raw_ints(values));
}

struct GraphParts {
    std::vector<Message> nodes;
    std::vector<Message> initializers;
    std::vector<Message> inputs;
    std::vector<Message> outputs;
};

Message graph_of(const GraphParts& parts) {
    Message made;
    for (const Message& each : parts.nodes)
        made.message(1, each);
    made.text(2, "g");
    for (const Message& each : parts.initializers)
        made.message(5, each);
    for (const Message& each : parts.inputs)
        made.message(11, each);
    for (const Message& each : parts.outputs)
        made.message(12, each);
    return made;
}

std::string model_of(const GraphParts& parts, const std::vector<Message>& functions = {}, std::int64_t opset = 18) {
    Message made;
    made.number(1, 8).message(7, graph_of(parts)).message(8, Message().number(2, opset));
    made.message(8, Message().text(1, "local").number(2, 1));
    for (const Message& each : functions)
        made.message(25, each);
    return made.bytes();
}

const Message x_input = value("x", type_float, {"2", "3"});
const Message y_output = value("y", type_float, {});

// ---- what becomes of them -----------------------------------------------------------------------------------------

std::string blocker_of(const std::string& bytes, const std::string& folder = "", const ImportOptions& options = {}) {
    const auto imported = import_onnx_bytes(bytes, folder, options);
    const auto* failure = std::get_if<ImportFailure>(&imported);
    if (!failure)
        return "";
    std::string text = failure->error.code + ": " + failure->error.message;
    for (const ImportProblem& each : failure->problems) {
        text += "; " + each.message;
        for (const std::string& name : each.nodes)
            text += " " + name;
    }
    return text;
}

Graph graph_from(const std::string& bytes, const ImportOptions& options = {}) {
    auto imported = import_onnx_bytes(bytes, "", options);
    if (const auto* failure = std::get_if<ImportFailure>(&imported))
        FAIL(failure->error.message);
    return std::move(std::get<Imported>(imported).graph);
}

std::string ops_in(const Graph& graph) {
    std::string text;
    for (NodeId id : graph.topological())
        text += (text.empty() ? "" : " ") + std::string(graph.node(id).op->name);
    return text;
}

Shape result_shape(const Graph& graph) {
    return graph.value(graph.outputs()[0]).spec.shape;
}

// A constant whose shape and bytes are the test's.
std::string with_constant(const Message& constant) {
    return model_of({{node("Add", {"x", "c"}, {"y"})}, {constant}, {x_input}, {y_output}});
}

Message external(const std::string& location, const std::string& offset = "0", const std::string& length = "") {
    const auto entry = [](const std::string& key, const std::string& text) {
        return Message().text(1, key).text(2, text);
    };
    Message made;
    made.number(1, 3).number(2, type_float).text(8, "c").message(13, entry("location", location));
    made.message(13, entry("offset", offset));
    if (!length.empty())
        made.message(13, entry("length", length));
    return made.number(14, 1);
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A folder that is gone at the end.
class Folder {
public:
    Folder() : m_path(std::filesystem::temp_directory_path() / ("hidet_onnx_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(m_path / "model");
    }
    ~Folder() { std::filesystem::remove_all(m_path); }
    std::string model() const { return (m_path / "model").string(); }
    void write(const std::string& name, const std::string& bytes) const { std::ofstream(m_path / name) << bytes; }
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

Message function(const std::string& name, const std::vector<Message>& nodes) {
    Message made;
    made.text(1, name).text(4, "a").text(5, "b").text(10, "local");
    for (const Message& each : nodes)
        made.message(7, each);
    return made.message(9, Message().number(2, 18)).message(9, Message().text(1, "local").number(2, 1));
}

TEST_CASE("shape arithmetic over symbols leaves no node behind") {
    const Graph graph = graph_from(model_of(
        {{node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"b"}), node("Gather", {"s", "one"}, {"t"}),
          node("Mul", {"b", "t"}, {"n"}), node("Concat", {"n", "minus"}, {"shape"}, {attribute("axis", 0)}),
          node("Reshape", {"x", "shape"}, {"y"})},
         {ints("zero", {0}), ints("one", {1}), ints("minus", {-1})},
         {value("x", type_float, {"batch", "seq", "768"})},
         {y_output}}));
    REQUIRE(ops_in(graph) == "Reshape");
    REQUIRE(text_of(result_shape(graph)) == "[batch * seq, 768]");
}

TEST_CASE("a symbol that is given a value is a constant everywhere") {
    const std::string bytes =
        model_of({{node("Relu", {"x"}, {"y"})}, {}, {value("x", type_float, {"n", "n"})}, {y_output}});
    REQUIRE(text_of(result_shape(graph_from(bytes, {.dims = {{"n", 4}}}))) == "[4, 4]");
    REQUIRE(holds(blocker_of(bytes, "", {.dims = {{"m", 4}}}), "no dimension 'm'"));
}

TEST_CASE("a dimension that is named by what it is made of is an expression") {
    const auto sum = [](const Names& mask) {
        return model_of({{node("Relu", {"mask"}, {"y"}), node("Relu", {"x"}, {"z"})},
                         {},
                         {value("mask", type_float, mask), value("x", type_float, {"batch", "past", "size"})},
                         {y_output, value("z", type_float, {})}});
    };
    const std::string bytes = sum({"batch", "past + size"});
    REQUIRE(text_of(result_shape(graph_from(bytes))) == "[batch, past + size]");
    REQUIRE(text_of(result_shape(graph_from(bytes, {.dims = {{"past", 3}, {"size", 4}}}))) == "[batch, 7]");
    REQUIRE(text_of(result_shape(graph_from(sum({"batch", "Max(1, 2*past)"})))) == "[batch, max(1, past * 2)]");
    // What no input has a dimension of stays a name.
    REQUIRE(text_of(result_shape(graph_from(sum({"batch-count", "past + more"})))) == "[batch_count, past___more]");
    REQUIRE(holds(blocker_of(sum({"batch", "past - 5"}), "", {.dims = {{"past", 3}}}), "cannot be -2"));
    const lang::TensorRef x = make_tensor(ir::DType::F32, {1, 2, 3});
    REQUIRE(evaluate_graph(graph_from(bytes), {make_tensor(ir::DType::F32, {1, 5}), x})[0]->shape.at(1) == 5);
    REQUIRE_THROWS(evaluate_graph(graph_from(bytes), {make_tensor(ir::DType::F32, {1, 6}), x}));
}

TEST_CASE("a constant of an input's name is what it is where nothing is given") {
    const std::string bytes = model_of({{node("Add", {"x", "w"}, {"y"})},
                                        {tensor("w", type_float, {3}, std::string(12, '\0'))},
                                        {x_input, value("w", type_float, {"3"})},
                                        {y_output}});
    REQUIRE(graph_from(bytes).inputs.size() == 1u);
    const auto is_w = [](const std::string& name) { return name == "w"; };
    const Graph graph = graph_from(bytes, {.is_given = is_w});
    REQUIRE(graph.inputs.size() == 2u);
    REQUIRE(graph.value(graph.inputs[1]).name == "w");
}

TEST_CASE("a mean that counts its padding does not count what lies beyond it") {
    const auto list = [](const std::string& name, const std::vector<std::int64_t>& values) {
        Message made = Message().text(1, name).number(20, 7);
        for (std::int64_t each : values)
            made.number(8, each);
        return made;
    };
    const auto means = [&](const std::vector<std::int64_t>& pads, const std::string& input, std::int64_t dilation) {
        const std::vector<Message> attributes = {list("kernel_shape", {3}), list("strides", {2}),
                                                 list("pads", pads),        list("dilations", {dilation}),
                                                 attribute("ceil_mode", 1), attribute("count_include_pad", 1)};
        const Graph graph = graph_from(model_of({{node("AveragePool", {"x"}, {"y"}, attributes)},
                                                 {},
                                                 {value("x", type_float, {"1", "1", input})},
                                                 {y_output}}));
        const lang::TensorRef x = make_tensor(ir::DType::F32, {1, 1, 4});
        std::fill_n(reinterpret_cast<float*>(x->data()), 4, 1.0f);
        return numbers_of(*evaluate_graph(graph, {x})[0]);
    };
    using Means = std::vector<double>;
    for (const char* input : {"4", "n"}) {
        REQUIRE(means({0, 0}, input, 1) == Means{1, 1});
        REQUIRE(means({1, 1}, input, 1) == Means{static_cast<float>(2.0 / 3), 1, 0.5});
        REQUIRE(means({1, 1}, input, 2) == Means{static_cast<float>(2.0 / 3), 1});
    }
}

TEST_CASE("attributes that contradict operands, or each other, are mistakes") {
    const Message kernel = Message().text(1, "kernel_shape").number(8, 3).number(20, 7);
    const auto conv = [&](const std::vector<Message>& attributes, const Names& operands = {"x", "w"}) {
        return blocker_of(model_of({{node("Conv", operands, {"y"}, attributes)},
                                    {tensor("w", type_float, {2, 1, 2}, std::string(16, '\0')),
                                     tensor("b", type_float, {}, std::string(4, '\0'))},
                                    {value("x", type_float, {"1", "1", "8"})},
                                    {y_output}}));
    };
    REQUIRE(conv({}) == "");
    REQUIRE(holds(conv({kernel}), "kernel_shape is [3], and the weight has a kernel of [2]"));
    REQUIRE(holds(conv({attribute("group", 1), attribute("group", 1)}), "it has two attributes 'group'"));
    REQUIRE(holds(conv({}, {"x", "w", "b"}), "the bias is float32[], and the result has 2 channels"));
}

TEST_CASE("two functions of one name and operator sets that do not exist are mistakes") {
    const GraphParts parts{{node("f", {"x"}, {"y"}, {}, "local")}, {}, {x_input}, {y_output}};
    const Message f = function("f", {node("Relu", {"a"}, {"b"})});
    REQUIRE(blocker_of(model_of(parts, {f})) == "");
    REQUIRE(holds(blocker_of(model_of(parts, {f, f})), "two functions 'local.f'"));
    const auto with_opset = [&](std::int64_t version) { return blocker_of(model_of(parts, {f}, version)); };
    const auto with_second_opset = [&](std::int64_t version) {
        return blocker_of(model_of(parts, {f}) + Message().message(8, Message().number(2, version)).bytes());
    };
    REQUIRE(with_second_opset(18) == "");
    REQUIRE(holds(with_second_opset(17), "several versions"));
    REQUIRE(holds(with_opset(0), "no operator set 0"));
    REQUIRE(holds(with_opset(4000), "no operator set 4000"));
}

TEST_CASE("names of a model are short and printable in the graph and in messages") {
    const std::string name = "a\x1b[31m\xe2\x80\xae" + std::string(5000, 'z');
    const Graph graph =
        graph_from(model_of({{node("Relu", {name}, {"y"})}, {}, {value(name, type_float, {"2"})}, {y_output}}));
    REQUIRE(graph.value(graph.inputs[0]).name.starts_with("a\\x1b[31m\\u202ezz"));
    REQUIRE(graph.value(graph.inputs[0]).name.size() <= 200u);
    REQUIRE(blocker_of(model_of({{node(name, {"x"}, {"y"})}, {}, {x_input}, {y_output}})).size() < 800u);
}

TEST_CASE("axes without end are refused before a shape is made of them") {
    const Message zeros = Message().text(1, "value").message(5, ints("", {0})).number(20, 4);
    const std::string bytes =
        model_of({{node("ConstantOfShape", {"n"}, {"axes"}, {zeros}), node("Unsqueeze", {"x", "axes"}, {"y"})},
                  {ints("n", {200'000'000})},
                  {x_input},
                  {y_output}});
    REQUIRE(holds(blocker_of(bytes), "dimensions"));
}

TEST_CASE("a shape that is data is found out by the host") {
    const Graph graph = graph_from(
        model_of({{node("Reshape", {"x", "s"}, {"y"})}, {}, {x_input, value("s", type_int64, {"2"})}, {y_output}}));
    const lang::TensorRef x = make_tensor(ir::DType::F32, {2, 3});
    REQUIRE(evaluate_graph(graph, {x, make_ints({3, -1})})[0]->shape.at(1) == 2);
    REQUIRE(evaluate_graph(graph, {x, make_ints({1, 6})})[0]->shape.at(1) == 6);
}

TEST_CASE("names of the model stay, those in functions with the call's in front") {
    const Graph graph =
        graph_from(model_of({{node("twice", {"x"}, {"y"}, {}, "local")}, {}, {x_input}, {y_output}},
                            {function("twice", {node("Relu", {"a"}, {"m"}), node("Neg", {"m"}, {"b"})})}));
    const std::vector<NodeId> nodes = graph.topological();
    REQUIRE(graph.node(nodes[0]).name == "the_twice/the_Relu");
    REQUIRE(graph.value(graph.node(nodes[0]).outputs[0]).name == "the_twice/m");
    REQUIRE(graph.value(graph.outputs()[0]).name == "y");
}

TEST_CASE("all that is missing is said at once, with the nodes") {
    const std::string model =
        model_of({{node("Foo", {"x"}, {"a"}), node("Bar", {"a"}, {"b"}, {}, "my.ops"), node("Foo", {"b"}, {"y"})},
                  {},
                  {x_input},
                  {y_output}});
    const std::string said =
        "operators-missing: the model uses what is not supported; operator 'Foo' is not supported the_Foo the_Foo; ";
    REQUIRE(blocker_of(model + Message().message(8, Message().text(1, "my.ops").number(2, 1)).bytes()) ==
            said + "operator 'my.ops.Bar' is not supported the_Bar");
    REQUIRE(blocker_of(model) == said + "the model does not say of which operator set of 'my.ops' it is the_Bar");
}

TEST_CASE("shapes that do not fit name the node") {
    REQUIRE(holds(blocker_of(model_of({{node("MatMul", {"x", "x"}, {"y"})}, {}, {x_input}, {y_output}})),
                  "MatMul 'the_MatMul': "));
}

TEST_CASE("a cycle, a name made twice and one made by nothing are mistakes") {
    REQUIRE(holds(
        blocker_of(model_of({{node("Add", {"x", "b"}, {"a"}), node("Relu", {"a"}, {"b"}), node("Neg", {"b"}, {"y"})},
                             {},
                             {x_input},
                             {y_output}})),
        "cycle"));
    REQUIRE(holds(
        blocker_of(model_of({{node("Relu", {"x"}, {"y"}), node("Neg", {"x"}, {"y"})}, {}, {x_input}, {y_output}})),
        "made twice"));
    REQUIRE(holds(blocker_of(model_of({{node("Relu", {"z"}, {"y"})}, {}, {x_input}, {y_output}})),
                  "'z', which nothing makes"));
    REQUIRE(holds(blocker_of(model_of({{node("Relu", {"x"}, {"z"})}, {}, {x_input}, {y_output}})),
                  "'y' is made by nothing"));
}

TEST_CASE("nodes may stand in any order") {
    REQUIRE(ops_in(graph_from(
                model_of({{node("Neg", {"a"}, {"y"}), node("Relu", {"x"}, {"a"})}, {}, {x_input}, {y_output}}))) ==
            "Relu Negative");
}

namespace {

const std::string four_bytes(4, '\0');

} // namespace

TEST_CASE("a constant is as large as its bytes are, whatever it claims") {
    REQUIRE(holds(blocker_of(with_constant(tensor("c", type_float, {1 << 29}, four_bytes))), "and there are 4"));
    REQUIRE(holds(blocker_of(with_constant(tensor("c", type_float, {-1}, four_bytes))), "negative dimension"));
    REQUIRE(holds(blocker_of(with_constant(tensor("c", type_float, {1ll << 40, 1ll << 40}, four_bytes))), "memory"));
    REQUIRE(holds(blocker_of(with_constant(tensor("c", 99, {1}, four_bytes))), "type 99"));
    REQUIRE(blocker_of(with_constant(tensor("c", type_float, {1}, four_bytes))) == "");
}

TEST_CASE("external data is read from the model's folder only") {
    const Folder folder;
    folder.write("model/weights", std::string(12, '\0'));
    folder.write("secret", std::string(12, '\0'));
    std::filesystem::create_symlink("../secret", folder.path() / "model/link");
    const auto refused = [&](const Message& constant) { return blocker_of(with_constant(constant), folder.model()); };
    REQUIRE(refused(external("weights")) == "");
    REQUIRE(holds(refused(external("../secret")), "leaves the model's folder"));
    REQUIRE(holds(refused(external((folder.path() / "secret").string())), "absolute"));
    REQUIRE(holds(refused(external("link")), "a link that leaves"));
    REQUIRE(holds(refused(external("nothing")), "does not exist"));
    REQUIRE(holds(refused(external(".")), "not a file"));
    const std::string pipe = (folder.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto piped = import_onnx(pipe, {});
    REQUIRE(holds(std::get<ImportFailure>(piped).error.message, "it is no regular file"));
    REQUIRE(holds(refused(external("weights", "4")), "shorter"));
    REQUIRE(holds(refused(external("weights", "99999999999999")), "ends before"));
    REQUIRE(holds(refused(external("weights", "-4")), "not a number of bytes"));
    REQUIRE(holds(refused(external("weights", "0", "8")), "length of 8 bytes for a tensor of 12"));
}

TEST_CASE("a file that is cut off anywhere is refused or smaller, never more") {
    const std::string whole = model_of({{node("Add", {"x", "c"}, {"y"})},
                                        {tensor("c", type_float, {3}, std::string(12, '\1'))},
                                        {x_input},
                                        {y_output}});
    for (std::size_t size = 0; size < whole.size(); ++size)
        import_onnx_bytes(std::string_view(whole).substr(0, size), "", {});
    REQUIRE(holds(blocker_of(whole.substr(0, whole.size() / 2)), "model-broken"));
    REQUIRE(holds(blocker_of("\x7f"
                             "ELF and so on"),
                  "model-broken"));
    REQUIRE(holds(blocker_of(""), "no graph"));
}

TEST_CASE("no changed byte does harm") {
    const std::string whole =
        model_of({{node("Shape", {"x"}, {"s"}), node("Concat", {"s", "c"}, {"t"}, {attribute("axis", 0)}),
                   node("Expand", {"x", "s"}, {"e"}), node("Tile", {"e", "c2"}, {"y"})},
                  {ints("c", {7}), ints("c2", {1, 2})},
                  {x_input},
                  {y_output}});
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int bit : {1, 4, 64, 128}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ bit);
            import_onnx_bytes(changed, "", {});
        }
}

TEST_CASE("bodies nested without end are refused") {
    GraphParts parts{{node("Relu", {"x"}, {"y"})}, {}, {}, {y_output}};
    for (int depth = 0; depth < 300; ++depth) {
        const Message inner = graph_of(parts);
        parts.nodes = {node("If", {"c"}, {"y"}, {attribute("then_branch", inner), attribute("else_branch", inner)})};
        if (depth > 12)
            parts.nodes = {node("If", {"c"}, {"y"}, {attribute("then_branch", inner)})};
    }
    parts.inputs = {x_input, value("c", type_bool, {})};
    REQUIRE(holds(blocker_of(model_of(parts)), "model-broken"));
}

TEST_CASE("a function that calls itself, or doubles again and again, is refused") {
    const GraphParts parts{{node("f0", {"x"}, {"y"}, {}, "local")}, {}, {x_input}, {y_output}};
    REQUIRE(holds(blocker_of(model_of(parts, {function("f0", {node("f0", {"a"}, {"b"}, {}, "local")})})),
                  "nested more than"));
    std::vector<Message> doubling;
    for (int i = 0; i < 40; ++i) {
        const std::string next = "f" + std::to_string(i + 1);
        doubling.push_back(function("f" + std::to_string(i),
                                    {node(next, {"a"}, {"m"}, {}, "local"), node(next, {"m"}, {"b"}, {}, "local")}));
    }
    doubling.push_back(function("f40", {node("Relu", {"a"}, {"b"})}));
    REQUIRE(holds(blocker_of(model_of(parts, doubling)), "functions in line"));
}

TEST_CASE("shapes that no memory holds are refused, and large ones not filled") {
    const auto tiled = [](std::int64_t repeats) {
        return model_of({{node("Tile", {"x", "r"}, {"y"})}, {ints("r", {repeats, repeats})}, {x_input}, {y_output}});
    };
    REQUIRE(holds(blocker_of(tiled(1ll << 40)), "would make"));
    REQUIRE(holds(blocker_of(tiled(1ll << 22)), "memory"));
    const std::string ones = model_of({{node("ConstantOfShape", {"s"}, {"c"}), node("Add", {"c", "one"}, {"y"})},
                                       {ints("s", {1 << 30}), tensor("one", type_float, {1}, std::string(4, '\0'))},
                                       {x_input},
                                       {y_output}});
    REQUIRE(blocker_of(ones) == "");
    REQUIRE(
        holds(blocker_of(model_of({{node("ConstantOfShape", {"s"}, {"y"})}, {ints("s", {-5})}, {x_input}, {y_output}})),
              "negative"));
}

TEST_CASE("a loop that runs for ever is refused") {
    const Message body =
        graph_of({{node("Identity", {"cond"}, {"cond_out"}), node("Add", {"v", "v"}, {"v_out"})},
                  {},
                  {value("i", type_int64, {}), value("cond", type_bool, {}), value("v", type_float, {"2", "3"})},
                  {value("cond_out", type_bool, {}), value("v_out", type_float, {"2", "3"})}});
    const auto repeated = [&](std::int64_t trips) {
        return model_of({{node("Loop", {"m", "", "x"}, {"y"}, {attribute("body", body)})},
                         {tensor("m", type_int64, {}, raw_ints({trips}))},
                         {x_input},
                         {y_output}});
    };
    REQUIRE(ops_in(graph_from(repeated(3))) == "Add Add Add");
    REQUIRE(holds(blocker_of(repeated(1ll << 60)), "the loop runs 1152921504606846976 times"));
}

TEST_CASE("what a model does not say of its inputs comes from those that it is run on") {
    const auto given = [](std::vector<std::int64_t> shape) {
        return
            [shape](std::size_t, const std::string& name) { return name == "x" ? std::optional(shape) : std::nullopt; };
    };
    const Message any_rank = Message().text(1, "x").message(2, Message().message(1, Message().number(1, type_float)));
    const std::string relu = model_of({{node("Relu", {"x"}, {"y"})}, {}, {any_rank}, {y_output}});
    REQUIRE(holds(blocker_of(relu), "how many dimensions"));
    REQUIRE(text_of(result_shape(graph_from(relu, {.shape_of = given({2, 5})}))) == "[2, 5]");

    const Message squeezed = graph_of({{node("Squeeze", {"x", "first"}, {"t"})}, {}, {}, {value("t", type_float, {})}});
    const Message kept = graph_of({{node("Identity", {"x"}, {"e"})}, {}, {}, {value("e", type_float, {})}});
    const std::string branches = model_of(
        {{node("Shape", {"x"}, {"s"}), node("Gather", {"s", "first"}, {"n"}), node("Equal", {"n", "one"}, {"c"}),
          node("If", {"c"}, {"y"}, {attribute("then_branch", squeezed), attribute("else_branch", kept)})},
         {ints("first", {0}), ints("one", {1})},
         {value("x", type_float, {"n", "3"})},
         {y_output}});
    REQUIRE(holds(blocker_of(branches, "", {.shape_of = given({1, 3})}), "the branches make"));
    const auto fixed = [&](std::int64_t n) {
        return text_of(result_shape(graph_from(branches, {.shape_of = given({n, 3}), .fixed = true})));
    };
    REQUIRE(fixed(1) == "[3]");
    REQUIRE(fixed(2) == "[2, 3]");
}

TEST_CASE("a branch that does not fit is a mistake when it is taken") {
    const Message fits = graph_of({{node("Relu", {"x"}, {"t"})}, {}, {}, {value("t", type_float, {})}});
    const Message wrong = graph_of({{node("MatMul", {"x", "x"}, {"e"})}, {}, {}, {value("e", type_float, {})}});
    const auto choice = [](const Message& then_branch, const Message& else_branch) {
        return model_of(
            {{node("If", {"c"}, {"y"}, {attribute("then_branch", then_branch), attribute("else_branch", else_branch)})},
             {},
             {x_input, value("c", type_bool, {})},
             {y_output}});
    };
    const Graph graph = graph_from(choice(fits, wrong));
    REQUIRE(ops_in(graph) == "OnnxIf");
    REQUIRE(text_of(result_shape(graph)) == "[2, 3]");
    const auto run = [&](std::int64_t condition) {
        lang::TensorRef x(new lang::Tensor());
        x->dtype = ir::DType::F32;
        x->shape = {2, 3};
        x->storage = std::make_shared<lang::Storage>(24);
        return evaluate_graph(graph, {x, make_scalar(ir::DType::Bool, condition)});
    };
    REQUIRE(run(1).size() == 1u);
    try {
        run(0);
        REQUIRE(false);
    } catch (const OpError& error) {
        REQUIRE(holds(error.what(), "MatMul"));
    }
    REQUIRE(holds(blocker_of(choice(wrong, wrong)), "MatMul"));
}

TEST_CASE("a loop that its condition ends is unrolled") {
    const auto repeated = [](const Message& condition) {
        const Message body =
            graph_of({{condition, node("Add", {"v", "v"}, {"v_out"})},
                      {},
                      {value("i", type_int64, {}), value("cond", type_bool, {}), value("v", type_float, {"2", "3"})},
                      {value("cond_out", type_bool, {}), value("v_out", type_float, {"2", "3"})}});
        return model_of({{node("Loop", {"", "", "x"}, {"y"}, {attribute("body", body)})},
                         {tensor("two", type_int64, {}, raw_ints({2}))},
                         {x_input},
                         {y_output}});
    };
    REQUIRE(ops_in(graph_from(repeated(node("Less", {"i", "two"}, {"cond_out"})))) == "Add Add Add");
    REQUIRE(holds(blocker_of(repeated(node("Identity", {"cond"}, {"cond_out"}))), "the loop never ends"));
}

TEST_CASE("extents that grow without end stay short") {
    std::vector<Message> nodes = {node("Shape", {"x"}, {"s0"})};
    for (int i = 0; i < 60; ++i) {
        const std::string s = "s" + std::to_string(i);
        nodes.push_back(node("Mul", {s, s}, {s + "q"}));
        nodes.push_back(node("Add", {s + "q", s}, {"s" + std::to_string(i + 1)}));
    }
    nodes.push_back(node("Cast", {"s60"}, {"y"}, {attribute("to", type_float)}));
    REQUIRE(blocker_of(model_of({nodes, {}, {value("x", type_float, {"n", "m"})}, {y_output}})) == "");
}

} // namespace
