// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/choices.h"

#include <nlohmann/json.hpp>

#include "compiler/graph/document/keys.h"
#include "compiler/graph/document/write_parts.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using Json = nlohmann::ordered_json;

struct Broken {
    std::string what;
};

std::string compact(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text(const Json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end() || !found->is_string())
        throw Broken{std::string("\"") + name + "\" is missing, or no text, in " + compact(object)};
    return found->get<std::string>();
}
bool flag(const Json& object, const char* name, bool otherwise) {
    const auto found = object.find(name);
    if (found == object.end())
        return otherwise;
    if (!found->is_boolean())
        throw Broken{std::string("\"") + name + "\" is neither true nor false in " + compact(object)};
    return found->get<bool>();
}
const Json& list(const Json& object, const char* name) {
    static const Json none = Json::array();
    const auto found = object.find(name);
    if (found != object.end() && !found->is_array())
        throw Broken{std::string("\"") + name + "\" is no list"};
    return found == object.end() ? none : *found;
}

std::vector<NodeChoice> node_choices(const Json& json, const char* section, const char* what, bool otherwise) {
    std::vector<NodeChoice> result;
    for (const Json& each : list(json, section))
        result.push_back({text(each, "node"), text(each, what), flag(each, "apply", otherwise)});
    return result;
}
std::vector<std::string> names(const Json& json, const char* section) {
    std::vector<std::string> result;
    for (const Json& each : list(json, section)) {
        if (!each.is_string())
            throw Broken{std::string("\"") + section + "\" holds names"};
        result.push_back(each.get<std::string>());
    }
    return result;
}

Choices choices_in(const Json& json) {
    if (!json.is_object() || text(json, "format") != "hidet-choices")
        throw Broken{"its format is not \"hidet-choices\""};
    for (const auto& [name, value] : json.items())
        if (const std::vector<std::string> known = {"format", "version", "fusion", "rewrites", "precisions",
                                                    "templates", "off", "on"};
            std::ranges::find(known, name) == known.end())
            throw Broken{"there are no choices called '" + name + "'"};
    Choices choices;
    for (const Json& each : list(json, "fusion"))
        choices.fusion.push_back({text(each, "producer"), text(each, "consumer"), flag(each, "fuse", false)});
    choices.rewrites = node_choices(json, "rewrites", "rule", false);
    choices.precisions = node_choices(json, "precisions", "dtype", true);
    choices.templates = node_choices(json, "templates", "template", true);
    choices.off = names(json, "off");
    choices.on = names(json, "on");
    return choices;
}

std::string lines_of(const std::vector<NodeChoice>& choices, const char* what, bool says_apply) {
    std::vector<std::string> lines;
    for (const NodeChoice& each : choices) {
        Json json = {{"node", each.node}, {what, each.what}};
        if (says_apply)
            json["apply"] = each.is_on;
        lines.push_back(compact(json));
    }
    return json_list(lines);
}

} // namespace

Result<Choices> read_choices(std::string_view text) {
    try {
        return choices_in(Json::parse(text));
    } catch (const Json::exception& error) {
        return Error{"choices-broken", std::string("the choices file is broken: ") + error.what()};
    } catch (const Broken& error) {
        return Error{"choices-broken", "the choices file is broken: " + error.what};
    }
}

std::string write_choices(const Choices& choices) {
    std::vector<std::string> fusion;
    for (const FusionChoices::Edge& edge : choices.fusion)
        fusion.push_back(compact({{"producer", edge.producer}, {"consumer", edge.consumer}, {"fuse", edge.fuse}}));
    std::string text = "{\"format\": \"hidet-choices\", \"version\": 1";
    const auto put = [&](const char* name, const std::string& list) {
        if (list != "[]")
            text += std::string(",\n\"") + name + "\": " + list;
    };
    put("fusion", json_list(fusion));
    put("rewrites", lines_of(choices.rewrites, "rule", true));
    put("precisions", lines_of(choices.precisions, "dtype", false));
    put("templates", lines_of(choices.templates, "template", false));
    put("off", compact(choices.off));
    put("on", compact(choices.on));
    return text + "\n}\n";
}

void apply_choices(const Choices& choices, GraphOptions& options) {
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(options.fusion.edges, choices.fusion);
    append(options.rewrites, choices.rewrites);
    append(options.precisions, choices.precisions);
    append(options.templates, choices.templates);
    append(options.off, choices.off);
    append(options.on, choices.on);
}

void KeyWatch::add(const Graph& graph) {
    for (std::string& key : NodeKeys(graph).all())
        m_known.insert(std::move(key));
}

void KeyWatch::after(const GraphPassInfo&, const Graph& graph, const PassRecord& record) {
    if (!record.matches.empty())
        add(graph);
}

std::vector<std::string> KeyWatch::unmatched(const Choices& choices) const {
    std::vector<std::string> result;
    const auto check = [&](const std::string& what, const std::string& key) {
        if (!m_known.contains(key))
            result.push_back(what + ": there is no operator '" + key + "'");
    };
    for (const FusionChoices::Edge& edge : choices.fusion) {
        const std::string what = "fusion of '" + edge.producer + "' and '" + edge.consumer + "'";
        check(what, edge.producer);
        check(what, edge.consumer);
    }
    for (const NodeChoice& each : choices.rewrites)
        check("rewrite '" + each.what + "'", each.node);
    for (const NodeChoice& each : choices.precisions)
        check("precision '" + each.what + "'", each.node);
    for (const NodeChoice& each : choices.templates)
        check("template '" + each.what + "'", each.node);
    return result;
}

} // namespace hidet::graph
