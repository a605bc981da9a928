// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/cuda_image.h"

#include <cstdlib>

#include <elf.h>

#include "runtime/capi/architecture.h"

namespace hidet::capi {

using package::Code;
using package::refuse;
using package::Text;

namespace {

bool is_within(std::uint64_t offset, std::uint64_t bytes, std::uint64_t count) {
    return offset <= count && bytes <= count - offset;
}

// Every place that it names lies in it.
bool is_whole_elf(Bytes bytes) {
    Elf64_Ehdr header;
    if (bytes.count < sizeof header)
        return false;
    std::memcpy(&header, bytes.data, sizeof header);
    const bool has_tables =
        header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
        header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shstrndx < header.e_shnum &&
        is_within(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), bytes.count) &&
        is_within(header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize, bytes.count);
    for (std::size_t i = 0; has_tables && i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        std::memcpy(&section, bytes.data + header.e_shoff + i * sizeof section, sizeof section);
        const bool has_bytes = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
        if (has_bytes && !is_within(section.sh_offset, section.sh_size, bytes.count))
            return false;
    }
    return has_tables;
}

// A file of several images, or the record of a program that points to one.
bool is_fat(Bytes bytes) {
    constexpr std::uint32_t file = 0xba55ed50, record = 0x466243b1;
    std::uint32_t magic = 0;
    if (bytes.count < sizeof magic)
        return false;
    std::memcpy(&magic, bytes.data, sizeof magic);
    return magic == file || magic == record;
}

} // namespace

const package::PlanImage<package::Flat>* best_image(const package::Plan& plan, package::Row module,
                                                    const Capability& gpu) {
    const package::PlanImage<package::Flat>* best = nullptr;
    int most = 0;
    for (const package::PlanImage<package::Flat>& image : plan.images) {
        const int fits = image.module == module ? fitness(image.architecture, image.kind, gpu) : 0;
        if (fits <= most)
            continue;
        best = &image;
        most = fits;
    }
    return best;
}

ImageBytes::~ImageBytes() {
    std::free(m_copy);
}

bool ImageBytes::open(Bytes bytes, Text member, Problem& problem) {
    if (bytes.count >= SELFMAG && std::memcmp(bytes.data, ELFMAG, SELFMAG) == 0) {
        m_data = bytes.data;
        return is_whole_elf(bytes) || refuse(problem, Code::Damaged, "'", member, "' is no whole cubin");
    }
    if (is_fat(bytes))
        return refuse(problem, Code::Damaged, "'", member, "' is a fatbin, and plans hold cubins and PTX");
    // Text ends with a zero; and who looks for what it is reads a few bytes at once.
    constexpr std::size_t zeros = 64;
    m_copy = static_cast<char*>(std::calloc(bytes.count + zeros, 1));
    if (!m_copy)
        return refuse(problem, Code::Memory, bytes.count, " bytes for '", member, "'");
    if (bytes.count > 0)
        std::memcpy(m_copy, bytes.data, bytes.count);
    m_data = m_copy;
    return true;
}

} // namespace hidet::capi
