// SPDX-License-Identifier: Apache-2.0
#include "app/mcp/tools.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::mcp {

namespace {

constexpr const char* max_tokens = "max_tokens";
constexpr const char* max_seconds = "max_seconds";
constexpr const char* script_text = "text";
constexpr const char* other_text = "other_text";
constexpr double usual_tokens = 4000, most_tokens = 1e6;
constexpr double usual_seconds = 120, most_seconds = 86400;

std::string argument_name(const OptionShape& option) {
    std::string name = option.name;
    for (char& letter : name)
        letter = letter == '-' ? '_' : option.is_positional ? static_cast<char>(std::tolower(letter)) : letter;
    return name;
}

bool has(const VerbShape& verb, const char* option) {
    return std::ranges::find(verb.options, option, &OptionShape::name) != verb.options.end();
}

// A script can be given as text: FILE may be '-' then.
bool takes_text(const VerbShape& verb) {
    return has(verb, "FILE") && (verb.words.front() != "model" && verb.words.front() != "compile");
}

// So can the second of two.
bool takes_other_text(const VerbShape& verb) {
    return takes_text(verb) && has(verb, "OTHER");
}

Json schema_of(const OptionShape& option) {
    if (option.name == "FILE")
        return {{"type", "string"}, {"description", "the path of the script or model"}};
    if (option.name == "json")
        return {{"type", "boolean"}, {"description", "the answer as JSON, with all numbers; else as people read it"}};
    const bool is_plain = option.type.empty() || option.type == "TEXT";
    const std::string what = is_plain ? option.what : cat(option.what, " (", option.type, ")");
    if (option.is_flag)
        return {{"type", "boolean"}, {"description", what}};
    if (option.is_list)
        return {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", what}};
    return {{"type", "string"}, {"description", what}};
}

double number_of(const Json& arguments, const char* name, double otherwise, double most) {
    const auto found = arguments.find(name);
    if (found == arguments.end())
        return otherwise;
    const double value = found->is_number() ? found->get<double>() : NAN;
    if (!(value > 0 && value <= most))
        throw WrongArgument{cat(name, " is not a number above 0 and up to ", most)};
    return value;
}

std::string word_of(const std::string& name, const Json& value) {
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_number())
        return value.dump();
    throw WrongArgument{cat("'", name, "' is neither a string nor a number")};
}

void add_option(const OptionShape& option, const std::string& name, const Json& value, Call& call) {
    if (option.is_flag) {
        if (!value.is_boolean())
            throw WrongArgument{cat("'", name, "' is true or false")};
        if (value.get<bool>())
            call.words.push_back("--" + option.name);
        return;
    }
    if (value.is_array() && !option.is_list)
        throw WrongArgument{cat("'", name, "' is one value, not a list")};
    for (const Json& each : value.is_array() ? value : Json::array({value}))
        call.words.push_back(cat("--", option.name, "=", word_of(name, each)));
}

// The others compile for a target, or predict for it.
bool runs_kernels(const VerbShape& verb) {
    static const std::set<std::string> verbs = {"bench", "model_bench", "model_compare", "model_run",
                                                "run",   "try",         "tune",          "compare"};
    return has(verb, "target") && verbs.contains(tool_name(verb));
}

// Where it says nothing, or leaves the choice to the machine, it is the best place that is permitted.
void choose_target(const VerbShape& verb, const Json& arguments, const Devices& devices, Call& call) {
    if (!runs_kernels(verb))
        return;
    const auto given = arguments.find("target");
    const std::string target = given == arguments.end() ? "auto" : word_of("target", *given);
    if ((target == "cuda" && !devices.cuda) || (target == "cpu" && !devices.cpu))
        throw WrongArgument{
            cat("this server runs nothing on '", target, "': it was started without '--device ", target, "'")};
    if (target != "auto" || devices.cuda)
        return;
    std::erase(call.words, "--target=auto");
    call.words.push_back(devices.cpu ? "--target=cpu" : "--target=emulate");
}

std::string unknown(const VerbShape& verb, const std::string& name) {
    std::vector<std::string> known{max_tokens, max_seconds};
    for (const OptionShape& option : verb.options)
        known.push_back(argument_name(option));
    if (takes_text(verb))
        known.emplace_back(script_text);
    if (takes_other_text(verb))
        known.emplace_back(other_text);
    const std::string near = closest(name, known);
    return cat("'", tool_name(verb), "' has no argument '", name, "'",
               near.empty() ? cat("; it has ", join(known, ", ")) : cat("; did you mean '", near, "'?"));
}

} // namespace

