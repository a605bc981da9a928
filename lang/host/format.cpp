// SPDX-License-Identifier: Apache-2.0
// The format mini-language of f-strings, format(), str.format and the % operator.
#include <cmath>
#include <cstdio>

#include "lang/host/interpreter.h"
#include "lang/host/operators.h"

namespace hidet::lang {

namespace {

struct Spec {
    std::string fill = " "; // one code point
    char align = 0;         // < > = ^
    char sign = '-';
    bool alternate = false;
    bool zero_pad = false;
    std::int64_t width = 0;
    char grouping = 0;
    std::int64_t precision = -1;
    char type = 0;
};

constexpr std::int64_t largest_width = 1'000'000;

[[noreturn]] void invalid(std::string_view spec, std::string_view type, Span span) {
    fail(DiagId::BadFormat, span, cat("invalid format specifier '", spec, "' for object of type '", type, "'"));
}

Spec parse_spec(std::string_view text, std::string_view type, Span span) {
    Spec spec;
    std::size_t at = 0;
    auto is_align = [](char c) { return c == '<' || c == '>' || c == '=' || c == '^'; };
    std::size_t fill_size = text.empty() ? 0 : byte_offset(text, 1);
    if (fill_size > 0 && fill_size < text.size() && is_align(text[fill_size])) {
        spec.fill = text.substr(0, fill_size);
        spec.align = text[fill_size];
        at = fill_size + 1;
    } else if (!text.empty() && is_align(text[0])) {
        spec.align = text[at++];
    }
    auto number = [&](std::int64_t& out) {
        bool any = false;
        for (out = 0; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, any = true)
            out = std::min(out * 10 + (text[at] - '0'), largest_width + 1);
        if (out > largest_width)
            fail(DiagId::BadFormat, span, "width or precision of a format is too large");
        return any;
    };
    if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' '))
        spec.sign = text[at++];
    if (at < text.size() && text[at] == 'z')
        ++at;
    if (at < text.size() && text[at] == '#') {
        spec.alternate = true;
        ++at;
    }
    if (at < text.size() && text[at] == '0') {
        spec.zero_pad = true;
        ++at;
    }
    number(spec.width);
    if (at < text.size() && (text[at] == ',' || text[at] == '_'))
        spec.grouping = text[at++];
    if (at < text.size() && text[at] == '.') {
        ++at;
        if (!number(spec.precision))
            fail(DiagId::BadFormat, span, "format specifier missing precision");
    }
    if (at < text.size())
        spec.type = text[at++];
    if (at < text.size())
        invalid(text, type, span);
    return spec;
}

std::string repeated(const std::string& fill, std::int64_t count) {
    if (fill.size() == 1)
        return std::string(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), fill[0]);
    std::string out;
    for (std::int64_t i = 0; i < count; ++i)
        out += fill;
    return out;
}

std::string pad(const std::string& sign, const std::string& body, const Spec& spec, char default_align) {
    std::int64_t missing = spec.width - code_point_count(sign) - code_point_count(body);
    if (missing <= 0)
        return sign + body;
    bool zero = spec.zero_pad && !spec.align;
    char align = spec.align ? spec.align : zero ? '=' : default_align;
    std::string fill = zero || (spec.zero_pad && spec.fill == " ") ? "0" : spec.fill;
    switch (align) {
    case '<': return sign + body + repeated(fill, missing);
    case '^': return repeated(fill, missing / 2) + sign + body + repeated(fill, missing - missing / 2);
    case '=': return sign + repeated(fill, missing) + body;
    default: return repeated(fill, missing) + sign + body;
    }
}

// Separators between groups of digits, before the point or exponent. With zero padding the zeros are grouped too.
std::string group(const std::string& digits, char separator, std::size_t every, std::int64_t width) {
    if (!separator)
        return digits;
    std::size_t end = digits.find_first_of(".eE%");
    std::string whole = digits.substr(0, end), rest = end == std::string::npos ? "" : digits.substr(end);
    auto grouped = [&](const std::string& text) {
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (i > 0 && (text.size() - i) % every == 0)
                out += separator;
            out += text[i];
        }
        return out;
    };
    // Nearly as many zeros as the width wants at once, the last ones one by one.
    auto every_digits = static_cast<std::int64_t>(every);
    std::int64_t most =
        (width - static_cast<std::int64_t>(rest.size())) / (every_digits + 1) * every_digits - every_digits;
    if (most > static_cast<std::int64_t>(whole.size()))
        whole.insert(0, static_cast<std::size_t>(most) - whole.size(), '0');
    std::string out = grouped(whole);
    while (static_cast<std::int64_t>(out.size() + rest.size()) < width) {
        whole.insert(whole.begin(), '0');
        std::string wider = grouped(whole);
        if (static_cast<std::int64_t>(wider.size() + rest.size()) > width && wider[0] == '0' &&
            wider.size() > out.size() + 1 && static_cast<std::int64_t>(out.size() + rest.size()) >= width)
            break;
        out = wider;
    }
    return out + rest;
}

