// SPDX-License-Identifier: Apache-2.0
// A fat binary: cubins and PTX for several architectures in one file, from which the driver chooses. NVIDIA does not document the
// layout; this is the one that its tools write and read: a head of 16 bytes, then entries, each with a head.
#include <cstdio>
#include <cstring>
#include <utility>

#include "app/session/exporting/c_text.h"

namespace hidet::session {

namespace {

template <class T>
void put(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof bytes);
}

constexpr std::uint16_t kind_ptx = 1, kind_elf = 2;
constexpr std::uint64_t is_64_bit_linux = 0x11, is_specific = 0x100000;

// "9.0" of a text's ".version 9.0".
std::pair<std::uint16_t, std::uint16_t> ptx_version(const std::string& text) {
    int major = 0, minor = 0;
    const std::size_t at = text.find("\n.version ");
    if (at != std::string::npos)
        std::sscanf(text.c_str() + at, "\n.version %d.%d", &major, &minor);
    return {static_cast<std::uint16_t>(major), static_cast<std::uint16_t>(minor)};
}

std::string entry_of(std::uint16_t kind, Architecture architecture, std::string bytes) {
    const bool is_ptx = kind == kind_ptx;
    const auto [major, minor] = is_ptx ? ptx_version(bytes) : std::pair<std::uint16_t, std::uint16_t>{1, 8};
    if (is_ptx)
        bytes.assign(bytes.c_str()).push_back('\0');
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    std::string out;
    put<std::uint16_t>(out, kind);
    put<std::uint16_t>(out, 0x101); // version of entries
    put<std::uint32_t>(out, is_ptx ? 80 : 64);
    put<std::uint64_t>(out, bytes.size());
    put<std::uint32_t>(out, 0);               // bytes of a compressed entry
    put<std::uint32_t>(out, is_ptx ? 64 : 0); // where the options of ptxas are said
    put<std::uint16_t>(out, minor);
    put<std::uint16_t>(out, major);
    put<std::uint32_t>(out, static_cast<std::uint32_t>(architecture.number));
    put<std::uint64_t>(out, 0); // the source's name
    put<std::uint64_t>(out, is_64_bit_linux | (architecture.is_specific ? is_specific : 0));
    put<std::uint64_t>(out, 0);
    put<std::uint64_t>(out, 0);
    if (is_ptx) {
        put<std::uint64_t>(out, 72); // the options: none
        put<std::uint64_t>(out, 0);
    }
    return out + bytes;
}

} // namespace

std::string fat_binary(const std::vector<ExportedImage>& images) {
    std::string entries;
    for (const ExportedImage& image : images) {
        entries += entry_of(kind_elf, image.target.arch, image.cubin);
        if (!image.ptx.empty())
            entries += entry_of(kind_ptx, image.target.arch, image.ptx);
    }
    std::string out;
    put<std::uint32_t>(out, 0xBA55ED50);
    put<std::uint16_t>(out, 1);
    put<std::uint16_t>(out, 16);
    put<std::uint64_t>(out, entries.size());
    return out + entries;
}

std::string joined_image(const std::vector<ExportedImage>& images) {
    return images.size() == 1 && images[0].ptx.empty() ? images[0].cubin : fat_binary(images);
}

} // namespace hidet::session