std::string tool_name(const VerbShape& verb) {
    std::string name = join(verb.words, "_");
    std::ranges::replace(name, '-', '_');
    return name;
}

Json common_arguments() {
    return {{max_tokens, {{"type", "number"}, {"description", "of the answer (4000); 'more' has the rest"}}},
            {max_seconds, {{"type", "number"}, {"description", "of the call (120)"}}}};
}

Json tool_of(const VerbShape& verb) {
    Json properties = common_arguments();
    Json required = Json::array();
    for (const OptionShape& option : verb.options) {
        const std::string name = argument_name(option);
        properties[name] = schema_of(option);
        const bool can_be_text =
            option.name == "FILE" ? takes_text(verb) : option.name == "OTHER" && takes_other_text(verb);
        if (option.is_required && !can_be_text)
            required.push_back(name);
    }
    if (takes_text(verb))
        properties[script_text] = {{"type", "string"}, {"description", "the script itself, in the place of 'file'"}};
    if (takes_other_text(verb))
        properties[other_text] = {{"type", "string"}, {"description", "the other script, in the place of 'other'"}};
    return {{"name", tool_name(verb)},
            {"description", verb.what},
            {"inputSchema", {{"type", "object"}, {"properties", properties}, {"required", required}}}};
}

std::size_t characters_of(const Json& arguments) {
    return static_cast<std::size_t>(number_of(arguments, max_tokens, usual_tokens, most_tokens) * characters_per_token);
}

Call call_of(const VerbShape& verb, const Json& arguments, const Devices& devices) {
    Call call{
        verb.words, {}, {}, number_of(arguments, max_seconds, usual_seconds, most_seconds), characters_of(arguments)};
    std::vector<std::string> places;
    for (const auto& [name, value] : arguments.items()) {
        if (name == max_tokens || name == max_seconds || (name == script_text && takes_text(verb)) ||
            (name == other_text && takes_other_text(verb)))
            continue;
        const auto option = std::ranges::find(verb.options, name, argument_name);
        if (option == verb.options.end())
            throw WrongArgument{unknown(verb, name)};
        if (!option->is_positional)
            add_option(*option, name, value, call);
    }
    for (const OptionShape& option : verb.options)
        if (const auto found = arguments.find(argument_name(option)); option.is_positional && found != arguments.end())
            for (const Json& each : found->is_array() ? *found : Json::array({*found}))
                places.push_back(word_of(argument_name(option), each));
    const auto text = arguments.find(script_text);
    if (text != arguments.end() && takes_text(verb)) {
        if (arguments.contains("file") || !text->is_string())
            throw WrongArgument{"'text' is a string, in the place of 'file'"};
        call.input = text->get<std::string>();
        places.emplace(places.begin(), "-");
    } else if (std::ranges::find(places, "-") != places.end()) {
        throw WrongArgument{"'-' is no file here: give the script as 'text'"};
    }
    if (const auto other = arguments.find(other_text); other != arguments.end()) {
        if (arguments.contains("other") || !other->is_string() || other->get<std::string>().empty())
            throw WrongArgument{"'other_text' is a string, in the place of 'other'"};
        call.other = other->get<std::string>();
    }
    choose_target(verb, arguments, devices, call);
    if (!places.empty())
        call.words.emplace_back("--");
    call.words.insert(call.words.end(), places.begin(), places.end());
    return call;
}

} // namespace hidet::mcp
