// SPDX-License-Identifier: Apache-2.0
#include "lang/script/format.h"

#include <string_view>

#include "compiler/ir/text/print.h"
#include "lang/base/print_format.h"

namespace hidet::lang {

namespace {

// What a place of the format takes: '*' an integer for the width or the precision, and then its own.
struct Wanted {
    std::string text;
    char letter = 0;
};

std::vector<Wanted> wanted_values(std::string_view format, Span span) {
    std::vector<Wanted> out;
    for (const PrintConversion& one : print_conversions(format)) {
        const std::string text(format.substr(one.begin, one.end - one.begin));
        if (one.letter == 0 || std::string_view("diuxXocfFeEgGaAps").find(one.letter) == std::string_view::npos)
            fail(DiagId::ScriptFormatUnknown, span, text);
        for (std::string_view digits : {std::string_view(one.width), std::string_view(one.precision)})
            if (digits != "*" && print_number(digits.substr(digits.starts_with('.'))) > widest_print)
                fail(DiagId::BadFormat, span, "width or precision of a format is too large");
        out.insert(out.end(), one.stars(), {"*", '*'});
        out.push_back({text, one.letter});
    }
    return out;
}

bool fits(char letter, const ir::TypeRef& type) {
    auto dtype = ir::scalar_of(type);
    bool is_float = dtype && ir::is_float(*dtype);
    bool is_integer = dtype && (ir::is_integer(*dtype) || ir::is_subbyte(*dtype));
    switch (letter) {
    case '*':
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'c': return is_integer;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return is_float;
    case 'p': return ir::is_pointer(type) || ir::as<ir::TensorType>(type);
    case 's': return ir::as<ir::StringType>(type) != nullptr;
    default: return false;
    }
}

} // namespace

void check_format(const std::string& format, Span span, const ir::ExprVec& values, const std::vector<Span>& spans,
                  DiagnosticSink& sink) {
    const std::vector<Wanted> wanted = wanted_values(format, span);
    if (wanted.size() != values.size() - 1)
        fail(DiagId::ScriptFormatCount, span, cat(wanted.size(), wanted.size() == 1 ? " value" : " values"),
             values.size() - 1);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!fits(wanted[i].letter, values[i + 1]->type))
            sink.report(DiagId::ScriptFormatType, i + 1 < spans.size() ? spans[i + 1] : span, wanted[i].text,
                        ir::to_string(values[i + 1]->type));
}

} // namespace hidet::lang
