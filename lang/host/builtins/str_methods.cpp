// SPDX-License-Identifier: Apache-2.0
// Methods of str.
#include <algorithm>
#include <functional>

#include "lang/base/ascii.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/methods.h"
#include "lang/host/operators.h"
#include "lang/host/slices.h"

namespace hidet::lang {

namespace {

constexpr std::string_view blanks = " \t\n\r\f\v";

bool is_letter(char c) {
    return is_upper(c) || is_lower(c) || static_cast<unsigned char>(c) >= 0x80;
}

Value mapped(Evaluator& evaluator, const Value& self, const std::function<char(char, bool)>& map) {
    std::string out = self.as_str();
    bool after_letter = false;
    for (char& c : out) {
        char old = c;
        c = map(c, after_letter);
        after_letter = is_letter(old);
    }
    return evaluator.new_str(std::move(out));
}

// Latin, Greek and Cyrillic letters whose pairs lie at a fixed distance.
char32_t upper_code(char32_t c) {
    bool latin = c >= 0xE0 && c <= 0xFE && c != 0xF7, greek = c >= 0x3B1 && c <= 0x3C9 && c != 0x3C2;
    if ((c >= 'a' && c <= 'z') || latin || greek || (c >= 0x430 && c <= 0x44F))
        return c - 32;
    return c >= 0x450 && c <= 0x45F ? c - 80 : c;
}
char32_t lower_code(char32_t c) {
    bool latin = c >= 0xC0 && c <= 0xDE && c != 0xD7, greek = c >= 0x391 && c <= 0x3A9 && c != 0x3A2;
    if ((c >= 'A' && c <= 'Z') || latin || greek || (c >= 0x410 && c <= 0x42F))
        return c + 32;
    return c >= 0x400 && c <= 0x40F ? c + 80 : c;
}
template <char32_t (*map)(char32_t)>
Value with_case(Evaluator& evaluator, const Value& self, const Arguments&, Span) {
    std::u32string text = decode(self.as_str());
    for (char32_t& c : text)
        c = map(c);
    return evaluator.new_str(encode(text));
}
Value str_swapcase(Evaluator& evaluator, const Value& self, const Arguments&, Span) {
    return mapped(evaluator, self, [](char c, bool) { return is_upper(c) ? to_lower(c) : to_upper(c); });
}
Value str_title(Evaluator& evaluator, const Value& self, const Arguments&, Span) {
    return mapped(evaluator, self, [](char c, bool after_letter) { return after_letter ? to_lower(c) : to_upper(c); });
}
Value str_capitalize(Evaluator& evaluator, const Value& self, const Arguments&, Span) {
    bool first = true;
    return mapped(evaluator, self,
                  [&](char c, bool) { return std::exchange(first, false) ? to_upper(c) : to_lower(c); });
}

template <bool left, bool right>
Value stripped(Evaluator& evaluator, const Value& self, const Arguments& a, Span) {
    std::string_view text = self.as_str();
    std::string chars = a.str(0, blanks);
    std::size_t begin = left ? text.find_first_not_of(chars) : 0;
    if (begin == std::string_view::npos)
        return Value::str("");
    std::size_t end = right ? text.find_last_not_of(chars) : text.size() - 1;
    if (text.empty() || end == std::string_view::npos)
        return Value::str("");
    return evaluator.new_str(std::string(text.substr(begin, end - begin + 1)));
}

Value pieces(Evaluator& evaluator, const std::vector<std::string>& parts) {
    std::vector<Value> items;
    items.reserve(parts.size());
    for (const std::string& part : parts)
        items.push_back(evaluator.new_str(part));
    return evaluator.new_list(std::move(items));
}

template <bool from_right>
Value split_at(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    std::string text = self.as_str();
    std::int64_t limit = a.integer(1, -1);
    std::vector<std::string> parts;
    bool by_blank = !a.has(0);
    std::string separator = by_blank ? "" : a.str(0);
    if (!by_blank && separator.empty())
        fail(DiagId::BadValue, a.span(0), "empty separator");
    auto add = [&](std::string part) {
        evaluator.charge_steps(1, span);
        evaluator.impl().check_bytes((parts.size() + 1) * (sizeof part + sizeof(StrObject)), span);
        parts.push_back(std::move(part));
    };
    auto more = [&] { return limit < 0 || static_cast<std::int64_t>(parts.size()) < limit; };
    if (from_right) {
        while (true) {
            if (by_blank) {
                std::size_t last = text.find_last_not_of(blanks);
                text.resize(last == std::string::npos ? 0 : last + 1);
                if (text.empty())
                    break;
            }
            std::size_t at = !more() ? std::string::npos : by_blank ? text.find_last_of(blanks) : text.rfind(separator);
            if (at == std::string::npos) { // what is left; whole when the limit stopped it
                if (by_blank && more())
                    text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
                add(text);
                break;
            }
            add(text.substr(at + (by_blank ? 1 : separator.size())));
            text.resize(at);
        }
        std::ranges::reverse(parts);
        return pieces(evaluator, parts);
    }
    std::size_t at = 0;
    while (true) {
        if (by_blank) {
            at = text.find_first_not_of(blanks, at);
            if (at == std::string::npos)
                break;
        }
        std::size_t end = !more()    ? std::string::npos
                          : by_blank ? text.find_first_of(blanks, at)
                                     : text.find(separator, at);
        if (end == std::string::npos) {
            add(text.substr(at)); // whole when the limit stopped it
            break;
        }
        add(text.substr(at, end - at));
        at = end + (by_blank ? 1 : separator.size());
    }
    return pieces(evaluator, parts);
}

Value str_splitlines(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    bool keep = a.boolean(0, false);
    const std::string& text = self.as_str();
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.find_first_of("\r\n", at);
        std::size_t next = end == std::string::npos ? text.size() : end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
        evaluator.charge_steps(1, span);
        evaluator.impl().check_bytes((lines.size() + 1) * (sizeof(std::string) + sizeof(StrObject)), span);
        lines.push_back(text.substr(at, (keep ? next : std::min(end, text.size())) - at));
        at = next;
    }
    return pieces(evaluator, lines);
}

Value str_join(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    std::string out;
    std::size_t i = 0;
    for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
        want_known(item);
        if (!item.is(ValueKind::Str))
            fail(DiagId::BadType, a.span(0),
                 cat("sequence item ", i, ": expected str instance, ", type_name(item), " found"));
        evaluator.charge_steps(1, span);
        evaluator.impl().check_bytes(out.size() + self.as_str().size() + item.as_str().size(), span);
        if (i++ > 0)
            out += self.as_str();
        out += item.as_str();
    }
    return evaluator.new_str(std::move(out));
}

