// SPDX-License-Identifier: Apache-2.0
// The document may come from anywhere, so nothing in it is believed: every field is checked for its type, ids for their
// range, and what a node makes by asking its operator, as for a node that is added.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/core/data.h"
#include "compiler/graph/core/nesting.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/document/json_pieces.h"
#include "lang/base/printable.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

struct Broken {
    std::string what;
};
[[noreturn]] void fail(std::string what) {
    throw Broken{std::move(what)};
}

const Json& field(const Json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end())
        fail(std::string("there is no \"") + name + "\"");
    return *found;
}
std::string text(const Json& json) {
    if (!json.is_string())
        fail(std::string("a text is expected, not ") + (json.is_primitive() ? json.dump() : json.type_name()));
    return json.get<std::string>();
}
std::int64_t integer(const Json& json) {
    if (!json.is_number_integer())
        fail("a whole number is expected");
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        fail("a number is too large: " + json.dump());
    return json.get<std::int64_t>();
}
double real(const Json& json) {
    if (json.is_number())
        return json.get<double>();
    const std::string word = text(json);
    if (word == "nan")
        return std::nan("");
    if (word == "inf" || word == "-inf")
        return word == "inf" ? HUGE_VAL : -HUGE_VAL;
    fail("a number is expected, not '" + word + "'");
}
const Json& array(const Json& json) {
    if (!json.is_array())
        fail("a list is expected");
    return json;
}
std::string optional_text(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? std::string() : text(*found);
}

ir::DType dtype(const Json& json) {
    const auto found = ir::find_dtype(text(json));
    if (!found)
        fail("there is no dtype '" + text(json) + "'");
    return *found;
}
// Of the elements of tensors, which are computed one at a time.
ir::DType element_dtype(const Json& json) {
    const ir::DType found = dtype(json);
    if (!lang::holds_numbers(found) || ir::info(found).bits % 8 != 0)
        fail("there are no tensors of " + text(json));
    return found;
}
Dim dimension(const Json& json) {
    if (json.is_number_integer())
        return dim(integer(json)); // negative ones stand in attributes: where a slice begins
    const Dim result = parse_dim(text(json));
    if (!result)
        fail("'" + text(json) + "' is not a dimension");
    return result;
}
Shape shape(const Json& json) {
    return transformed(array(json), [&](const Json& each) { return dimension(each); });
}
TensorSpec tensor_spec(const Json& json) {
    TensorSpec spec{element_dtype(field(json, "dtype")), shape(field(json, "shape"))};
    check_tensor("there is no tensor", spec);
    return spec;
}

// For results whose extents the host finds out: what a document calls them is its own business.
class AnyExtent : public FreshSymbols {
public:
    Dim fresh(std::string_view) override { return symbol_dim("?"); }
    // Whether `said` may stand where the operator makes `made`.
    static bool agrees(const Dim& made, const Dim& said) {
        return same_dim(made, said) || std::ranges::count(symbols_of({made}), "?") > 0;
    }
};

constexpr std::int64_t most_site_lines = 1'000'000; // of all files together

class Reader {
public:
    Reader(const WeightSource& weights, SourceMap* sources) : m_weights(weights), m_sources(sources) {}

    Graph graph(const Json& json, int depth = 0) {
        if (depth > most_nested_graphs)
            fail("graphs are nested too deeply");
        m_depth = depth;
        GraphParts parts;
        parts.values.resize(slots_for(array(field(json, "values"))));
        parts.nodes.resize(std::max(slots_for(array(field(json, "nodes"))), slots_of_replaced(field(json, "nodes"))));
        for (const Json& each : field(json, "values"))
            read_value(each, parts);
        for (const Json& each : field(json, "nodes"))
            read_node(each, parts);
        parts.inputs = ids<ValueId>(field(json, "inputs"), parts.values.size());
        parts.outputs = ids<ValueId>(field(json, "outputs"), parts.values.size());
        check_makers(parts);
        for (std::size_t i = 0; i < parts.nodes.size(); ++i)
            if (parts.nodes[i].op)
                define(parts, parts.nodes[i]);
        Graph result = Graph::from_parts(std::move(parts));
        result.name = optional_text(json, "name");
        std::size_t live = 0;
        for (std::uint32_t i = 0; i < result.node_slots(); ++i)
            live += result.is_live({i});
        if (result.topological().size() != live)
            fail("the nodes make a cycle");
        if (m_sources)
            place(result);
        return result;
    }

private:
    // Ids are indices; what is gone leaves holes, but not a thousand for each that is there.
    static std::size_t slots_for(const Json& items) {
        std::int64_t most = -1;
        for (const Json& each : items)
            most = std::max(most, integer(field(each, "id")));
        return slots_up_to(most, items.size());
    }
    // Nodes that are gone have their slots, too: those that are there say what they replace.
    static std::size_t slots_of_replaced(const Json& nodes) {
        std::int64_t most = -1;
        for (const Json& each : nodes)
            if (const auto replaces = each.find("replaces"); replaces != each.end())
                for (const Json& replaced : array(*replaces))
                    most = std::max(most, integer(replaced));
        return slots_up_to(most, nodes.size());
    }
    static std::size_t slots_up_to(std::int64_t most, std::size_t there) {
        if (most >= static_cast<std::int64_t>(there) * 1000 + 100000)
            fail("an id is too large: " + std::to_string(most));
        return static_cast<std::size_t>(std::max<std::int64_t>(most, -1) + 1);
    }
    template <class T>
    static T id(const Json& json, std::size_t slots) {
        const std::int64_t index = integer(json);
        if (index < 0 || index >= static_cast<std::int64_t>(slots))
            fail("there is nothing with the id " + std::to_string(index));
        return {static_cast<std::uint32_t>(index)};
    }
    template <class T>
    static std::vector<T> ids(const Json& json, std::size_t slots) {
        return transformed(array(json), [&](const Json& each) { return id<T>(each, slots); });
    }

