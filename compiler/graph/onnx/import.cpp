// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/import.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <new>
#include <set>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/onnx/importer.h"
#include "compiler/ir/rewrite.h"
#include "lang/base/printable.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using namespace onnx;

constexpr std::size_t most_in_name = 200; // characters

// The standard gets one or two a year: a number that is not near is a mistake, not a version that we do not know yet.
constexpr std::int64_t newest_opset = 40;
constexpr std::int64_t newest_format = 30;

std::string problem_of(const Opsets& opsets) {
    for (const auto& [domain, version] : opsets) {
        const std::string of_domain = domain.empty() ? "" : " of '" + domain + "'";
        if (version == several_versions)
            return "the model names several versions of the operator set" + of_domain;
        if (version < 1 || (domain.empty() && version > newest_opset))
            return "there is no operator set " + std::to_string(version) + of_domain;
    }
    return "";
}

class SymbolReplacer : public ir::Rewriter {
public:
    explicit SymbolReplacer(std::function<Dim(const std::string&)> by) : m_by(std::move(by)) {}

private:
    ir::ExprRef visit(const ir::SymbolVar& symbol) override { return m_by(symbol.name); }

    std::function<Dim(const std::string&)> m_by;
};

// What a model calls the dimensions of its inputs. Exporters name some by what they are made of: the third dimension of
// [batch, heads, past + sequence] is no symbol of its own where an input has "past" and one "sequence".
class DimensionNames {
public:
    // `values` are those that the caller gives to dimensions.
    DimensionNames(const std::vector<ValueInfo>& inputs, const SymbolValues& values);

    // A number, a symbol, or an expression over symbols each of which is a dimension of some input or has a value. OpError
    // for a value that is negative.
    Dim of(const std::string& param);
    const std::set<std::string>& used() const { return m_used; } // of what of() was asked for

private:
    Dim symbol(const std::string& param);
    std::string identifier(const std::string& param);
    bool is_dimension(const std::string& name) const { return m_alone.contains(name) || m_values.contains(name); }

    const SymbolValues& m_values;
    std::set<std::string> m_alone; // what stands alone as a dimension
    std::set<std::string> m_used;
    std::map<std::string, std::string> m_identifiers;
    std::set<std::string> m_taken;
};

DimensionNames::DimensionNames(const std::vector<ValueInfo>& inputs, const SymbolValues& values) : m_values(values) {
    for (const ValueInfo& input : inputs)
        for (const Dimension& each : input.shape)
            m_alone.insert(each.param);
}

Dim DimensionNames::of(const std::string& param) {
    const Dim parsed = m_values.contains(param) ? nullptr : parse_dim(param);
    const std::vector<std::string> names = parsed ? symbols_of({parsed}) : std::vector<std::string>();
    const bool is_expression = parsed && !ir::as<ir::SymbolVar>(parsed) && !names.empty() &&
                               std::ranges::all_of(names, [&](const std::string& each) { return is_dimension(each); });
    if (!is_expression)
        return symbol(param);
    const Dim result =
        simplified(SymbolReplacer([this](const std::string& name) { return symbol(name); }).rewrite(parsed));
    if (constant_of(result).value_or(0) < 0)
        throw OpError("dimension '", param, "' cannot be ", *constant_of(result));
    return result;
}

Dim DimensionNames::symbol(const std::string& param) {
    m_used.insert(param);
    const auto value = m_values.find(param);
    if (value == m_values.end())
        return symbol_dim(identifier(param));
    if (value->second < 0)
        throw OpError("dimension '", param, "' cannot be ", value->second);
    return dim(value->second);
}

// Names of symbols are identifiers, whatever the model calls its dimensions; equal names stay equal.
std::string DimensionNames::identifier(const std::string& param) {
    const auto [known, is_new] = m_identifiers.emplace(param, "");
    if (!is_new)
        return known->second;
    std::string name;
    for (char c : param)
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
        name = "n" + name;
    // Extents that only the host finds out end in a number.
    const std::size_t digits = name.size() - (name.find_last_not_of("0123456789") + 1);
    if (digits > 0 && name[name.size() - digits - 1] == '_')
        name += "_";
    std::string unique = name;
    for (int i = 2; !m_taken.insert(unique).second; ++i)
        unique = name + "_" + std::to_string(i);
    return known->second = unique;
}

class ModelImport {
public:
    ModelImport(const Model& model, const ImportOptions& options)
        : m_model(model), m_options(options), m_builder(m_graph, {}), m_importer(model, m_builder, options.custom),
          m_dimensions(model.graph.inputs, options.dims) {}

