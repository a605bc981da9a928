// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/signatures.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

struct SignatureRow {
    std::string_view function, parameters;
};

constexpr SignatureRow signature_rows[] = {
#define HIDET_SIGNATURE(function, parameters) {function, parameters},
#include "compiler/graph/script/signatures.def"
};

// "True", "False" or an int.
Attribute default_of(std::string_view text) {
    if (text == "True" || text == "False")
        return text == "True";
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    HIDET_CHECK(error == std::errc() && end == text.data() + text.size(), std::string(text));
    return number;
}

// "theirs:ours = default"
CalledParameter parameter_of(const OpInfo& op, std::string_view text) {
    CalledParameter out;
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
        out.otherwise = default_of(trimmed(text.substr(equals + 1)));
        text = trimmed(text.substr(0, equals));
    }
    const std::size_t colon = text.find(':');
    out.name = text.substr(0, colon);
    const std::string_view own = colon == std::string_view::npos ? text : text.substr(colon + 1);
    const auto found = std::ranges::find(op.parameters, own, &Parameter::name);
    HIDET_CHECK(found != op.parameters.end(), cat(op.python, ": ", own));
    out.index = static_cast<std::size_t>(found - op.parameters.begin());
    return out;
}

Signature made_signature(const OpInfo& op) {
    Signature out;
    const auto row = std::ranges::find(signature_rows, std::string_view(op.python), &SignatureRow::function);
    out.is_own = row == std::end(signature_rows);
    std::optional<std::size_t> positional;
    if (!out.is_own)
        for (const std::string& text : split(std::string(row->parameters), ',')) {
            if (trimmed(text) == "*")
                positional = out.parameters.size();
            else
                out.parameters.push_back(parameter_of(op, trimmed(text)));
        }
    if (!out.is_own)
        out.positional = positional.value_or(out.parameters.size());
    for (std::size_t i = 0; i < op.parameters.size(); ++i)
        if (std::ranges::find(out.parameters, i, &CalledParameter::index) == out.parameters.end())
            out.parameters.push_back({i, op.parameters[i].name, {}});
    if (out.is_own)
        out.positional = out.parameters.size();
    return out;
}

std::map<OpId, Signature> all_signatures() {
    std::map<OpId, Signature> out;
    for (const OpInfo* op : all_ops())
        out.emplace(op->id, made_signature(*op));
    return out;
}

// The row's parameters, each with its kind and its default: "stride: ints = [1, 1]".
std::vector<std::string> texts_of(const OpInfo& op) {
    std::vector<std::string> out{""};
    int depth = 0;
    for (const char c : std::string_view(op.parameters.text())) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == ',' && depth == 0)
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

} // namespace

std::string text_of(const OpInfo& op, const Signature& signature) {
    const std::vector<std::string> texts = texts_of(op);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        if (i == signature.positional)
            out.emplace_back("*");
        const CalledParameter& each = signature.parameters[i];
        const std::string_view own = trimmed(texts[each.index]);
        const std::string_view rest = own.substr(op.parameters[each.index].name.size());
        const std::string_view kind = rest.substr(0, rest.find(" ="));
        out.push_back(cat(each.name, each.otherwise ? cat(kind, " = ", text_of(*each.otherwise)) : std::string(rest)));
    }
    return join(out, ", ");
}

const Signature& signature_of(const OpInfo& op) {
    static const std::map<OpId, Signature> known = all_signatures();
    const auto found = known.find(op.id);
    HIDET_CHECK(found != known.end(), op.python);
    return found->second;
}

} // namespace hidet::graph
