// SPDX-License-Identifier: Apache-2.0
#include "lang/base/npy.h"

#include <charconv>
#include <cstring>

#include "lang/base/text.h"

namespace hidet {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_header = 1 << 16; // bytes
constexpr std::size_t most_dimensions = 32;

// The dict of the header. Its keys come in any order, its blanks anywhere.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : m_text(text) {}

    bool read(NpyStart& out) {
        bool has_descr = false, has_order = false, has_shape = false;
        if (!take('{'))
            return false;
        while (!take('}')) {
            std::string key;
            if (!string(key) || !take(':'))
                return false;
            if (key == "descr")
                has_descr = string(out.descr);
            else if (key == "fortran_order")
                has_order = boolean(out.fortran_order);
            else if (key == "shape")
                has_shape = tuple(out.shape);
            else
                return false;
            if (!take(',') && peek() != '}')
                return false;
        }
        return has_descr && has_order && has_shape;
    }

private:
    char peek() {
        while (m_at < m_text.size() && std::strchr(" \t\n", m_text[m_at]))
            ++m_at;
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c) {
        if (peek() != c)
            return false;
        ++m_at;
        return true;
    }
    bool string(std::string& out) {
        char mark = peek();
        if (mark != '\'' && mark != '"')
            return false;
        std::size_t end = m_text.find(mark, m_at + 1);
        if (end == std::string_view::npos)
            return false;
        out = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return true;
    }
    bool boolean(bool& out) {
        peek();
        for (std::string_view word : {"True", "False"})
            if (m_text.substr(m_at).starts_with(word)) {
                out = word == "True";
                m_at += word.size();
                return true;
            }
        return false;
    }
    bool tuple(std::vector<std::int64_t>& out) {
        if (!take('('))
            return false;
        while (!take(')')) {
            peek();
            std::int64_t extent = 0;
            const char* begin = m_text.data() + m_at;
            auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), extent);
            if (error != std::errc() || extent < 0 || out.size() == most_dimensions)
                return false;
            m_at += static_cast<std::size_t>(end - begin);
            out.push_back(extent);
            if (!take(',') && peek() != ')')
                return false;
        }
        return true;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace

NpyFault read_npy_start(std::FILE& file, NpyStart& out) {
    unsigned char start[12];
    if (std::fread(start, 1, 10, &file) != 10 || std::memcmp(start, magic.data(), magic.size()) != 0)
        return NpyFault::NoNpy;
    out.version = start[6];
    if (out.version < 1 || out.version > 3)
        return NpyFault::Version;
    std::size_t length = start[8] | static_cast<std::size_t>(start[9]) << 8;
    if (out.version > 1) {
        if (std::fread(start + 10, 1, 2, &file) != 2)
            return NpyFault::Header;
        length |= static_cast<std::size_t>(start[10]) << 16 | static_cast<std::size_t>(start[11]) << 24;
    }
    std::string text(length <= most_header ? length : 0, '\0');
    if (text.empty() || std::fread(text.data(), 1, length, &file) != length || !HeaderReader(text).read(out))
        return NpyFault::Header;
    out.data_offset = (out.version > 1 ? 12 : 10) + length;
    return NpyFault::None;
}

std::string npy_start(std::string_view descr, const std::vector<std::int64_t>& shape) {
    std::string extents;
    for (std::int64_t extent : shape)
        extents += cat(extents.empty() ? "" : ", ", extent);
    extents += shape.size() == 1 ? "," : "";
    std::string header = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", extents, "), }");
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    const char start[] = {1, 0, static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    return cat(magic, std::string_view(start, sizeof start), header);
}

} // namespace hidet
