// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "runtime/tool/format.h"
#include "runtime/tool/model.h"
#include "runtime/tool/verbs.h"

namespace hidet::tool {

using nlohmann::json;

static std::string shape_text(const json& shape) {
    std::string text;
    for (const json& extent : shape)
        text += (text.empty() ? "" : ", ") + (extent.is_string() ? extent.get<std::string>() : extent.dump());
    return "[" + text + "]";
}

static void print_values(const char* role, const json& values) {
    for (const json& value : values)
        print(std::string("  ") + role + "  " + pad(value.value("name", ""), 16) + "  " + value.value("dtype", "") +
              shape_text(shape_of(value)));
}

static void print_target(const json& target) {
    std::string code;
    for (const json& each : target.value("code", json::array()))
        code += (code.empty() ? "" : ", ") + each.value("kind", "") + " " + each.value("architecture", "");
    print("  " + pad(target.value("target", ""), 6) + "  " + target.value("architecture", "") + ": " +
          counted(target.value("steps", 0ull), "step") + ", " + bytes_text(target.value("weightBytes", 0ull)) +
          " of weights, code: " + (code.empty() ? "none" : code));
}

static void print_description(const json& description) {
    print(description.value("name", "") + ": format " + std::to_string(description.value("format", 0)) +
          ", written by " + description.value("writer", "") +
          (description.value("signed", false) ? ", signed" : ", not signed"));
    for (const json& entry : description.value("entries", json::array())) {
        print("entry '" + entry.value("name", "") + "'");
        print_values("input ", entry.value("inputs", json::array()));
        print_values("output", entry.value("outputs", json::array()));
        for (const json& target : entry.value("targets", json::array()))
            print_target(target);
    }
    const json facts = description.value("facts", json::object());
    for (const auto& [name, value] : facts.items())
        print(name + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
    std::uint64_t bytes = 0;
    const json members = description.value("members", json::array());
    for (const json& member : members)
        bytes += member.value("bytes", 0ull);
    print(counted(members.size(), "member") + ", " + bytes_text(bytes));
}

void describe(const Arguments& arguments) {
    const runtime::Package package = open_package(arguments);
    if (arguments.json)
        return print(json::parse(package.describe()));
    print_description(json::parse(package.describe()));
}

void verify(const Arguments& arguments) {
    const runtime::Package package = open_package(arguments);
    take(package.verify());
    const bool is_signed = json::parse(package.describe()).value("signed", false);
    if (arguments.json)
        return print(json{{"fine", true}, {"signed", is_signed}, {"signedByKey", !arguments.key.empty()}});
    print(arguments.package + ": every checksum holds; " +
          (!arguments.key.empty() ? "signed with the key of " + arguments.key
           : is_signed            ? "signed, by whom was not asked (--key)"
                                  : "not signed"));
}

} // namespace hidet::tool
