// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/constant_tensor.h"

#include <algorithm>
#include <filesystem>

#include "app/session/model/stages.h"
#include "app/session/model/view/graph_index.h"

namespace hidet::session {

namespace {

constexpr std::size_t most_constants_told = 8;

std::vector<std::string> constants_of(const graph::Graph& graph) {
    std::vector<std::string> out;
    for (std::uint32_t i = 0; i < graph.value_slots(); ++i)
        if (const graph::Value& value = graph.value(graph::ValueId{i}); value.is_constant() && !value.name.empty())
            out.push_back(value.name);
    return out;
}

// "; there are 'a', 'b' and 7 more", or the one that was meant.
std::string hint_for(const std::string& name, const std::vector<std::string>& names) {
    if (names.empty())
        return "; it has no constants with names";
    if (const std::string meant = closest(name, names); !meant.empty())
        return cat("; did you mean '", meant, "'?");
    const std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most_constants_told)));
    return cat("; there are '", join(first, "', '"), "'",
               names.size() > most_constants_told ? cat(" and ", names.size() - most_constants_told, " more") : "");
}

} // namespace

Result<StoredTensorPtr> tensor_of_constant(const ModelGraph& graph, std::uint32_t id) {
    const GraphValue* known = graph.value(id);
    if (!graph.index || !known)
        return Error{"wrong-usage", "there is no such tensor in this graph"};
    const graph::Value& value = graph.index->graph->value(graph::ValueId{id});
    if (!value.is_constant())
        return Error{"wrong-usage", cat("'", known->name, "' is no constant")};
    return StoredTensor::of(value.data, known->name.empty() ? cat("%", id) : known->name);
}

std::optional<ConstantName> constant_named_by(const std::string& text) {
    std::error_code ignored;
    if (std::filesystem::exists(text, ignored))
        return std::nullopt;
    for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
        const std::string file = text.substr(0, colon);
        if ((file.ends_with(".onnx") || file.ends_with(".json")) && std::filesystem::is_regular_file(file, ignored))
            return ConstantName{file, text.substr(colon + 1)};
    }
    return std::nullopt;
}

ConstantResult read_constant(const ModelRequest& request, const std::string& constant) {
    return answer<ConstantResult>(request, "tensor", [&](Work& work, ConstantResult& result) {
        ModelStages stages(work, request);
        if (!stages.import())
            return;
        const graph::Graph& graph = stages.imported();
        for (std::uint32_t i = 0; i < graph.value_slots(); ++i) {
            const graph::Value& value = graph.value(graph::ValueId{i});
            if (!value.is_constant() || value.name != constant)
                continue;
            const Result<StoredTensorPtr> tensor = StoredTensor::of(value.data, constant);
            if (tensor)
                result.tensor = tensor.value();
            else
                result.refusal = tensor.error().message;
            return;
        }
        result.refusal =
            cat("'", request.path, "' has no constant '", constant, "'", hint_for(constant, constants_of(graph)));
    });
}

} // namespace hidet::session