std::string sign_text(bool negative, const Spec& spec) {
    return negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

std::string with_printf(const char* format, std::int64_t precision, double value) {
    int size = std::snprintf(nullptr, 0, format, static_cast<int>(precision), value);
    std::string out(static_cast<std::size_t>(size) + 1, '\0');
    std::snprintf(out.data(), out.size(), format, static_cast<int>(precision), value);
    out.pop_back();
    return out;
}

std::string float_digits(double value, const Spec& spec, std::string_view whole_spec, Span span) {
    bool upper = spec.type == 'E' || spec.type == 'F' || spec.type == 'G';
    if (std::isnan(value) || std::isinf(value)) {
        std::string text = std::isnan(value) ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf";
        return spec.type == '%' ? text + "%" : text;
    }
    std::int64_t precision = spec.precision < 0 ? 6 : spec.precision;
    switch (spec.type) {
    case 'e': return with_printf(spec.alternate ? "%#.*e" : "%.*e", precision, value);
    case 'E': return with_printf(spec.alternate ? "%#.*E" : "%.*E", precision, value);
    case 'f':
    case 'F': return with_printf(spec.alternate ? "%#.*f" : "%.*f", precision, value);
    case 'g':
    case 'n': return with_printf(spec.alternate ? "%#.*g" : "%.*g", precision, value);
    case 'G': return with_printf(spec.alternate ? "%#.*G" : "%.*G", precision, value);
    case '%': return with_printf("%.*f", precision, value * 100) + "%";
    case 0: {
        if (spec.precision < 0)
            return python_float(value);
        std::string text = with_printf("%.*g", std::max<std::int64_t>(precision, 1), value);
        if (std::size_t e = text.find('e'); e != std::string::npos)
            return text;
        // As 'g', but at least one digit after the point, and an exponent where no digit is left for it.
        double magnitude = std::fabs(value);
        if (magnitude != 0 && std::floor(std::log10(magnitude)) >= static_cast<double>(precision - 1) &&
            text.find('.') == std::string::npos) {
            std::string scientific = with_printf("%.*e", std::max<std::int64_t>(precision - 1, 0), value);
            std::size_t e = scientific.find('e');
            std::string mantissa = scientific.substr(0, e);
            while (mantissa.find('.') != std::string::npos && (mantissa.back() == '0' || mantissa.back() == '.'))
                mantissa.pop_back();
            return mantissa + scientific.substr(e);
        }
        return text.find('.') == std::string::npos ? text + ".0" : text;
    }
    default: break;
    }
    fail(DiagId::BadFormat, span,
         cat("unknown format code '", std::string(1, spec.type), "' for object of type 'float'"));
    (void)whole_spec;
}

std::string format_float(double value, const Spec& spec, std::string_view text, Span span) {
    bool negative = std::signbit(value) && !std::isnan(value);
    std::string digits = float_digits(std::fabs(value), spec, text, span);
    std::string sign = sign_text(negative, spec);
    bool zero = spec.zero_pad && !spec.align;
    digits = group(digits, spec.grouping, 3, zero ? spec.width - static_cast<std::int64_t>(sign.size()) : 0);
    return pad(sign, digits, spec, '>');
}

std::string int_digits(std::uint64_t magnitude, unsigned base, bool upper) {
    const char* alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    std::string out;
    do
        out.insert(out.begin(), alphabet[magnitude % base]);
    while (magnitude /= base);
    return out;
}

std::string format_int(std::int64_t value, const Spec& spec, std::string_view text, std::string_view type, Span span) {
    if (spec.type == 'e' || spec.type == 'E' || spec.type == 'f' || spec.type == 'F' || spec.type == 'g' ||
        spec.type == 'G' || spec.type == '%')
        return format_float(static_cast<double>(value), spec, text, span);
    if (spec.precision >= 0)
        fail(DiagId::BadFormat, span, "precision not allowed in integer format specifier");
    if (spec.type == 'c') {
        std::string out;
        if (value < 0 || value > 0x10FFFF)
            fail(DiagId::BadValue, span, "%c arg not in range(0x110000)");
        append_code_point(out, static_cast<char32_t>(value));
        return pad("", out, spec, '<');
    }
    unsigned base = 10;
    std::string prefix;
    switch (spec.type) {
    case 0:
    case 'd':
    case 'n': break;
    case 'b': base = 2, prefix = "0b"; break;
    case 'o': base = 8, prefix = "0o"; break;
    case 'x': base = 16, prefix = "0x"; break;
    case 'X': base = 16, prefix = "0X"; break;
    default:
        fail(DiagId::BadFormat, span,
             cat("unknown format code '", std::string(1, spec.type), "' for object of type '", type, "'"));
    }
    std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    std::string sign = sign_text(value < 0, spec) + (spec.alternate ? prefix : "");
    bool zero = spec.zero_pad && !spec.align;
    std::string digits = group(int_digits(magnitude, base, spec.type == 'X'), spec.grouping, base == 10 ? 3 : 4,
                               zero ? spec.width - static_cast<std::int64_t>(sign.size()) : 0);
    return pad(sign, digits, spec, '>');
}

std::string format_str(const std::string& value, const Spec& spec, Span span) {
    if (spec.type != 0 && spec.type != 's')
        fail(DiagId::BadFormat, span,
             cat("unknown format code '", std::string(1, spec.type), "' for object of type 'str'"));
    if (spec.align == '=')
        fail(DiagId::BadFormat, span, "'=' alignment not allowed in string format specifier");
    if (spec.sign != '-')
        fail(DiagId::BadFormat, span, "sign not allowed in string format specifier");
    std::string body = spec.precision < 0 ? value : value.substr(0, byte_offset(value, spec.precision));
    Spec left = spec;
    if (!left.align && left.zero_pad)
        left.align = '<';
    return pad("", body, left, '<');
}

// Digits are made one by one, and groups of them several times.
void charge_width(Evaluator& evaluator, const Spec& spec, Span span) {
    const std::int64_t digits = spec.width + std::max<std::int64_t>(spec.precision, 0);
    evaluator.impl().charge_items(static_cast<std::uint64_t>(digits) * (spec.grouping ? 17 : 4), span);
}

} // namespace

