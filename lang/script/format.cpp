// SPDX-License-Identifier: Apache-2.0
#include "lang/script/format.h"

#include <algorithm>
#include <string_view>

#include "compiler/ir/text/print.h"

namespace hidet::lang {

namespace {

struct Conversion {
    std::string text;
    char letter = 0; // '*' takes an int for the width
};

constexpr int widest = 500; // more than a line has, and what the emulator prints at most

// Where the digits of a width or a precision end.
std::size_t after_number(std::string_view format, std::size_t at, Span span) {
    int value = 0;
    for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at) {
        value = value * 10 + (format[at] - '0');
        if (value > widest)
            fail(DiagId::BadFormat, span, "width or precision of a format is too large");
    }
    return at;
}

std::vector<Conversion> conversions(std::string_view format, Span span) {
    std::vector<Conversion> out;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%')
            continue;
        std::size_t begin = i++;
        if (i < format.size() && format[i] == '%')
            continue;
        while (i < format.size() &&
               std::string_view("-+ #0123456789.*hlLjzt").find(format[i]) != std::string_view::npos) {
            if (format[i] == '*')
                out.push_back({"*", '*'});
            i = std::max(i + 1, after_number(format, i, span));
        }
        out.push_back({std::string(format.substr(begin, i + 1 - begin)), i < format.size() ? format[i] : '\0'});
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
    std::vector<Conversion> wanted = conversions(format, span);
    for (const Conversion& one : wanted)
        if (std::string_view("*diuxXocfFeEgGaAps").find(one.letter) == std::string_view::npos || one.letter == '\0')
            fail(DiagId::ScriptFormatUnknown, span, one.text);
    if (wanted.size() != values.size() - 1)
        fail(DiagId::ScriptFormatCount, span, cat(wanted.size(), wanted.size() == 1 ? " value" : " values"),
             values.size() - 1);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!fits(wanted[i].letter, values[i + 1]->type))
            sink.report(DiagId::ScriptFormatType, i + 1 < spans.size() ? spans[i + 1] : span, wanted[i].text,
                        ir::to_string(values[i + 1]->type));
}

} // namespace hidet::lang
