// SPDX-License-Identifier: Apache-2.0
#include "app/mcp/answers.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::mcp {

static constexpr std::size_t most_kept = 32;

static std::string beginning_of(const std::string& text, std::size_t from, std::size_t characters,
                                const std::string& handle, const std::string& at) {
    if (text.size() - from <= characters)
        return text.substr(from);
    std::size_t end = text.rfind('\n', from + characters);
    end = end == std::string::npos || end <= from ? from + characters : end + 1;
    return cat(text.substr(from, end - from), "[", text.size() - end, " more bytes: more(handle='", handle, "', at='",
               at, "', from=", end, ")]");
}

std::string Answers::keep(Json document) {
    const std::lock_guard lock(m_mutex);
    m_kept.push_back({cat("a", ++m_count), std::make_shared<const Json>(std::move(document))});
    if (m_kept.size() > most_kept)
        m_kept.pop_front();
    return m_kept.back().handle;
}

Json Answers::add(Json document, std::size_t characters) {
    Json short_one = bounded(document, characters);
    if (short_one == document)
        return document;
    const std::string handle = keep(std::move(document));
    return {{"handle", handle}, {"answer", std::move(short_one)}};
}

std::string Answers::add(std::string text, std::size_t characters) {
    return text.size() <= characters ? text : beginning_of(text, 0, characters, keep(text), "");
}

std::optional<std::string> Answers::more(const std::string& handle, const std::string& at, std::size_t from,
                                         std::size_t characters) const {
    std::shared_ptr<const Json> document;
    {
        const std::lock_guard lock(m_mutex);
        const auto found = std::ranges::find(m_kept, handle, &Kept::handle);
        if (found == m_kept.end())
            return std::nullopt;
        document = found->document;
    }
    const Json* place = document.get();
    try {
        place = &document->at(Json::json_pointer(at));
    } catch (const Json::exception&) {
        return std::nullopt;
    }
    if (from > (place->is_string() ? place->get_ref<const std::string&>().size() : place->size()))
        return std::nullopt;
    if (place->is_string())
        return beginning_of(place->get_ref<const std::string&>(), from, characters, handle, at);
    if (place->is_array())
        return bounded(Json(place->begin() + static_cast<std::ptrdiff_t>(from), place->end()), characters, at, from)
            .dump();
    return bounded(*place, characters, at).dump();
}

} // namespace hidet::mcp