std::string format_value(Evaluator& evaluator, const Value& value, std::string_view text, Span span) {
    evaluator.charge_steps(cost::formatting, span);
    if (value.is(ValueKind::Str)) // copied several times
        evaluator.impl().charge_items(value.as_str().size() / 4, span);
    if (value.is(ValueKind::Unknown))
        return "<unknown>";
    if (value.is(ValueKind::Instance))
        if (auto result = evaluator.impl().call_method(value, "__format__", {Value::str(std::string(text))}, span);
            result && result->is(ValueKind::Str))
            return result->as_str();
    if (text.empty())
        return evaluator.str(value);
    std::string type = type_name(value);
    Spec spec = parse_spec(text, type, span);
    charge_width(evaluator, spec, span);
    switch (value.kind()) {
    case ValueKind::Bool:
        if (spec.type == 0 || spec.type == 's')
            return format_str(value.as_bool() ? "True" : "False", spec, span);
        [[fallthrough]];
    case ValueKind::Int: return format_int(value.as_int(), spec, text, type, span);
    case ValueKind::Float: return format_float(value.as_double(), spec, text, span);
    case ValueKind::Str: return format_str(value.as_str(), spec, span);
    case ValueKind::Tensor:
        if (value.as_tensor()->count() == 1)
            return format_value(evaluator, evaluator.call_method(value, "item", span), text, span);
        break;
    default: break;
    }
    fail(DiagId::BadFormat, span, cat("unsupported format string '", text, "' for object of type '", type, "'"));
}

// ---- 'a %d' % x ---------------------------------------------------------------------------------------------------

