// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/graph/read_graph.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>

#include "compiler/graph/core/data.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

class Line {
public:
    Line(std::string_view text, std::size_t number) : m_rest(text), m_number(number) {}

    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(cat("line ", m_number, ": ", what, " at '", m_rest, "'"));
    }
    void skip() {
        while (!m_rest.empty() && m_rest[0] == ' ')
            m_rest.remove_prefix(1);
    }
    bool at_end() {
        skip();
        return m_rest.empty() || m_rest[0] == '#';
    }
    bool take(std::string_view mark) {
        skip();
        if (!m_rest.starts_with(mark))
            return false;
        m_rest.remove_prefix(mark.size());
        return true;
    }
    void need(std::string_view mark) {
        if (!take(mark))
            fail("wanted " + std::string(mark));
    }
    std::string word() {
        skip();
        std::size_t size = 0;
        while (size < m_rest.size() && (std::isalnum(static_cast<unsigned char>(m_rest[size])) || m_rest[size] == '_'))
            ++size;
        if (size == 0)
            fail("wanted a name");
        return take_first(size);
    }
    // Up to a comma or bracket that closes what was open before.
    std::string item() {
        skip();
        int depth = 0;
        std::size_t size = 0;
        for (; size < m_rest.size(); ++size) {
            const char c = m_rest[size];
            if (depth == 0 && (c == ',' || c == ']' || c == ')'))
                break;
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            if (c == '\'')
                size = std::min(m_rest.find('\'', size + 1), m_rest.size() - 1);
        }
        return take_first(size);
    }
    std::vector<std::string> list() {
        need("[");
        std::vector<std::string> items;
        while (!take("]")) {
            items.push_back(item());
            take(",");
        }
        return items;
    }
    std::string_view rest() const { return m_rest; }

private:
    std::string take_first(std::size_t size) {
        const std::string result(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
        return result;
    }
    std::string_view m_rest;
    std::size_t m_number;
};

class GraphReader {
public:
    Graph graph;

    void read(std::string_view text) {
        std::size_t number = 0;
        for (const std::string& each : split(text, '\n')) {
            Line line(each, ++number);
            if (!line.at_end())
                read_line(line);
        }
    }

private:
    struct Type {
        TensorSpec spec;
        Device device = Device::Cpu;
    };

    void read_line(Line& line) {
        if (line.take("}"))
            return;
        if (line.take("Graph("))
            return read_header(line);
        if (line.take("return "))
            return read_results(line);
        std::vector<std::string> names;
        do {
            names.push_back(line.word());
            if (line.take(":"))
                type(line);
        } while (line.take(","));
        line.need("=");
        const std::string op = line.word();
        line.need("(");
        if (op == "Constant")
            return read_constant(line, names[0]);
        read_operator(line, names, op);
    }
    void read_header(Line& line) {
        while (!line.take(")")) {
            const std::string name = line.word();
            line.need(":");
            const Type of = type(line);
            define(name, graph.add_input(name, of.spec, of.device));
            line.take(",");
        }
    }
    void read_results(Line& line) {
        std::vector<ValueId> results;
        do
            results.push_back(value(line));
        while (line.take(","));
        graph.set_outputs(results);
    }
    void read_constant(Line& line, const std::string& name) {
        const Type of = type(line);
        line.need(")");
        const auto shape = constant_shape(of.spec.shape);
        if (!shape)
            line.fail("a constant has a constant shape");
        const std::size_t bracket = line.rest().find('[');
        lang::TensorRef data = made_up_tensor(of.spec.dtype, *shape, name);
        if (bracket != std::string_view::npos) {
            Line elements(line.rest().substr(bracket), 0);
            std::vector<double> values;
            for (const std::string& item : elements.list())
                values.push_back(number(item));
            if (static_cast<std::int64_t>(values.size()) != data->count())
                line.fail("the number of elements is wrong");
            lang::write_doubles(*data, values);
        }
        data->device = of.device;
        define(name, graph.add_constant(data, name));
    }
    void read_operator(Line& line, const std::vector<std::string>& names, const std::string& name) {
        const OpInfo* op = find_op(name);
        if (!op)
            line.fail("no operator '" + name + "'");
        std::vector<ValueId> inputs;
        Attributes attributes;
        while (!line.take(")")) {
            const std::string item = line.item();
            const std::size_t equals = item.find('=');
            if (equals == std::string::npos)
                inputs.push_back(known(line, item));
            else
                attributes.set(item.substr(0, equals), attribute(item.substr(equals + 1), item.substr(0, equals)));
            line.take(",");
        }
        try {
            const std::vector<ValueId> outputs = graph.add(*op, inputs, attributes);
            for (std::size_t i = 0; i < names.size() && i < outputs.size(); ++i) {
                define(names[i], outputs[i]);
                graph.value(outputs[i]).name = names[i];
            }
        } catch (const OpError& error) {
            line.fail(error.what());
        }
    }