    void read_site(const Json& json, NodeId node) {
        const std::int64_t line = integer(field(json, "line"));
        if (line < 1 || line > most_site_lines)
            fail("there is no line " + std::to_string(line));
        m_sites[text(field(json, "file"))].emplace_back(node, static_cast<std::uint32_t>(line));
    }

    // Files with as many empty lines as are named.
    void place(Graph& graph) const {
        std::int64_t lines = 0;
        for (const auto& [file, sites] : m_sites) {
            const std::uint32_t last = std::ranges::max(sites, {}, &Site::second).second;
            if ((lines += last) > most_site_lines)
                fail("the sites of nodes are in too many lines");
            const FileId id = m_sources->add(file, std::string(last - 1, '\n'));
            for (const auto& [node, line] : sites)
                graph.node(node).site = {id, line - 1, line - 1};
        }
    }

    void read_value(const Json& json, GraphParts& parts) {
        Value& value = parts.values[id<ValueId>(field(json, "id"), parts.values.size()).index];
        value.name = optional_text(json, "name");
        value.called = optional_text(json, "called");
        if (!m_read.insert(&value).second)
            fail("two values have one id");
        value.spec = tensor_spec(json);
        value.device = optional_text(json, "device") == "cuda" ? Device::Cuda : Device::Cpu;
        if (const auto constant = json.find("constant"); constant != json.end()) {
            value.data = tensor(*constant, value.spec);
            if (value.device != value.data->device) {
                lang::TensorRef moved(new lang::Tensor(*value.data));
                moved->device = value.device;
                value.data = moved;
            }
        }
    }

