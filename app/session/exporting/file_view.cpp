// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/file_view.h"

#include <algorithm>

#include "lang/base/text_hash.h"

namespace hidet::session {

namespace {

constexpr std::size_t bytes_a_row = 16;

// As far as it is looked at: control characters are in no text.
bool is_text(std::string_view bytes) {
    return std::ranges::none_of(bytes, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == 0x7f || (byte < 0x20 && c != '\n' && c != '\t' && c != '\r');
    });
}

std::string dump_of(std::string_view bytes) {
    std::string out;
    for (std::size_t row = 0; row < bytes.size(); row += bytes_a_row) {
        const std::string_view part = bytes.substr(row, bytes_a_row);
        out += hex_digits(row, 8) + "  ";
        for (std::size_t i = 0; i < bytes_a_row; ++i)
            out += (i < part.size() ? hex_digits(part.substr(i, 1)) : "  ") + ' ';
        out += ' ';
        for (const char c : part)
            out += c >= 0x20 && c < 0x7f ? c : '.';
        out += '\n';
    }
    return out;
}

} // namespace

FileView view_of(const ExportedFile& file, std::size_t most, std::size_t most_bytes) {
    FileView view;
    const std::string_view bytes = file.bytes;
    view.size = bytes.size();
    std::string_view begin = bytes.substr(0, most);
    view.is_text = is_text(begin);
    if (!view.is_text) {
        begin = bytes.substr(0, most_bytes);
        view.text = dump_of(begin);
    } else {
        if (const std::size_t end = begin.rfind('\n'); begin.size() < bytes.size() && end != std::string_view::npos)
            begin = begin.substr(0, end + 1);
        view.text = begin;
    }
    view.shown = begin.size();
    return view;
}

} // namespace hidet::session
