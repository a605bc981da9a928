// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/import.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <set>

#include "compiler/graph/onnx/importer.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using namespace onnx;

// Names of symbols are identifiers, whatever the model calls its dimensions; equal names stay equal.
class SymbolNames {
public:
    std::string of(const std::string& given) {
        const auto [known, is_new] = m_names.emplace(given, "");
        if (!is_new)
            return known->second;
        std::string name;
        for (char c : given)
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

private:
    std::map<std::string, std::string> m_names;
    std::set<std::string> m_taken;
};

class ModelImport {
public:
    ModelImport(const Model& model, const ImportOptions& options)
        : m_model(model), m_options(options), m_builder(m_graph, {}), m_importer(model, m_builder, options.custom) {}

    std::variant<Imported, ImportFailure> run() {
        if (auto failure = check())
            return *failure;
        try {
            m_graph.name = m_model.graph.name;
            Scope scope;
            add_inputs(scope);
            for (const auto& [name, extent] : m_options.dims)
                if (!m_used_dims.contains(name))
                    return ImportFailure{{"dimension-unknown", no_dimension(name)}, {}};
            name_outputs(m_importer.read(m_model.graph, scope, m_model.opsets));
        } catch (const OpError& error) {
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
    std::optional<ImportFailure> check() const {
        ImportFailure failure;
        for (const auto& [op, nodes] : m_importer.missing_ops())
            failure.problems.push_back({"operator '" + op + "' is not supported", nodes});
        for (const ValueInfo& each : m_model.graph.inputs)
            if (!each.kind.empty() && each.kind != "tensor")
                failure.problems.push_back(
                    {"inputs that are no tensors but of kind '" + each.kind + "' are not supported", {each.name}});
            else if (each.kind == "tensor" && !dtype_of(each.elem_type))
                failure.problems.push_back(
                    {"inputs of type '" + elem_type_name(each.elem_type) + "' are not supported", {each.name}});
        if (failure.problems.empty())
            return std::nullopt;
        failure.error = {"operators-missing", "the model uses what is not supported"};
        return failure;
    }

    Dim dim_of(const ValueInfo& input, std::size_t d) {
        const Dimension& given = input.shape[d];
        if (given.param.empty() || given.param == "?") {
            if (given.value >= 0)
                return dim(given.value);
            return named_dim(input.name + "_dim" + std::to_string(d));
        }
        return named_dim(given.param);
    }

    std::string no_dimension(const std::string& name) const {
        return "the model has no dimension '" + name + "'" +
               (m_used_dims.empty() ? "; all its extents are numbers"
                                    : "; it has '" + join({m_used_dims.begin(), m_used_dims.end()}, "', '") + "'");
    }

    Shape shape_of(const ValueInfo& input) {
        const auto known = m_options.shape_of && (m_options.fixed || !input.has_shape)
                               ? m_options.shape_of(m_inputs, input.name)
                               : std::nullopt;
        if (!known && !input.has_shape)
            throw OpError("the model does not say how many dimensions its input '" + input.name + "' has");
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

    Dim named_dim(const std::string& name) {
        m_used_dims.insert(name);
        const auto value = m_options.dims.find(name);
        if (value == m_options.dims.end())
            return symbol_dim(m_symbols.of(name));
        if (value->second < 0)
            throw OpError("dimension '" + name + "' cannot be " + std::to_string(value->second));
        return dim(value->second);
    }

    // Old files list constants among the inputs, too.
    void add_inputs(Scope& scope) {
        std::set<std::string> constants;
        for (const Tensor& each : m_model.graph.initializers)
            constants.insert(each.name);
        std::set<std::string> seen;
        for (const ValueInfo& each : m_model.graph.inputs) {
            if (!seen.insert(each.name).second)
                throw OpError("the model has two inputs '" + each.name + "'");
            if (constants.contains(each.name))
                continue;
            const Val value = m_builder.input(each.name, {*dtype_of(each.elem_type), shape_of(each)});
            ++m_inputs;
            value->elem_type = each.elem_type;
            scope.set(each.name, value);
        }
    }

    // Results have names of their own: one that is an input, a constant or another result becomes a copy.
    void name_outputs(const Vals& results) {
        std::vector<ValueId> outputs;
        std::set<ValueId> taken;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::string& name = m_model.graph.outputs[i].name;
            if (!results[i] || results[i]->items)
                throw OpError("the result '" + name + "' is no tensor, which is not supported");
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
    SymbolNames m_symbols;
    std::set<std::string> m_used_dims;
    std::size_t m_inputs = 0;
};

std::variant<Imported, ImportFailure> import_model(const Result<Model>& model, const ImportOptions& options) {
    if (!model)
        return ImportFailure{model.error(), {}};
    return ModelImport(model.value(), options).run();
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

Result<lang::TensorRef> read_tensor_proto(const std::string& path) {
    HIDET_TRY(const Tensor tensor, read_tensor_file(path));
    if (!tensor.data)
        return Error{"model-broken", "tensors of " + elem_type_name(tensor.type) + " are not supported"};
    return tensor.data;
}

} // namespace hidet::graph