    std::variant<Imported, ImportFailure> run() {
        if (const std::string problem = problem_of_model(); !problem.empty())
            return ImportFailure{{"model-wrong", problem}, {}};
        if (auto failure = check())
            return *failure;
        try {
            m_graph.name = m_model.graph.name;
            Scope scope;
            add_inputs(scope);
            for (const auto& [name, extent] : m_options.dims)
                if (!m_dimensions.used().contains(name))
                    return ImportFailure{{"dimension-unknown", no_dimension(name)}, {}};
            name_outputs(m_importer.read(m_model.graph, scope, m_model.opsets));
        } catch (const OpError& error) {
            return ImportFailure{{"model-wrong", error.what()}, {}};
        } catch (const LimitError& error) {
            return ImportFailure{{"model-wrong", error.what()}, {}};
        } catch (const std::bad_alloc&) {
            return ImportFailure{{"model-too-large", "the model does not fit into memory"}, {}};
        }
        m_graph.drop_unused();
        Imported imported;
        imported.graph = std::move(m_graph);
        const auto opset = m_model.opsets.find("");
        imported.opset = opset == m_model.opsets.end() ? 0 : opset->second;
        imported.producer = m_model.producer;
        return imported;
    }

private:
    std::string problem_of_model() const {
        std::set<std::array<std::string_view, 3>> names;
        for (const Function& each : m_model.functions) {
            if (!names.insert({each.domain, each.name, each.overload}).second)
                return "the model has two functions '" + each.domain + "." + each.name + "'";
            if (std::string problem = problem_of(each.opsets); !problem.empty())
                return problem;
        }
        if (m_model.ir_version == 0)
            return "the model does not say of which version of the format it is (ir_version)";
        if (m_model.ir_version < 0 || m_model.ir_version > newest_format)
            return "there is no version " + std::to_string(m_model.ir_version) + " of the format (ir_version)";
        return problem_of(m_model.opsets);
    }
    std::optional<ImportFailure> check() const {
        ImportFailure failure;
        for (const auto& [problem, nodes] : m_importer.missing_ops())
            failure.problems.push_back({problem, nodes});
        for (const ValueInfo& each : m_model.graph.inputs)
            if (!each.kind.empty() && each.kind != "tensor")
                failure.problems.push_back(
                    {"inputs that are not tensors but of kind '" + each.kind + "' are not supported", {each.name}});
            else if (each.kind == "tensor" && !dtype_of(each.elem_type))
                failure.problems.push_back(
                    {"inputs of type '" + elem_type_name(each.elem_type) + "' are not supported", {each.name}});
        if (failure.problems.empty())
            return std::nullopt;
        failure.error = {m_importer.missing_ops().empty() ? "inputs-unsupported" : "operators-missing",
                         "the model uses what is not supported"};
        return failure;
    }

    Dim dim_of(const ValueInfo& input, std::size_t d) {
        const Dimension& given = input.shape[d];
        if (given.param.empty() || given.param == "?") {
            if (given.value >= 0)
                return dim(given.value);
            return m_dimensions.of(input.name + "_dim" + std::to_string(d));
        }
        return m_dimensions.of(given.param);
    }

    std::string no_dimension(const std::string& name) const {
        const std::set<std::string>& used = m_dimensions.used();
        return "the model has no dimension '" + name + "'" +
               (used.empty() ? "; all its extents are numbers"
                             : "; it has '" + join({used.begin(), used.end()}, "', '") + "'");
    }

    Shape shape_of(const ValueInfo& input) {
        const auto known = m_options.shape_of && (m_options.fixed || !input.has_shape)
                               ? m_options.shape_of(m_inputs, input.name)
                               : std::nullopt;
        if (!known && !input.has_shape)
            throw OpError("the model does not say how many dimensions its input '", input.name, "' has");
        check_rank(std::max(input.shape.size(), known ? known->size() : 0));
        Shape shape;
        for (std::size_t d = 0; d < input.shape.size(); ++d)
            shape.push_back(dim_of(input, d));
        if (known && !input.has_shape)
            shape.resize(known->size(), dim(-1));
        if (known && known->size() == shape.size())
            for (std::size_t d = 0; d < shape.size(); ++d)
                if (constant_of(shape[d]).value_or(-1) < 0)
                    shape[d] = dim((*known)[d]);
        return shape;
    }

    // A constant of an input's name is what the input is where the caller gives nothing: then it is no input here, and folds.
    void add_inputs(Scope& scope) {
        std::map<std::string, std::int32_t> constants; // what types they have
        for (const Tensor& each : m_model.graph.initializers)
            constants[each.name] = each.type;
        std::set<std::string> seen;
        for (const ValueInfo& each : m_model.graph.inputs) {
            if (!seen.insert(each.name).second)
                throw OpError("the model has two inputs '", each.name, "'");
            const auto constant = constants.find(each.name);
            if (constant != constants.end() && each.elem_type != Undefined && each.elem_type != constant->second)
                throw OpError("the constant '", each.name, "' is of ", elem_type_name(constant->second),
                              ", and the model declares ", elem_type_name(each.elem_type));
            if (constant != constants.end() && !(m_options.is_given && m_options.is_given(each.name)))
                continue;
            const Val value = m_builder.input(each.name, {*dtype_of(each.elem_type), shape_of(each)});
            ++m_inputs;
            value->elem_type = each.elem_type;
            scope.set(each.name, value);
        }
    }

