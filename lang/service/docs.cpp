// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "lang/service/catalog.h"

namespace hidet::lang::service {

namespace {

using Sentences = std::unordered_map<std::string_view, std::string_view>;

Sentences read_tables() {
    Sentences out;
#define HIDET_DOC(path, sentence) out.emplace(path, sentence);
#include "lang/service/docs.def"
#undef HIDET_DOC
    return out;
}

} // namespace

std::string_view documentation_of(std::string_view path) {
    static const Sentences sentences = read_tables();
    if (auto found = sentences.find(path); found != sentences.end())
        return found->second;
    std::size_t last = path.rfind('.');
    if (last == std::string_view::npos)
        return {};
    std::string_view name = path.substr(last);
    for (std::size_t dot = path.rfind('.', last - 1); dot != std::string_view::npos; dot = path.rfind('.', dot - 1)) {
        std::string outer = std::string(path.substr(0, dot)) + std::string(name);
        if (auto found = sentences.find(outer); found != sentences.end())
            return found->second;
        if (dot == 0)
            break;
    }
    return {};
}

} // namespace hidet::lang::service