Value str_replace(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    const std::string &text = self.as_str(), &old = a.str(0), &fresh = a.str(1);
    std::int64_t left = a.integer(2, -1);
    std::string out;
    std::size_t at = 0;
    while (left != 0) {
        evaluator.charge_steps(1, span);
        std::size_t found = text.find(old, at);
        if (found == std::string::npos)
            break;
        if (old.empty()) {
            out += fresh;
            if (at >= text.size())
                break;
            std::size_t next = at + byte_offset(std::string_view(text).substr(at), 1);
            out.append(text, at, next - at);
            at = next;
        } else {
            out.append(text, at, found - at) += fresh;
            at = found + old.size();
        }
        evaluator.impl().check_bytes(out.size(), span);
        left -= left > 0 ? 1 : 0;
    }
    if (at < text.size())
        out += text.substr(at);
    return evaluator.new_str(std::move(out));
}

// The part of the text that start and end select, in bytes, and whether start lies inside.
struct Window {
    std::string_view text;
    std::size_t begin = 0;
    bool inside = true;
};
Window window_of(const std::string& text, const Arguments& a) {
    std::int64_t length = code_point_count(text);
    auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length); };
    std::int64_t start = a.integer(1, 0);
    std::int64_t first = place(start), last = place(a.integer(2, length));
    std::size_t begin = byte_offset(text, first), end = byte_offset(text, std::max(first, last));
    return {std::string_view(text).substr(begin, end - begin), begin, start <= length && first <= last};
}
std::int64_t found_at(const std::string& text, const Arguments& a, bool last) {
    Window window = window_of(text, a);
    if (!window.inside)
        return -1;
    std::size_t at = last ? window.text.rfind(a.str(0)) : window.text.find(a.str(0));
    return at == std::string_view::npos ? -1 : code_point_count(std::string_view(text).substr(0, window.begin + at));
}
template <bool last>
Value place_of(Evaluator&, const Value& self, const Arguments& a, Span) {
    return Value::integer(found_at(self.as_str(), a, last));
}
template <bool last>
Value index_or_fail(Evaluator&, const Value& self, const Arguments& a, Span span) {
    std::int64_t at = found_at(self.as_str(), a, last);
    if (at < 0)
        fail(DiagId::BadValue, span, "substring not found");
    return Value::integer(at);
}
Value str_count(Evaluator&, const Value& self, const Arguments& a, Span) {
    Window window = window_of(self.as_str(), a);
    const std::string& sub = a.str(0);
    if (!window.inside)
        return Value::integer(0);
    if (sub.empty())
        return Value::integer(code_point_count(window.text) + 1);
    std::int64_t count = 0;
    for (std::size_t at = window.text.find(sub); at != std::string_view::npos;
         at = window.text.find(sub, at + sub.size()))
        ++count;
    return Value::integer(count);
}