    // Extents are believed where those of all inputs are numbers: whoever opened an input left the results as they were. Some
    // exporters declare no dimensions where they know none.
    void check_shape(const ValueInfo& declared, const Shape& made) const {
        if (!declared.has_shape || declared.shape.empty())
            return;
        const bool is_closed = std::ranges::all_of(m_model.graph.inputs, [](const ValueInfo& input) {
            return input.has_shape && std::ranges::all_of(input.shape, [](const Dimension& d) { return d.value >= 0; });
        });
        bool fits = declared.shape.size() == made.size();
        for (std::size_t d = 0; fits && is_closed && d < made.size(); ++d) {
            const std::int64_t extent = declared.shape[d].value;
            fits = extent < 0 || constant_of(made[d]).value_or(extent) == extent;
        }
        if (fits)
            return;
        std::vector<std::string> extents = transformed(declared.shape, [&](const Dimension& each) {
            return each.value < 0 ? each.param : std::to_string(each.value);
        });
        throw OpError("the result '", declared.name, "' is of shape ", text_of(made), ", and the model declares [",
                      join(extents, ", "), "]");
    }

    // Results have names of their own: one that is an input, a constant or another result becomes a copy.
    void name_outputs(const Vals& results) {
        std::vector<ValueId> outputs;
        std::set<ValueId> taken;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::string& name = m_model.graph.outputs[i].name;
            if (!results[i] || results[i]->items)
                throw OpError("the result '", name, "' is not a tensor, which is not supported");
            check_shape(m_model.graph.outputs[i], results[i]->spec.shape);
            ValueId id = m_builder.id_of(results[i]);
            const bool is_made = m_graph.value(id).producer.valid();
            if (!taken.insert(id).second || (!is_made && m_graph.value(id).name != name)) {
                id = m_graph.add_one(op_info::Reshape(), {id}, {{"shape", m_graph.value(id).spec.shape}},
                                     NodeOrigin{name, {}, {}, {}});
                taken.insert(id);
            }
            m_graph.value(id).name = name;
            outputs.push_back(id);
        }
        m_graph.set_outputs(std::move(outputs));
    }

    const Model& m_model;
    const ImportOptions& m_options;
    Graph m_graph;
    Builder m_builder;
    Importer m_importer;
    DimensionNames m_dimensions;
    std::size_t m_inputs = 0;
};

// Names are those of a stranger's file, and messages have them.
void make_printable(ImportFailure& failure) {
    failure.error.message = printable(failure.error.message);
    for (ImportProblem& problem : failure.problems) {
        problem.message = printable(problem.message);
        for (std::string& node : problem.nodes)
            node = printable(node, most_in_name);
    }
}

void make_printable(Graph& graph) {
    graph.name = printable(graph.name, most_in_name);
    for (std::uint32_t i = 0; i < graph.value_slots(); ++i)
        graph.value(ValueId{i}).name = printable(graph.value(ValueId{i}).name, most_in_name);
    for (std::uint32_t i = 0; i < graph.node_slots(); ++i)
        graph.node(NodeId{i}).name = printable(graph.node(NodeId{i}).name, most_in_name);
}

std::variant<Imported, ImportFailure> import_model(const Result<Model>& model, const ImportOptions& options) {
    auto result = model ? ModelImport(model.value(), options).run()
                        : std::variant<Imported, ImportFailure>(ImportFailure{model.error(), {}});
    if (auto* failure = std::get_if<ImportFailure>(&result))
        make_printable(*failure);
    else
        make_printable(std::get<Imported>(result).graph);
    return result;
}

} // namespace

std::variant<Imported, ImportFailure> import_onnx(const std::string& path, const ImportOptions& options) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return import_model(read_model_file(path, {folder.empty() ? "." : folder, options.max_bytes}), options);
}

std::variant<Imported, ImportFailure> import_onnx_bytes(std::string_view bytes, const std::string& folder,
                                                        const ImportOptions& options) {
    return import_model(read_model(bytes, {folder, options.max_bytes}), options);
}

Result<lang::TensorRef> read_tensor_proto(const std::string& path, std::optional<ir::DType> declared) {
    HIDET_TRY(const Tensor tensor, read_tensor_file(path));
    if (!tensor.data)
        return Error{"model-broken", "tensors of " + elem_type_name(tensor.type) + " are not supported"};
    if (declared == ir::DType::BF16 && tensor.data->dtype == ir::DType::U16)
        tensor.data->dtype = ir::DType::BF16;
    return tensor.data;
}

std::string tensor_proto_name(const std::string& path) {
    const Result<Tensor> tensor = read_tensor_file(path);
    return tensor ? tensor.value().name : "";
}

} // namespace hidet::graph
