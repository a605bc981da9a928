// SPDX-License-Identifier: Apache-2.0
// The manual has every word of the language, and its index leads to sections that exist.
#include <doctest/doctest.h>
#include <map>
#include <string>

#include "compiler/ir/dtype.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"
#include "lang/service/catalog.h"
#include "lang/service/manual.h"
#include "tests/unit/service/analysed.h"

using namespace hidet;
using namespace hidet::lang::service;

namespace {

void nothing_lacks(const std::vector<std::string>& found) {
    REQUIRE(join(found, "\n    ") == std::string());
}

std::vector<std::string> without_place(const std::vector<std::string>& words) {
    std::vector<std::string> out;
    for (const std::string& word : words)
        if (manual_places(word).empty())
            out.push_back(word);
    return out;
}

ManualPlace place_at(const std::string& script, std::string_view word) {
    ReadRequest request;
    request.text = script;
    request.name = "x.py";
    return manual_at(*test::analysed(std::move(request)), static_cast<std::uint32_t>(script.rfind(word) + 1));
}

} // namespace

TEST_CASE("every keyword has a place in the manual") {
    nothing_lacks(without_place({
#define KEYWORD(name, spelling) spelling,
#include "lang/parse/tokens.def"
    }));
}

TEST_CASE("every data type, under both of its names, and every intrinsic has a place in the manual") {
    std::vector<std::string> words;
    for (const ir::DTypeInfo& dtype : ir::all_dtypes())
        words.insert(words.end(), {dtype.name, dtype.short_name});
    for (const ir::IntrinsicInfo& row : ir::all_intrinsics())
        words.emplace_back(row.short_name());
    nothing_lacks(without_place(words));
}

TEST_CASE("every name of every module, and every method, has a place in the manual") {
    std::map<std::string, std::string> paths; // a name that several modules have is told once
    for (const auto& [path, entry] : Catalog::get().entries())
        if (!manual_place_of(path).known())
            paths.emplace(entry.name, path);
    std::vector<std::string> found;
    for (const auto& [name, path] : paths)
        found.push_back(path);
    nothing_lacks(found);
}

TEST_CASE("every diagnostic has a place in the manual") {
    nothing_lacks(without_place({
#define HIDET_DIAGNOSTIC(Name, id, severity, text) id,
#include "lang/base/diagnostics.def"
#undef HIDET_DIAGNOSTIC
    }));
}

TEST_CASE("every place is a section that explains its word") {
    std::vector<std::string> found;
    for (const ManualPage& page : manual_pages())
        for (const std::string& line : split(page.text, '\n'))
            if (line.starts_with("| `") && page.name == "index")
                for (const ManualPlace& place : manual_places(line.substr(3, line.find("` |") - 3)))
                    if (const std::string text = manual_section(place); text.size() < 20 || !text.starts_with('#'))
                        found.push_back(cat(place.word, " in ", place.page, "#", place.anchor));
    nothing_lacks(found);
}

TEST_CASE("a section has the row of its word and not those of others") {
    const ManualPlace place = manual_place_of("hidet.lang.cuda.syncthreads_or");
    REQUIRE(place.page == "threads");
    const std::string text = manual_section(place);
    REQUIRE(text.find("cuda.syncthreads_or") != std::string::npos);
    REQUIRE(text.find("cuda.barrier_sync") == std::string::npos);
    REQUIRE(text.find("```python") != std::string::npos);
}

TEST_CASE("long tables are cut for a window, and a word's own row is never cut off") {
    ManualPlace python;
    python.page = "python";
    const std::string page = manual_section(python, 10);
    REQUIRE(page.find("more, which the search finds by name.") != std::string::npos);
    REQUIRE(page.size() < manual_section(python).size() / 2);
    REQUIRE(manual_section(manual_place_of("builtins.zip"), 1).find("builtins.zip") != std::string::npos);
}

TEST_CASE("a word at a place of a script is what the name means there") {
    const std::string script =
        "import torch\nfrom hidet.lang.cuda import syncthreads as wait\nx = torch.relu(x)\nmine = 1\nwait\nmine\nfor\n";
    REQUIRE(place_at(script, "relu").word == "Tensor.relu"); // torch's functions of tensors are methods as well
    REQUIRE(place_at(script, "wait").word == "syncthreads");
    REQUIRE(!place_at(script, "mine").known());
    REQUIRE(place_at(script, "for").page == "statements");
}

TEST_CASE("a misspelt word has a suggestion, and a name of a module is found by its end") {
    REQUIRE(manual_suggestion("syncthread") == "syncthreads");
    REQUIRE(manual_suggestion("lodmatrix") == "ldmatrix");
    REQUIRE(manual_places("cat").front().word == "torch.cat");
}