std::string percent_format(Evaluator& evaluator, std::string_view format, const Value& args, Span span) {
    std::string out;
    evaluator.impl().charge_items(format.size(), span);
    std::size_t next = 0, at = 0;
    bool is_tuple = args.is(ValueKind::Tuple), used_mapping = false;
    auto argument = [&]() -> Value {
        if (is_tuple ? next >= args.items().size() : next > 0)
            fail(DiagId::BadType, span, "not enough arguments for format string");
        return is_tuple ? args.items()[next++] : (++next, args);
    };
    while (at < format.size()) {
        if (format[at] != '%') {
            out += format[at++];
            continue;
        }
        if (++at == format.size())
            fail(DiagId::BadFormat, span, "incomplete format");
        if (format[at] == '%') {
            out += format[at++];
            continue;
        }
        std::optional<Value> value;
        if (format[at] == '(') {
            std::size_t close = format.find(')', at);
            if (close == std::string_view::npos)
                fail(DiagId::BadFormat, span, "incomplete format key");
            if (!args.is(ValueKind::Dict))
                fail(DiagId::BadType, span, "format requires a mapping");
            value =
                evaluator.subscript(args, Value::str(std::string(format.substr(at + 1, close - at - 1))), span, span);
            used_mapping = true;
            at = close + 1;
        }
        Spec spec;
        for (; at < format.size() && std::string_view("-+ #0").find(format[at]) != std::string_view::npos; ++at) {
            if (format[at] == '-')
                spec.align = '<';
            else if (format[at] == '+' || (format[at] == ' ' && spec.sign != '+'))
                spec.sign = format[at];
            else if (format[at] == '#')
                spec.alternate = true;
            else if (format[at] == '0')
                spec.zero_pad = true;
        }
        auto number = [&](std::int64_t& target) {
            if (at < format.size() && format[at] == '*') {
                ++at;
                Value star = argument();
                if (!star.is(ValueKind::Int))
                    fail(DiagId::BadType, span, "* wants int");
                target = star.as_int();
                if (target < 0) {
                    spec.align = '<';
                    target = -target;
                }
            } else {
                for (target = 0; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at)
                    target = std::min(target * 10 + (format[at] - '0'), largest_width + 1);
            }
            if (target > largest_width)
                fail(DiagId::BadFormat, span, "width or precision of a format is too large");
        };
        number(spec.width);
        if (at < format.size() && format[at] == '.') {
            ++at;
            number(spec.precision);
        }
        while (at < format.size() && (format[at] == 'l' || format[at] == 'h' || format[at] == 'L'))
            ++at;
        if (at == format.size())
            fail(DiagId::BadFormat, span, "incomplete format");
        char type = format[at++];
        charge_width(evaluator, spec, span);
        if (!value)
            value = argument();
        if (value->is(ValueKind::Unknown)) {
            out += "<unknown>";
            continue;
        }
        if (spec.align == '<')
            spec.zero_pad = false;
        switch (type) {
        case 's':
        case 'r':
        case 'a': {
            evaluator.charge_steps(cost::formatting, span);
            if (value->is(ValueKind::Str))
                evaluator.impl().charge_items(value->as_str().size() / 4, span);
            Spec text = spec;
            text.sign = '-';
            text.zero_pad = false;
            if (!text.align)
                text.align = '>';
            out += format_str(type == 's' ? evaluator.str(*value) : evaluator.repr(*value), text, span);
            break;
        }
        case 'c':
            if (value->is(ValueKind::Str))
                out += format_str(value->as_str(), spec, span);
            else {
                spec.type = 'c';
                out += format_int(value->as_int(), spec, "c", "int", span);
            }
            break;
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o': {
            if (!value->is_number() || (value->is(ValueKind::Float) && (type == 'x' || type == 'X' || type == 'o')))
                fail(DiagId::BadType, span,
                     cat("%", std::string(1, type), " format: a number is required, not ", type_name(*value)));
            spec.type = type == 'i' || type == 'u' ? 'd' : type;
            double real = value->as_double();
            if (value->is(ValueKind::Float) && !(std::fabs(real) < 9.2e18))
                fail(DiagId::BadValue, span, "cannot convert float to an integer of 64 bits");
            std::int64_t whole = value->is(ValueKind::Float) ? static_cast<std::int64_t>(real) : value->as_int();
            if (spec.precision >= 0) { // at least so many digits
                std::string digits =
                    int_digits(whole < 0 ? 0 - static_cast<std::uint64_t>(whole) : static_cast<std::uint64_t>(whole),
                               spec.type == 'd'   ? 10
                               : spec.type == 'o' ? 8
                                                  : 16,
                               spec.type == 'X');
                if (static_cast<std::int64_t>(digits.size()) < spec.precision)
                    digits.insert(0, static_cast<std::size_t>(spec.precision) - digits.size(), '0');
                Spec plain = spec;
                plain.zero_pad = false;
                out += pad(sign_text(whole < 0, spec), digits, plain, '>');
            } else {
                out += format_int(whole, spec, "d", "int", span);
            }
            break;
        }
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            if (!value->is_number())
                fail(DiagId::BadType, span, cat("must be real number, not ", type_name(*value)));
            spec.type = type;
            out += format_float(value->as_double(), spec, "f", span);
            break;
        default: fail(DiagId::BadFormat, span, cat("unsupported format character '", std::string(1, type), "'"));
        }
    }
    if (!used_mapping && (is_tuple ? next < args.items().size() : next == 0 && !args.is(ValueKind::Dict)))
        fail(DiagId::BadType, span, "not all arguments converted during string formatting");
    return out;
}

