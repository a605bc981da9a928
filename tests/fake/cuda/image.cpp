// SPDX-License-Identifier: Apache-2.0
#include "tests/fake/cuda/image.h"

#include <cstdint>
#include <cstring>
#include <sstream>

#include <elf.h>

namespace fake {

namespace {

constexpr std::uint8_t kernel_parameter_info = 0x17; // EIATTR_KPARAM_INFO of .nv.info

template <class T>
T read(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Records of (format, attribute, size, bytes); a size of 12 bytes belongs to each parameter, the last one first.
void read_parameters(const char* data, std::size_t bytes, ImageKernel& kernel) {
    for (std::size_t at = 0; at + 4 <= bytes;) {
        auto format = static_cast<std::uint8_t>(data[at]), attribute = static_cast<std::uint8_t>(data[at + 1]);
        std::size_t size = format == 4 ? read<std::uint16_t>(data + at + 2) : 0;
        if (format == 4 && attribute == kernel_parameter_info && at + 4 + size <= bytes) {
            std::size_t ordinal = read<std::uint16_t>(data + at + 8);
            if (kernel.params.size() <= ordinal)
                kernel.params.resize(ordinal + 1);
            kernel.params[ordinal] = read<std::uint32_t>(data + at + 12) >> 18;
        }
        at += 4 + size;
    }
}

bool read_elf(const char* data, Image& image) {
    auto header = read<Elf64_Ehdr>(data);
    image.arch = header.e_ident[EI_ABIVERSION] >= 8 ? (header.e_flags >> 8) & 0xFF : header.e_flags & 0xFF;
    std::vector<Elf64_Shdr> sections;
    for (int i = 0; i < header.e_shnum; ++i)
        sections.push_back(read<Elf64_Shdr>(data + header.e_shoff + static_cast<std::size_t>(i) * header.e_shentsize));
    const char* names = data + sections.at(header.e_shstrndx).sh_offset;
    auto named = [&](const std::string& wanted) -> const Elf64_Shdr* {
        for (const Elf64_Shdr& section : sections)
            if (wanted == names + section.sh_name)
                return &section;
        return nullptr;
    };
    for (const Elf64_Shdr& section : sections) {
        std::string name = names + section.sh_name;
        if (name.rfind(".text.", 0) != 0)
            continue;
        ImageKernel kernel;
        kernel.name = name.substr(6);
        if (const Elf64_Shdr* info = named(".nv.info." + kernel.name))
            read_parameters(data + info->sh_offset, info->sh_size, kernel);
        if (const Elf64_Shdr* shared = named(".nv.shared." + kernel.name))
            kernel.shared = static_cast<int>(shared->sh_size);
        image.kernels.push_back(std::move(kernel));
    }
    return true;
}

void read_kernel(std::istringstream& words, ImageKernel& kernel) {
    words >> kernel.name;
    for (std::string word; words >> word;) {
        std::size_t equals = word.find('=');
        std::string key = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
        if (key == "params") {
            std::istringstream sizes(value);
            for (std::string size; std::getline(sizes, size, ',');)
                kernel.params.push_back(static_cast<std::size_t>(std::stoul(size)));
        } else {
            int number = std::stoi(value);
            (key == "registers" ? kernel.registers
             : key == "shared"  ? kernel.shared
             : key == "local"   ? kernel.local
                                : kernel.threads) = number;
        }
    }
}

bool read_text(const char* data, Image& image) {
    std::istringstream lines{std::string(data)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "fake-module") {
            words >> word;
            image.arch = std::stoi(word.substr(3));
        } else if (word == "kernel") {
            read_kernel(words, image.kernels.emplace_back());
        } else if (word == "global") {
            ImageGlobal& global = image.globals.emplace_back();
            words >> global.name >> global.bytes;
        }
    }
    return true;
}

// Names of entries alone: a fake needs no more of PTX.
bool read_ptx(const char* data, Image& image) {
    image.is_ptx = true;
    std::string text = data;
    for (std::size_t at = text.find(".entry "); at != std::string::npos; at = text.find(".entry ", at + 1)) {
        ImageKernel& kernel = image.kernels.emplace_back();
        std::size_t end = text.find_first_of("( \n", at + 7);
        kernel.name = text.substr(at + 7, end - at - 7);
        std::size_t close = text.find(')', end);
        for (std::size_t param = text.find(".param", end); param < close; param = text.find(".param", param + 1)) {
            bool is_wide = text.compare(param + 7, 4, ".u64") == 0 || text.compare(param + 7, 4, ".f64") == 0;
            kernel.params.push_back(is_wide ? 8 : 4);
        }
    }
    return true;
}

} // namespace

bool read_image(const void* data, Image& image) {
    const char* text = static_cast<const char*>(data);
    if (std::memcmp(text, ELFMAG, SELFMAG) == 0)
        return read_elf(text, image);
    if (std::strncmp(text, "fake-module", 11) == 0)
        return read_text(text, image);
    return std::strstr(text, ".version") && read_ptx(text, image);
}

} // namespace fake