template <bool at_end>
Value affix(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    const char* name = at_end ? "endswith" : "startswith";
    Arguments a(args, span, name, {"prefix", "start=", "end="});
    Window window = window_of(self.as_str(), a);
    auto matches = [&](const Value& part) {
        if (!part.is(ValueKind::Str))
            fail(DiagId::BadType, a.span(0),
                 cat(name, " first arg must be str or a tuple of str, not ", type_name(part)));
        return window.inside &&
               (at_end ? window.text.ends_with(part.as_str()) : window.text.starts_with(part.as_str()));
    };
    if (!a[0].is(ValueKind::Tuple))
        return Value::boolean(matches(a[0]));
    evaluator.impl().charge_items(8 * a[0].items().size(), span);
    return Value::boolean(std::any_of(a[0].items().begin(), a[0].items().end(), matches));
}
Value str_removeprefix(Evaluator&, const Value& self, const Arguments& a, Span) {
    const std::string& text = self.as_str();
    return text.starts_with(a.str(0)) ? Value::str(text.substr(a.str(0).size())) : self;
}
Value str_removesuffix(Evaluator&, const Value& self, const Arguments& a, Span) {
    const std::string& text = self.as_str();
    return !a.str(0).empty() && text.ends_with(a.str(0)) ? Value::str(text.substr(0, text.size() - a.str(0).size()))
                                                         : self;
}

template <class F>
Value all_of(const Value& self, Args& args, Span span, const char* name, F&& test) {
    Arguments(args, span, name, {});
    const std::string& text = self.as_str();
    return Value::boolean(!text.empty() && std::ranges::all_of(text, test));
}
Value str_isdigit(Evaluator&, const Value& self, Args& args, Span span) {
    return all_of(self, args, span, "isdigit", is_digit);
}
Value str_isalpha(Evaluator&, const Value& self, Args& args, Span span) {
    return all_of(self, args, span, "isalpha", is_letter);
}
Value str_isalnum(Evaluator&, const Value& self, Args& args, Span span) {
    return all_of(self, args, span, "isalnum", [](char c) { return is_letter(c) || is_digit(c); });
}
Value str_isspace(Evaluator&, const Value& self, Args& args, Span span) {
    return all_of(self, args, span, "isspace", [](char c) { return blanks.find(c) != std::string_view::npos; });
}
template <bool (*is)(char), bool (*is_not)(char)>
Value is_all_of_case(Evaluator&, const Value& self, Args&, Span) {
    const std::string& text = self.as_str();
    return Value::boolean(std::ranges::any_of(text, is) && std::ranges::none_of(text, is_not));
}
Value str_isidentifier(Evaluator&, const Value& self, Args&, Span) {
    const std::string& text = self.as_str();
    return Value::boolean(!text.empty() && !is_digit(text[0]) &&
                          std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; }));
}

template <char align>
Value justified(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    const char* name = align == '<' ? "ljust" : align == '>' ? "rjust" : "center";
    Arguments a(args, span, name, {"width", "fillchar="});
    std::int64_t missing = a.integer(0) - code_point_count(self.as_str());
    std::string fill = a.str(1, " ");
    if (code_point_count(fill) != 1)
        fail(DiagId::BadType, a.span(1), "the fill character must be exactly one character long");
    if (missing <= 0)
        return self;
    evaluator.impl().check_bytes(static_cast<std::uint64_t>(missing) * fill.size(), span);
    evaluator.impl().charge_items(static_cast<std::uint64_t>(missing), span);
    // Python's rule for the odd blank of center()
    std::int64_t left = align == '<' ? 0 : align == '>' ? missing : missing / 2 + (missing & a.integer(0) & 1);
    std::string out;
    for (std::int64_t i = 0; i < left; ++i)
        out += fill;
    out += self.as_str();
    for (std::int64_t i = left; i < missing; ++i)
        out += fill;
    return evaluator.new_str(std::move(out));
}
Value str_zfill(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    std::string text = self.as_str();
    std::int64_t missing = a.integer(0) - code_point_count(text);
    if (missing <= 0)
        return self;
    evaluator.impl().check_bytes(static_cast<std::uint64_t>(missing), span);
    text.insert(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0, static_cast<std::size_t>(missing), '0');
    return evaluator.new_str(std::move(text));
}