// ---- 'a {}'.format(x) ---------------------------------------------------------------------------------------------

namespace {

class BraceFormatter {
public:
    BraceFormatter(Evaluator& evaluator, const Args& args, Span span)
        : m_evaluator(evaluator), m_args(args), m_span(span) {}

    std::string run(std::string_view format, int depth) {
        std::string out;
        std::size_t at = 0;
        while (at < format.size()) {
            char c = format[at];
            bool doubled = at + 1 < format.size() && format[at + 1] == c;
            if ((c == '{' || c == '}') && doubled) {
                out += c;
                at += 2;
            } else if (c == '}') {
                fail(DiagId::BadFormat, m_span, "single '}' encountered in format string");
            } else if (c == '{') {
                std::size_t end = matching(format, at);
                out += field(format.substr(at + 1, end - at - 1), depth);
                at = end + 1;
            } else {
                out += c;
                ++at;
            }
        }
        return out;
    }

private:
    std::size_t matching(std::string_view format, std::size_t open) {
        int depth = 0;
        for (std::size_t i = open; i < format.size(); ++i) {
            if (format[i] == '{')
                ++depth;
            else if (format[i] == '}' && --depth == 0)
                return i;
        }
        fail(DiagId::BadFormat, m_span, "single '{' encountered in format string");
    }

    std::string field(std::string_view text, int depth) {
        if (depth > 1)
            fail(DiagId::BadFormat, m_span, "format fields are nested too deeply");
        std::size_t brackets = 0, end = 0;
        for (; end < text.size(); ++end) {
            if (text[end] == '[')
                ++brackets;
            else if (text[end] == ']' && brackets > 0)
                --brackets;
            else if (brackets == 0 && (text[end] == '!' || text[end] == ':'))
                break;
        }
        Value value = lookup(text.substr(0, end));
        char conversion = 0;
        if (end < text.size() && text[end] == '!') {
            conversion = end + 1 < text.size() ? text[end + 1] : 0;
            end += 2;
        }
        std::string spec = end < text.size() && text[end] == ':' ? run(text.substr(end + 1), depth + 1) : "";
        if (conversion == 'r' || conversion == 'a')
            value = Value::str(m_evaluator.repr(value));
        else if (conversion == 's')
            value = Value::str(m_evaluator.str(value));
        return format_value(m_evaluator, value, spec, m_span);
    }

    Value lookup(std::string_view path) {
        std::size_t end = path.find_first_of(".[");
        Value value = first(path.substr(0, end));
        while (end != std::string_view::npos && end < path.size()) {
            if (path[end] == '.') {
                std::size_t stop = path.find_first_of(".[", end + 1);
                value = m_evaluator.attribute(
                    value, path.substr(end + 1, stop == std::string_view::npos ? stop : stop - end - 1), m_span);
                end = stop;
            } else {
                std::size_t close = path.find(']', end);
                if (close == std::string_view::npos)
                    fail(DiagId::BadFormat, m_span, "expected ']' in a format field");
                std::string_view key = path.substr(end + 1, close - end - 1);
                value = m_evaluator.subscript(
                    value, is_number(key) ? Value::integer(to_int(key)) : Value::str(std::string(key)), m_span, m_span);
                end = close + 1;
            }
        }
        return value;
    }

    Value first(std::string_view name) {
        if (name.empty() || is_number(name)) {
            std::size_t index = name.empty() ? m_next++ : static_cast<std::size_t>(to_int(name));
            if (index >= m_args.positional.size())
                fail(DiagId::IndexOutOfRange, m_span, "replacement", index, m_args.positional.size());
            return m_args.positional[index];
        }
        for (const auto& [key, value] : m_args.keywords)
            if (key == name)
                return value;
        throw HostError(Diagnostic::make(DiagId::KeyNotFound, m_span, quote(name)), {Value::str(std::string(name))});
    }

    static bool is_number(std::string_view text) {
        return !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string_view::npos;
    }
    static std::int64_t to_int(std::string_view text) {
        std::int64_t out = 0;
        for (char c : text)
            out = out * 10 + (c - '0');
        return out;
    }

    Evaluator& m_evaluator;
    const Args& m_args;
    Span m_span;
    std::size_t m_next = 0;
};

} // namespace

std::string brace_format(Evaluator& evaluator, std::string_view format, const Args& args, Span span) {
    return BraceFormatter(evaluator, args, span).run(format, 0);
}

} // namespace hidet::lang
