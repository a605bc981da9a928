// SPDX-License-Identifier: Apache-2.0
#include "lang/base/print_format.h"

#include <algorithm>

namespace hidet {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class ConversionReader {
public:
    ConversionReader(std::string_view format, std::size_t begin) : m_format(format), m_at(begin + 1) {
        m_out.begin = begin;
    }

    PrintConversion read() {
        m_out.flags = take("-+ #0");
        m_out.width = number();
        if (has('.')) {
            ++m_at;
            m_out.precision = "." + number();
        }
        take("hlLzjtq");
        if (m_at < m_format.size() && is_letter(m_format[m_at]))
            m_out.letter = m_format[m_at++];
        m_out.end = m_at;
        return m_out;
    }

private:
    std::string_view m_format;
    std::size_t m_at;
    PrintConversion m_out;

    bool has(char c) const { return m_at < m_format.size() && m_format[m_at] == c; }
    std::string take(std::string_view characters) {
        const std::size_t begin = m_at;
        m_at = std::min(m_format.find_first_not_of(characters, begin), m_format.size());
        return std::string(m_format.substr(begin, m_at - begin));
    }
    std::string number() {
        if (!has('*'))
            return take("0123456789");
        ++m_at;
        return "*";
    }
};

} // namespace

std::size_t PrintConversion::stars() const {
    return static_cast<std::size_t>(width == "*") + static_cast<std::size_t>(precision == ".*");
}

std::vector<PrintConversion> print_conversions(std::string_view format) {
    std::vector<PrintConversion> out;
    for (std::size_t at = format.find('%'); at < format.size();) {
        const bool is_percent = at + 1 < format.size() && format[at + 1] == '%';
        if (!is_percent)
            out.push_back(ConversionReader(format, at).read());
        at = format.find('%', is_percent ? at + 2 : out.back().end);
    }
    return out;
}

int print_number(std::string_view digits) {
    int value = 0;
    for (char c : digits)
        value = std::min(value * 10 + (c - '0'), widest_print + 1);
    return value;
}

} // namespace hidet