template <bool last>
Value parted(Evaluator&, const Value& self, const Arguments& a, Span) {
    const std::string& text = self.as_str();
    if (a.str(0).empty())
        fail(DiagId::BadValue, a.span(0), "empty separator");
    std::size_t at = last ? text.rfind(a.str(0)) : text.find(a.str(0));
    if (at == std::string::npos)
        return last ? Value::tuple({Value::str(""), Value::str(""), self})
                    : Value::tuple({self, Value::str(""), Value::str("")});
    return Value::tuple({Value::str(text.substr(0, at)), a[0], Value::str(text.substr(at + a.str(0).size()))});
}
Value str_format(Evaluator& evaluator, const Value& self, Args& args, Span span) {
    return evaluator.new_str(brace_format(evaluator, self.as_str(), args, span));
}
Value str_expandtabs(Evaluator& evaluator, const Value& self, const Arguments& a, Span span) {
    std::int64_t size = std::clamp<std::int64_t>(a.integer(0, 8), 0, 1000);
    std::string out;
    std::int64_t column = 0;
    for (char c : self.as_str()) {
        if (c == '\t' && size > 0) {
            std::int64_t blanks_needed = size - column % size;
            evaluator.impl().check_bytes(out.size() + static_cast<std::size_t>(blanks_needed), span);
            out.append(static_cast<std::size_t>(blanks_needed), ' ');
            column += blanks_needed;
            continue;
        }
        if (c == '\t')
            continue;
        out += c;
        column = c == '\n' || c == '\r' ? 0 : column + 1;
    }
    return evaluator.new_str(std::move(out));
}
Value str_encode(Evaluator&, const Value&, Args&, Span span) {
    fail(DiagId::UnsupportedSyntax, span, "a bytes object");
}

constexpr MethodRow str_rows[] = {
    {"capitalize", {}, str_capitalize},
    {"casefold", {}, with_case<lower_code>},
    {"center", justified<'^'>},
    {"count", {"sub", "start=", "end="}, str_count},
    {"encode", str_encode},
    {"endswith", affix<true>},
    {"expandtabs", {"tabsize="}, str_expandtabs},
    {"find", {"sub", "start=", "end="}, place_of<false>},
    {"format", str_format},
    {"index", {"sub", "start=", "end="}, index_or_fail<false>},
    {"isalnum", str_isalnum},
    {"isalpha", str_isalpha},
    {"isdecimal", str_isdigit},
    {"isdigit", str_isdigit},
    {"isidentifier", str_isidentifier},
    {"islower", is_all_of_case<is_lower, is_upper>},
    {"isnumeric", str_isdigit},
    {"isspace", str_isspace},
    {"isupper", is_all_of_case<is_upper, is_lower>},
    {"join", {"iterable"}, str_join},
    {"ljust", justified<'<'>},
    {"lower", {}, with_case<lower_code>},
    {"lstrip", {"chars="}, stripped<true, false>},
    {"partition", {"sep"}, parted<false>},
    {"removeprefix", {"prefix"}, str_removeprefix},
    {"removesuffix", {"suffix"}, str_removesuffix},
    {"replace", {"old", "new", "count="}, str_replace},
    {"rfind", {"sub", "start=", "end="}, place_of<true>},
    {"rindex", {"sub", "start=", "end="}, index_or_fail<true>},
    {"rjust", justified<'>'>},
    {"rpartition", {"sep"}, parted<true>},
    {"rsplit", {"sep=", "maxsplit="}, split_at<true>},
    {"rstrip", {"chars="}, stripped<false, true>},
    {"split", {"sep=", "maxsplit="}, split_at<false>},
    {"splitlines", {"keepends="}, str_splitlines},
    {"startswith", affix<false>},
    {"strip", {"chars="}, stripped<true, true>},
    {"swapcase", {}, str_swapcase},
    {"title", {}, str_title},
    {"upper", {}, with_case<upper_code>},
    {"zfill", {"width"}, str_zfill},
};

} // namespace

std::span<const MethodRow> str_methods() {
    return str_rows;
}

} // namespace hidet::lang
