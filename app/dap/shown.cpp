// SPDX-License-Identifier: Apache-2.0
#include "app/dap/shown.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::dap {

using session::DebugTensor;
using session::DebugVariable;
using session::DebugView;
using session::TensorHome;

namespace {

constexpr std::int64_t most_children = 1024; // where the client asks for all

std::string type_of(const DebugTensor& tensor) {
    std::vector<std::string> extents;
    for (const std::int64_t extent : tensor.shape)
        extents.push_back(cat(extent));
    return cat(tensor.dtype, "[", join(extents, ", "), "]");
}

int warps_of(const DebugView& view) {
    return (view.threads() + lanes_of_warp - 1) / lanes_of_warp;
}

Json plain(std::string name, std::string value, std::string type = "") {
    Json out = {{"name", std::move(name)}, {"value", std::move(value)}, {"variablesReference", 0}};
    if (!type.empty())
        out["type"] = std::move(type);
    return out;
}

} // namespace

int Shown::reference_to(Node node) {
    m_nodes.push_back(std::move(node));
    return static_cast<int>(m_nodes.size());
}

Json Shown::scopes(int thread) {
    const int warp = thread / lanes_of_warp;
    Json out = Json::array();
    const auto add = [&](const char* name, Kind kind, bool is_expensive) {
        out.push_back({{"name", name},
                       {"variablesReference", reference_to({.kind = kind, .warp = warp})},
                       {"expensive", is_expensive}});
    };
    add("Variables", Kind::Variables, false);
    add("Lanes", Kind::Lanes, false);
    add("Shared memory", Kind::Shared, false);
    add("Arguments", Kind::Arguments, false);
    return out;
}

Json Shown::tensor(const DebugTensor& tensor) {
    Json out = plain(tensor.name, type_of(tensor), type_of(tensor));
    out["variablesReference"] = reference_to({.kind = Kind::Part, .name = tensor.name});
    out["indexedVariables"] = tensor.shape.empty() ? 1 : tensor.shape.front();
    return out;
}

Json Shown::children(const DebugView& view, int reference, std::int64_t start, std::int64_t count) {
    const Node node = m_nodes[static_cast<std::size_t>(reference - 1)];
    Json out = Json::array();
    switch (node.kind) {
    case Kind::Variables: add_variables(view, node, out); break;
    case Kind::Lanes: add_lanes(view, out); break;
    case Kind::Shared: add_tensors(view, TensorHome::Shared, out); break;
    case Kind::Arguments:
        for (const DebugVariable& argument : view.arguments())
            out.push_back(plain(argument.name, view.text(argument, 0), argument.type));
        add_tensors(view, TensorHome::Argument, out);
        break;
    case Kind::Rows:
    case Kind::LanesOf: add_rows(view, node, out); break;
    case Kind::Part: add_part(view, node, start, count, out); return out;
    }
    if (start > 0)
        out.erase(out.begin(), out.begin() + std::min<std::ptrdiff_t>(start, static_cast<std::ptrdiff_t>(out.size())));
    if (count > 0 && static_cast<std::int64_t>(out.size()) > count)
        out.erase(out.begin() + count, out.end());
    return out;
}

void Shown::add_variables(const DebugView& view, const Node& node, Json& out) {
    for (const DebugVariable& variable : view.variables()) {
        Json row = plain(variable.name, view.row_text(variable, node.warp), variable.type);
        const bool has_rows = warps_of(view) > 1;
        row["variablesReference"] =
            reference_to({.kind = has_rows ? Kind::Rows : Kind::LanesOf, .warp = 0, .name = variable.name});
        out.push_back(std::move(row));
    }
    add_tensors(view, TensorHome::Registers, out);
}

void Shown::add_lanes(const DebugView& view, Json& out) const {
    for (int warp = 0; warp < warps_of(view); ++warp)
        out.push_back(plain(cat("warp ", warp), view.running_text(warp)));
}

void Shown::add_tensors(const DebugView& view, TensorHome home, Json& out) {
    for (const DebugTensor& each : view.tensors())
        if (each.home == home)
            out.push_back(tensor(each));
}

// Of a variable: its warps, or the lanes of one.
void Shown::add_rows(const DebugView& view, const Node& node, Json& out) {
    const auto found = std::ranges::find(view.variables(), node.name, &DebugVariable::name);
    if (found == view.variables().end())
        return;
    if (node.kind == Kind::LanesOf) {
        for (int lane = 0; lane < lanes_of_warp && node.warp * lanes_of_warp + lane < view.threads(); ++lane) {
            const int thread = node.warp * lanes_of_warp + lane;
            const char* const aside = view.runs(thread) ? "" : " (does not run)";
            out.push_back(plain(cat("lane ", lane), view.text(*found, thread) + aside, found->type));
        }
        return;
    }
    for (int warp = 0; warp < warps_of(view); ++warp) {
        Json row = plain(cat("warp ", warp), view.row_text(*found, warp), found->type);
        row["variablesReference"] = reference_to({.kind = Kind::LanesOf, .warp = warp, .name = node.name});
        out.push_back(std::move(row));
    }
}

void Shown::add_part(const DebugView& view, const Node& node, std::int64_t start, std::int64_t count, Json& out) {
    const DebugTensor* const tensor = view.tensor(node.name);
    if (!tensor)
        return;
    const bool is_scalar = tensor->shape.empty();
    const std::int64_t extent = is_scalar ? 1 : tensor->shape[node.dims];
    std::int64_t below = 1;
    for (std::size_t d = node.dims + 1; d < tensor->shape.size(); ++d)
        below *= tensor->shape[d];
    const std::int64_t most = count > 0 ? count : most_children;
    const std::int64_t begin = std::clamp<std::int64_t>(start, 0, extent);
    for (std::int64_t at = begin; at < extent && at - begin < most; ++at) {
        const std::int64_t first = node.first + at * below;
        if (node.dims + 1 >= tensor->shape.size()) {
            out.push_back(plain(cat("[", at, "]"), view.element_text(*tensor, first), tensor->dtype));
            continue;
        }
        Json row = plain(cat("[", at, "]"), "");
        std::vector<std::string> texts;
        const std::int64_t last_dim = tensor->shape.back();
        for (std::int64_t i = 0; node.dims + 2 == tensor->shape.size() && i < std::min<std::int64_t>(last_dim, 8); ++i)
            texts.push_back(view.element_text(*tensor, first + i));
        row["value"] = join(texts, " ") + (last_dim > 8 || texts.empty() ? " ..." : "");
        row["variablesReference"] =
            reference_to({.kind = Kind::Part, .name = node.name, .dims = node.dims + 1, .first = first});
        row["indexedVariables"] = tensor->shape[node.dims + 1];
        out.push_back(std::move(row));
    }
}

std::string Shown::element(const DebugView& view, int reference, const std::string& name) const {
    const Node& node = m_nodes[static_cast<std::size_t>(reference - 1)];
    const DebugTensor* const tensor = node.kind == Kind::Part ? view.tensor(node.name) : nullptr;
    if (!tensor || node.dims + 1 != tensor->shape.size() || name.size() < 3)
        return name;
    std::vector<std::string> index = {name.substr(1, name.size() - 2)};
    std::int64_t rest = node.first / tensor->shape.back();
    for (std::size_t d = node.dims; d-- > 0; rest /= tensor->shape[d])
        index.insert(index.begin(), cat(rest % tensor->shape[d]));
    return cat(node.name, "[", join(index, ", "), "]");
}

} // namespace hidet::dap