    lang::TensorRef tensor(const Json& json, const TensorSpec& spec) {
        const auto extents = constant_shape(spec.shape);
        if (!extents)
            fail("a constant has a constant shape");
        if (const auto elements = json.find("elements"); elements != json.end())
            return inline_tensor(array(*elements), spec.dtype, *extents);
        const std::string hash = optional_text(json, "hash");
        if (m_weights)
            if (lang::TensorRef found = m_weights(hash, spec)) {
                if (found->dtype != spec.dtype || found->shape != *extents)
                    fail("the weights with the hash " + hash + " have another type");
                return found;
            }
        lang::TensorRef empty(new lang::Tensor);
        empty->dtype = spec.dtype;
        empty->shape = *extents;
        return empty;
    }
    // Operators read what attributes hold while they are defined.
    lang::TensorRef whole_tensor(const Json& json) {
        lang::TensorRef result = tensor(json, tensor_spec(json));
        if (!result->has_data())
            fail("a tensor among the attributes has no elements");
        return result;
    }
    static lang::TensorRef inline_tensor(const Json& elements, ir::DType dtype,
                                         const std::vector<std::int64_t>& extents) {
        std::size_t count = 1;
        for (std::int64_t extent : extents)
            if (__builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count))
                fail("a constant is too large");
        if (count != elements.size() || !lang::holds_numbers(dtype))
            fail("a constant has not as many elements as its shape says");
        lang::TensorRef result = new_tensor(dtype, extents);
        std::vector<double> reals;
        std::vector<std::int64_t> integers;
        for (const Json& each : elements) {
            if (ir::is_float(dtype))
                reals.push_back(real(each));
            else
                integers.push_back(each.is_number_unsigned() ? static_cast<std::int64_t>(each.get<std::uint64_t>())
                                                             : integer(each));
        }
        if (ir::is_float(dtype))
            lang::write_doubles(*result, reals);
        else
            lang::write_integers(*result, integers);
        return result;
    }

    void read_node(const Json& json, GraphParts& parts) {
        const auto place = id<NodeId>(field(json, "id"), parts.nodes.size());
        Node& node = parts.nodes[place.index];
        if (node.op)
            fail("two nodes have one id");
        const std::string op = text(field(json, "op"));
        node.op = find_op(op);
        if (!node.op)
            fail("there is no operator '" + op + "'");
        node.inputs = ids<ValueId>(field(json, "inputs"), parts.values.size());
        node.outputs = ids<ValueId>(field(json, "outputs"), parts.values.size());
        node.name = optional_text(json, "name");
        node.rule = optional_text(json, "rule");
        if (const auto site = json.find("site"); m_sources && site != json.end())
            read_site(*site, place);
        if (const auto replaces = json.find("replaces"); replaces != json.end())
            for (const Json& each : array(*replaces))
                node.replaces.push_back(id<NodeId>(each, parts.nodes.size()));
        if (const auto attributes = json.find("attributes"); attributes != json.end()) {
            if (!attributes->is_object())
                fail("attributes are an object");
            if (node.is_any_of({OpId::OpaqueOperator, OpId::UserOperator}))
                fail("the operator '" + optional_text(*attributes, "name") +
                     "' is a script's, which a document does not hold; --with takes the script for the model itself");
            for (const auto& [name, value] : attributes->items())
                node.attributes.set(name, attribute(value));
        }
    }

    Attribute attribute(const Json& json) {
        if (json.is_boolean())
            return json.get<bool>();
        if (json.is_number_integer())
            return integer(json);
        if (json.is_number())
            return json.get<double>();
        if (json.is_string())
            return json.get<std::string>();
        if (!json.is_object() || json.size() != 1)
            fail("an attribute is a number, a text, or an object with one member");
        const std::string kind = json.begin().key();
        const Json& value = json.begin().value();
        if (kind == "float")
            return real(value);
        if (kind == "dtype")
            return dtype(value);
        if (kind == "shape")
            return shape(value);
        if (kind == "tensor")
            return whole_tensor(value);
        if (kind == "graph")
            return std::make_shared<const Graph>(Reader(m_weights, nullptr).graph(value, m_depth + 1));
        return list(kind, array(value));
    }
    static Attribute list(const std::string& kind, const Json& items) {
        Ints ints;
        Floats floats;
        Texts texts;
        for (const Json& each : items) {
            if (kind == "ints")
                ints.push_back(integer(each));
            else if (kind == "floats")
                floats.push_back(real(each));
            else if (kind == "texts")
                texts.push_back(text(each));
        }
        if (kind == "ints")
            return ints;
        if (kind == "floats")
            return floats;
        if (kind == "texts")
            return texts;
        fail("there is no kind of attribute '" + kind + "'");
    }

    // Every value has at most one maker: a node, the graph's inputs, or its data.
    static void check_makers(const GraphParts& parts) {
        std::vector<int> makers(parts.values.size());
        for (ValueId input : parts.inputs)
            ++makers[input.index];
        for (std::size_t i = 0; i < parts.values.size(); ++i)
            makers[i] += parts.values[i].is_constant();
        for (const Node& node : parts.nodes)
            for (ValueId output : node.outputs)
                ++makers[output.index];
        const auto check = [&](const std::vector<ValueId>& values) {
            for (ValueId value : values)
                if (makers[value.index] != 1)
                    fail("value " + std::to_string(value.index) +
                         (makers[value.index] ? " has several makers" : " comes from nowhere"));
        };
        check(parts.inputs);
        check(parts.outputs);
        for (const Node& node : parts.nodes) {
            check(node.inputs);
            check(node.outputs);
        }
    }

    // Its results must be what the document says.
    static void define(GraphParts& parts, Node& node) {
        if (node.outputs.empty())
            fail(std::string("a ") + node.op->name + " has no outputs");
        std::vector<TensorSpec> operands =
            transformed(node.inputs, [&](ValueId input) { return parts.values[input.index].spec; });
        AnyExtent unknown;
        Applied applied = apply_operator(*node.op, std::move(operands), node.attributes, unknown);
        node.task = std::move(applied.task);
        if (applied.results.size() != node.outputs.size())
            fail(std::string("a ") + node.op->name + " has " + std::to_string(applied.results.size()) + " outputs");
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const TensorSpec& made = applied.results[i];
            const TensorSpec& said = parts.values[node.outputs[i].index].spec;
            if (made.dtype != said.dtype || !std::ranges::equal(made.shape, said.shape, AnyExtent::agrees))
                fail(std::string("a ") + node.op->name + " makes " + text_of(made) + ", not " + text_of(said));
        }
    }

    const WeightSource& m_weights;
    SourceMap* const m_sources;
    using Site = std::pair<NodeId, std::uint32_t>;    // a line, from 1 on
    std::map<std::string, std::vector<Site>> m_sites; // by file
    std::set<const Value*> m_read;
    int m_depth = 0;
};

} // namespace

Result<Graph> read_document(std::string_view text, const WeightSource& weights, DocumentGraph which,
                            SourceMap* sources) {
    const auto broken = [](const std::string& what) {
        return Error{"document-broken", printable("the graph document is broken: " + what)};
    };
    try {
        const Json json = Json::parse(text);
        if (optional_text(json.is_object() ? json : Json::object(), "format") != "hidet-graph")
            return broken("its format is not \"hidet-graph\"");
        if (integer(field(json, "version")) != 1)
            return broken("its version is not 1");
        return Reader(weights, sources).graph(field(json, which == DocumentGraph::Final ? "graph" : "imported"));
    } catch (const Json::exception& error) {
        return broken(error.what());
    } catch (const Broken& error) {
        return broken(error.what);
    } catch (const OpError& error) {
        return broken(error.what());
    }
}

} // namespace hidet::graph
