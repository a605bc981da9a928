// SPDX-License-Identifier: Apache-2.0
// name=[dtype][shape][:fill], name=value, name=file.npy
#include <algorithm>

#include "app/session/kernel_bench/kernel_bench.h"
#include "compiler/ir/dtype.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

Error wrong(std::string_view text, const std::string& why) {
    return {"argument-text", cat("'", text, "': ", why)};
}

std::string trimmed(std::string_view text) {
    std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
    return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

bool is_extent(const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(),
                                        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// "[64, m]"; false: it is no shape.
bool read_shape(std::string_view text, std::vector<std::string>& shape) {
    for (const std::string& part : split(text, ',')) {
        shape.push_back(trimmed(part));
        if (!is_extent(shape.back()))
            return false;
    }
    return true;
}

Result<void> read_fill(std::string_view text, const std::string& word, ArgumentSpec& spec) {
    if (word.ends_with(".npy")) {
        spec.fill = Fill::File;
        spec.file = word;
        return {};
    }
    std::optional<Fill> fill = find_fill(word);
    if (fill && *fill != Fill::File) {
        spec.fill = *fill;
        return {};
    }
    std::vector<std::string> names;
    for (const FillInfo& info : all_fills())
        if (info.fill != Fill::File)
            names.push_back(info.name);
    return wrong(text, cat("'", word, "' is not a fill; choose ", join(names, ", "), ", or the name of a .npy file"));
}

Result<void> read_type(std::string_view text, std::string_view type, ArgumentSpec& spec) {
    std::size_t bracket = type.find('[');
    spec.dtype = trimmed(type.substr(0, bracket));
    if (!spec.dtype.empty() && !ir::find_dtype(spec.dtype))
        return wrong(text, cat("'", spec.dtype, "' is not a data type"));
    if (bracket == std::string_view::npos)
        return {};
    std::string rest = trimmed(type.substr(bracket));
    if (rest.back() != ']' || !read_shape(std::string_view(rest).substr(1, rest.size() - 2), spec.shape))
        return wrong(text, cat("'", rest, "' is not a shape, such as '[64, m]'"));
    return {};
}

} // namespace

const std::vector<FillInfo>& all_fills() {
    static const std::vector<FillInfo> fills = {
#define HIDET_FILL(name, text, summary) {Fill::name, text, summary},
#include "app/session/kernel_bench/fills.def"
    };
    return fills;
}

std::optional<Fill> find_fill(std::string_view name) {
    for (const FillInfo& info : all_fills())
        if (info.name == name)
            return info.fill;
    return std::nullopt;
}

const char* verdict_name(VerdictKind kind) {
    switch (kind) {
    case VerdictKind::Correct: return "correct";
    case VerdictKind::Wrong: return "wrong";
    case VerdictKind::Invalid: return "invalid";
    case VerdictKind::Unchecked: return "unchecked";
    case VerdictKind::Failed: return "failed";
    }
    return "";
}

Result<ArgumentSpec> parse_argument(std::string_view text) {
    ArgumentSpec spec;
    std::size_t equals = text.find('=');
    spec.name = trimmed(text.substr(0, equals));
    if (equals == std::string_view::npos || !is_extent(spec.name))
        return wrong(text, "an argument is written 'a=f32[64, 80]:random', 'a=data.npy' or 'n=64'");
    std::string rest = trimmed(text.substr(equals + 1));
    if (rest.empty())
        return wrong(text, "nothing stands behind the '='");
    bool is_file = rest.ends_with(".npy");
    std::size_t colon = rest.find(':');
    if (is_file && (colon == std::string::npos || (rest.find('[') == std::string::npos && colon > 0))) {
        HIDET_TRY_TO(read_fill(text, rest, spec));
        return spec;
    }
    bool has_type = rest.find('[') != std::string::npos || ir::find_dtype(rest.substr(0, colon)).has_value();
    if (!has_type && colon == std::string::npos) {
        spec.value = rest;
        return spec;
    }
    HIDET_TRY_TO(read_type(text, std::string_view(rest).substr(0, colon), spec));
    if (colon != std::string::npos)
        HIDET_TRY_TO(read_fill(text, trimmed(std::string_view(rest).substr(colon + 1)), spec));
    return spec;
}

} // namespace hidet::session