    Type type(Line& line) {
        Type result;
        const auto dtype = ir::find_dtype(line.word());
        if (!dtype)
            line.fail("wanted a dtype");
        result.spec.dtype = *dtype;
        for (const std::string& item : line.list())
            result.spec.shape.push_back(parse_dim(item));
        if (line.take("[cuda:0]"))
            result.device = Device::Cuda;
        else
            line.take("[cpu]");
        return result;
    }
    void define(const std::string& name, ValueId id) { m_values[name] = id; }
    ValueId value(Line& line) { return known(line, line.word()); }
    ValueId known(const Line& line, const std::string& name) const {
        const auto found = m_values.find(name);
        if (found == m_values.end())
            line.fail("no value '" + name + "'");
        return found->second;
    }

    static double number(const std::string& text) {
        if (text == "inf" || text == "-inf" || text == "nan")
            return text == "nan" ? __builtin_nan("") : text == "inf" ? __builtin_inf() : -__builtin_inf();
        double result = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
        if (error != std::errc() || end != text.data() + text.size())
            throw std::runtime_error("not a number: " + text);
        return result;
    }
    // Not by way of a double, which does not hold them all.
    static std::optional<std::int64_t> integer(const std::string& text) {
        std::int64_t result = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
        return error == std::errc() && end == text.data() + text.size() ? std::optional(result) : std::nullopt;
    }
    static Attribute attribute(const std::string& text, const std::string& name) {
        if (text == "True" || text == "False")
            return text == "True";
        if (text[0] == '\'')
            return text.substr(1, text.size() - 2);
        if (const auto dtype = ir::find_dtype(text))
            return *dtype;
        if (text[0] == '[')
            return list_attribute(text, name);
        if (const auto whole = integer(text))
            return *whole;
        return number(text);
    }
    static Attribute list_attribute(const std::string& text, const std::string& name) {
        Line line(text, 0);
        const std::vector<std::string> items = line.list();
        const auto is_symbolic = [](const std::string& item) {
            return item != "inf" && item != "-inf" && item != "nan" && parse_dim(item) && !constant_of(parse_dim(item));
        };
        if (name == "shape" || std::ranges::any_of(items, is_symbolic)) {
            Shape shape;
            for (const std::string& item : items)
                shape.push_back(parse_dim(item));
            return shape;
        }
        const bool is_float = !items.empty() && items[0].find('.') != std::string::npos;
        Ints ints;
        Floats floats;
        for (const std::string& item : items) {
            floats.push_back(number(item));
            ints.push_back(integer(item).value_or(0));
        }
        if (is_float)
            return floats;
        return ints;
    }

    std::map<std::string, ValueId> m_values;
};

} // namespace

lang::TensorRef made_up_tensor(ir::DType dtype, const std::vector<std::int64_t>& shape, std::string_view name) {
    lang::TensorRef tensor = new_tensor(dtype, shape);
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    for (char c : name)
        state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto step = static_cast<std::int64_t>((state >> 33) % 33);
        values.push_back(ir::is_float(dtype) ? static_cast<double>(step - 16) / 8 : static_cast<double>(step % 3));
    }
    lang::write_doubles(*tensor, values);
    return tensor;
}

Graph read_graph(std::string_view text) {
    GraphReader reader;
    reader.read(text);
    return std::move(reader.graph);
}

} // namespace hidet::graph
