// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/choices.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/graph/document/json_pieces.h"
#include "compiler/graph/document/write_parts.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

struct BrokenChoices {
    std::string what;
    std::vector<JsonStep> path = {};
};

std::string text(const Json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end() || !found->is_string())
        throw BrokenChoices{std::string("\"") + name + "\" is missing, or no text, in " + compact(object)};
    return found->get<std::string>();
}
bool flag(const Json& object, const char* name, bool otherwise) {
    const auto found = object.find(name);
    if (found == object.end())
        return otherwise;
    if (!found->is_boolean())
        throw BrokenChoices{std::string("\"") + name + "\" is neither true nor false in " + compact(object)};
    return found->get<bool>();
}
const Json& list(const Json& object, const char* name) {
    static const Json none = Json::array();
    const auto found = object.find(name);
    if (found != object.end() && !found->is_array())
        throw BrokenChoices{std::string("\"") + name + "\" is not a list", {name}};
    return found == object.end() ? none : *found;
}
// Reads each element of a list; what is wrong with one says which.
void for_each(const Json& object, const char* section, const auto& read) {
    const Json& items = list(object, section);
    for (std::size_t i = 0; i < items.size(); ++i)
        try {
            read(items[i]);
        } catch (BrokenChoices& broken) {
            broken.path = {section, i};
            throw;
        }
}

std::vector<NodeChoice> node_choices(const Json& json, const char* section, const char* what, bool otherwise) {
    std::vector<NodeChoice> result;
    for_each(json, section, [&](const Json& each) {
        result.push_back({text(each, "node"), text(each, what), flag(each, "apply", otherwise)});
    });
    return result;
}
std::vector<std::string> names(const Json& json, const char* section) {
    std::vector<std::string> result;
    for_each(json, section, [&](const Json& each) {
        if (!each.is_string())
            throw BrokenChoices{std::string("\"") + section + "\" holds names"};
        result.push_back(each.get<std::string>());
    });
    return result;
}

Choices choices_in(const Json& json) {
    if (!json.is_object() || text(json, "format") != "hidet-choices")
        throw BrokenChoices{"its format is not \"hidet-choices\""};
    for (const auto& [name, value] : json.items())
        if (const std::vector<std::string> known = {"format", "version", "precision", "fusion", "rewrites",
                                                    "precisions", "templates", "placements", "off", "on"};
            std::ranges::find(known, name) == known.end())
            throw BrokenChoices{"there are no choices called '" + name + "'", {name}};
    Choices choices;
    if (const auto found = json.find("precision"); found != json.end()) {
        if (!found->is_string())
            throw BrokenChoices{"\"precision\" is not text", {"precision"}};
        choices.precision = found->get<std::string>();
    }
    for_each(json, "fusion", [&](const Json& each) {
        choices.fusion.push_back({text(each, "producer"), text(each, "consumer"), flag(each, "fuse", false)});
    });
    choices.rewrites = node_choices(json, "rewrites", "rule", false);
    choices.precisions = node_choices(json, "precisions", "dtype", true);
    choices.templates = node_choices(json, "templates", "template", true);
    choices.placements = node_choices(json, "placements", "placement", true);
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

Result<Choices> read_choices(std::string_view text, std::optional<TextRange>* broken) {
    try {
        return choices_in(Json::parse(text));
    } catch (const Json::parse_error& error) {
        const auto at = static_cast<std::uint32_t>(std::min(error.byte > 0 ? error.byte - 1 : 0, text.size()));
        if (broken)
            *broken = {at, at};
        return Error{"choices-broken", "the choices file is not JSON"};
    } catch (const Json::exception& error) {
        return Error{"choices-broken", std::string("the choices file is broken: ") + error.what()};
    } catch (const BrokenChoices& error) {
        if (broken && !error.path.empty())
            *broken = place_in_json(text, error.path);
        return Error{"choices-broken", "the choices file is broken: " + error.what};
    }
}

std::string write_choices(const Choices& choices) {
    std::vector<std::string> fusion = transformed(choices.fusion, [&](const FusionChoices::Edge& edge) {
        return compact({{"producer", edge.producer}, {"consumer", edge.consumer}, {"fuse", edge.fuse}});
    });
    std::string text = "{\"format\": \"hidet-choices\", \"version\": 1";
    const auto put = [&](const char* name, const std::string& list) {
        if (list != "[]")
            text += std::string(",\n\"") + name + "\": " + list;
    };
    if (!choices.precision.empty())
        put("precision", compact(choices.precision));
    put("fusion", json_list(fusion));
    put("rewrites", lines_of(choices.rewrites, "rule", true));
    put("precisions", lines_of(choices.precisions, "dtype", false));
    put("templates", lines_of(choices.templates, "template", false));
    put("placements", lines_of(choices.placements, "placement", false));
    put("off", compact(choices.off));
    put("on", compact(choices.on));
    return text + "\n}\n";
}

void apply_choices(const Choices& choices, GraphOptions& options) {
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    if (options.precision.empty())
        options.precision = choices.precision;
    append(options.fusion.edges, choices.fusion);
    append(options.rewrites, choices.rewrites);
    append(options.precisions, choices.precisions);
    append(options.templates, choices.templates);
    append(options.placements, choices.placements);
    append(options.off, choices.off);
    append(options.on, choices.on);
}

} // namespace hidet::graph
