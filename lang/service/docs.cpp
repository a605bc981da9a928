// SPDX-License-Identifier: Apache-2.0
// The sentences of documentation, from docs.def and from the columns of other tables.
#include <algorithm>
#include <map>

#include "compiler/ir/intrinsics/mma.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"
#include "lang/service/catalog.h"

namespace hidet::lang::service {

namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

// Rows first: a call for each would be a template's instance for each pair of lengths.
struct Row {
    const char* path;
    const char* text;
};
constexpr Row sentence_rows[] = {
#define HIDET_DOC(path, sentence) {path, sentence},
#define HIDET_TAKES(path, parameters)
#include "lang/service/docs.def"
#undef HIDET_DOC
#undef HIDET_TAKES
#define HIDET_OPTION(name, kind, otherwise, effect)                                                                    \
    {"hidet.option." name, "Sets an option: " effect "."}, {"hidet.option.get_" name, "Reads an option: " effect "."},
#define HIDET_IDLE_OPTION(name, kind, otherwise, reason)                                                               \
    {"hidet.option." name, "Sets an option that changes nothing: " reason "."},                                        \
        {"hidet.option.get_" name, "Reads an option that changes nothing."},
#include "lang/host/options.def"
#undef HIDET_OPTION
#undef HIDET_IDLE_OPTION
};
constexpr Row parameter_rows[] = {
#define HIDET_DOC(path, sentence)
#define HIDET_TAKES(path, parameters) {path, parameters},
#include "lang/service/docs.def"
#undef HIDET_DOC
#undef HIDET_TAKES
#define HIDET_OPTION(name, kind, otherwise, effect) {"hidet.option." name, "value"},
#define HIDET_IDLE_OPTION(name, kind, otherwise, reason) {"hidet.option." name, "value"},
#include "lang/host/options.def"
#undef HIDET_OPTION
#undef HIDET_IDLE_OPTION
};
struct MathRow {
    const char* path;
    ir::IntrinsicId id;
};
constexpr MathRow math_rows[] = {
#define HIDET_SCRIPT_MATH(python, Id) {python, ir::IntrinsicId::Id},
#include "lang/script/math.def"
#undef HIDET_SCRIPT_MATH
};

Texts read_sentences() {
    Texts out;
    for (const Row& row : sentence_rows)
        out.emplace(row.path, row.text);
    for (const ir::IntrinsicInfo& row : ir::all_intrinsics())
        out.emplace(cat("hidet.", row.short_name()), row.sentence);
    for (const MathRow& row : math_rows)
        out.emplace(row.path, ir::info(row.id).sentence);
    for (const ir::MmaShape& s : ir::mma_shapes)
        out.emplace(cat("hidet.MmaConfig.", s.name),
                    cat("A product of tiles of ", s.m, " x ", s.k, " and ", s.k, " x ", s.n, " ",
                        ir::info(s.in).short_name, " values, added to ", ir::info(s.out).short_name, "."));
    return out;
}

std::string parameter_list(const ir::IntrinsicInfo& row) {
    return join(transformed<std::string>(row.parameters, &ir::IntrinsicParameter::name), " ");
}

Texts read_parameters() {
    Texts out;
    for (const Row& row : parameter_rows)
        out.emplace(row.path, row.text);
    for (const ir::IntrinsicInfo& row : ir::all_intrinsics())
        if (row.category == ir::IntrinsicCategory::Math)
            out.emplace(cat("hidet.", row.short_name()), parameter_list(row));
    return out;
}

const std::string* find(const Texts& texts, std::string_view path) {
    for (const std::string& name : documented_names(path))
        if (auto found = texts.find(name); found != texts.end())
            return &found->second;
    return nullptr;
}

} // namespace

std::vector<std::string> documented_names(std::string_view path) {
    std::vector<std::string> out{std::string(path)};
    std::vector<std::size_t> dots;
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1))
        dots.push_back(dot);
    constexpr std::size_t longest = 3; // attrs.cuda.grid_dim
    for (std::size_t first = dots.size() - std::min(longest, dots.size()); first < dots.size(); ++first)
        for (std::size_t outer = first + 1; outer-- > 0;) // threadIdx.x before x, the nearest module first
            out.push_back(cat(path.substr(0, dots[outer]), path.substr(dots[first])));
    if (dots.empty())
        return out;
    const std::string_view name = path.substr(dots.back() + 1);
    bool of_tensors = path.starts_with("torch.") || path.starts_with("hidet.ops.") || path.starts_with("hidet.graph.");
    if (of_tensors)
        for (const char* home : {"Tensor.", "hidet."}) // functions that are methods, and those that both have
            out.push_back(cat(home, name));
    return out;
}

std::string_view documentation_of(std::string_view path) {
    static const Texts sentences = read_sentences();
    const std::string* found = find(sentences, path);
    return found ? std::string_view(*found) : std::string_view();
}

std::optional<std::string> parameters_of(std::string_view path) {
    static const Texts parameters = read_parameters();
    const std::string* found = find(parameters, path);
    return found ? std::optional(*found) : std::nullopt;
}

} // namespace hidet::lang::service
