// SPDX-License-Identifier: Apache-2.0
#include "app/mcp/resources.h"

#include <nlohmann/json.hpp>

#include "app/mcp/server.h"
#include "app/session/live/manual.h"
#include "app/session/tools/doctor.h"
#include "lang/base/text.h"

namespace hidet::mcp {

namespace {

namespace assist = session::assist;

constexpr std::string_view guide = "hidet://guide", machines = "hidet://machines", manual = "hidet://manual/";

Json row(std::string uri, const std::string& name, const std::string& what) {
    return {{"uri", std::move(uri)}, {"name", name}, {"description", what}, {"mimeType", "text/markdown"}};
}

std::string text_of_machines() {
    std::string out = "# Machines that predictions are made for\n";
    for (const session::MachineView& machine : session::known_machines()) {
        out += cat("\n## ", machine.id, ": ", machine.name, "\n\n");
        for (const artifact::SpecRow& fact : machine.rows)
            out += cat("- ", fact.what, ": ", fact.value, "\n");
    }
    return out;
}

// A page, or the section that explains a word.
std::optional<Resource> text_of_manual(const std::string& name) {
    assist::ManualPlace place;
    if (const assist::ManualPage* page = assist::manual_page(name))
        place.page = page->name;
    else if (const auto places = assist::manual_places(name); !places.empty())
        place = places.front();
    else
        return std::nullopt;
    return Resource{assist::manual_section(place)};
}

} // namespace

Json all_resources() {
    Json out = Json::array({row(std::string(guide), "guide", "how to write and to mend kernels with these tools"),
                            row(std::string(machines), "machines", "the GPUs that times are predicted for")});
    for (const assist::ManualPage& page : assist::manual_pages())
        out.push_back(row(cat(manual, page.name), page.name, page.title));
    return out;
}

Json resource_templates() {
    return Json::array({{{"uriTemplate", "hidet://manual/{word}"},
                         {"name", "manual"},
                         {"description", "the section that explains a word of the language or the id of a message"},
                         {"mimeType", "text/markdown"}}});
}

std::optional<Resource> read_resource(const std::string& uri) {
    if (uri == guide)
        return Resource{agent_guide()};
    if (uri == machines)
        return Resource{text_of_machines()};
    return uri.starts_with(manual) ? text_of_manual(uri.substr(manual.size())) : std::nullopt;
}

} // namespace hidet::mcp
