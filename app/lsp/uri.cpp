// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/uri.h"

#include <charconv>
#include <filesystem>

#include "lang/base/ascii.h"

namespace hidet::lsp {

namespace {

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        const char* digits = text.data() + i + 1;
        bool is_coded =
            text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
        out += is_coded ? static_cast<char>(byte) : text[i];
        i += is_coded ? 2 : 0;
    }
    return out;
}

} // namespace

std::string path_of_uri(std::string_view uri) {
    constexpr std::string_view scheme = "file://";
    if (!uri.starts_with(scheme))
        return "";
    uri.remove_prefix(scheme.size());
    std::size_t slash = uri.find('/'); // behind the name of a machine, which is this one
    if (slash == std::string_view::npos)
        return "";
    std::string path = decoded(uri.substr(slash));
    if (path.find('\0') != std::string::npos)
        return "";
    return std::filesystem::path(path).lexically_normal().string();
}

std::string uri_of_path(std::string_view path) {
    constexpr std::string_view plain = "/-._~:@!$&'()*+,;=";
    constexpr char digits[] = "0123456789ABCDEF";
    std::string out = "file://";
    for (char c : path) {
        auto byte = static_cast<unsigned char>(c);
        if (is_alphanumeric(c) || plain.find(c) != std::string_view::npos) {
            out += c;
            continue;
        }
        out += '%';
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

} // namespace hidet::lsp
