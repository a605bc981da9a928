// SPDX-License-Identifier: Apache-2.0
// Every name of the language has a sentence, every sentence has a name, and every function says what it takes.
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <string_view>

#include "lang/base/text.h"
#include "lang/service/catalog.h"

using namespace hidet;
using namespace hidet::lang::service;

namespace {

struct Row {
    const char* path;
    const char* text;
};
constexpr Row sentences[] = {
#define HIDET_DOC(path, sentence) {path, sentence},
#define HIDET_TAKES(path, parameters)
#include "lang/service/docs.def"
#undef HIDET_DOC
#undef HIDET_TAKES
};
constexpr Row parameters[] = {
#define HIDET_DOC(path, sentence)
#define HIDET_TAKES(path, parameters) {path, parameters},
#include "lang/service/docs.def"
#undef HIDET_DOC
#undef HIDET_TAKES
};

void none(std::vector<std::string> found) {
    if (found.size() > 20)
        found.resize(20);
    REQUIRE(join(found, "\n    ") == std::string());
}

} // namespace

TEST_CASE("every name of the language has a sentence") {
    std::vector<std::string> found;
    for (const auto& [path, entry] : Catalog::get().entries())
        if (entry.documentation.empty())
            found.push_back(path);
    none(found);
}

TEST_CASE("every function says what it takes") {
    std::vector<std::string> found;
    for (const auto& [path, entry] : Catalog::get().entries())
        if (entry.is_callable && !entry.is_refused && !entry.knows_parameters)
            found.push_back(path);
    none(found);
}

TEST_CASE("every sentence is that of a name") {
    std::set<std::string> used;
    for (const auto& [path, entry] : Catalog::get().entries())
        used.insert(entry.documentation);
    std::vector<std::string> found;
    for (const Row& row : sentences)
        if (!used.contains(row.text))
            found.emplace_back(row.path);
    none(found);
}

TEST_CASE("no path stands twice, and no list of parameters is without use") {
    std::set<std::string> paths;
    std::vector<std::string> found;
    for (const Row& row : sentences)
        if (!paths.insert(row.path).second)
            found.emplace_back(row.path);
    std::set<std::string> used;
    for (const auto& [path, entry] : Catalog::get().entries())
        used.insert(join(entry.parameters, " "));
    for (const Row& row : parameters)
        if (!used.contains(row.text))
            found.emplace_back(row.path);
    none(found);
}

TEST_CASE("a sentence begins like one and ends with a period") {
    std::vector<std::string> found;
    for (const Row& row : sentences) {
        std::string_view text = row.text;
        bool fine = text.size() > 3 && text.back() == '.' && text.find('\n') == std::string_view::npos;
        if (!fine)
            found.emplace_back(row.path);
    }
    none(found);
}
