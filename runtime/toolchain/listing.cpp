// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/listing.h"

#include <algorithm>
#include <cstring>

#include <elf.h>

#include "lang/base/text.h"
#include "runtime/process/run.h"
#include "runtime/toolchain/confinement.h"

namespace hidet::toolchain {

namespace {

constexpr std::size_t word_bytes = 16;                          // of an instruction
constexpr std::uint64_t opcode_bits = 0xfff;                    // of its low half
constexpr std::uint64_t jumps[] = {0x949, 0x94c, 0x958, 0x959}; // BRX, JMX, BRXU, JMXU, from sm_75 to sm_121
constexpr const char* large_pages = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864";

bool has_indirect_jump(std::string_view code) {
    for (std::size_t at = 0; at + word_bytes <= code.size(); at += word_bytes) {
        std::uint64_t low = 0;
        std::memcpy(&low, code.data() + at, sizeof low);
        if (std::ranges::find(jumps, low & opcode_bits) != std::end(jumps))
            return true;
    }
    return false;
}

} // namespace

bool has_indirect_jumps(std::string_view cubin) {
    Elf64_Ehdr head{};
    std::memcpy(&head, cubin.data(), std::min(sizeof head, cubin.size()));
    const bool has_table = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
                           head.e_shentsize == sizeof(Elf64_Shdr) && head.e_shoff <= cubin.size() &&
                           head.e_shnum <= (cubin.size() - head.e_shoff) / sizeof(Elf64_Shdr);
    if (!has_table)
        return true;
    for (std::size_t i = 0; i < head.e_shnum; ++i) {
        Elf64_Shdr section;
        std::memcpy(&section, cubin.data() + head.e_shoff + i * sizeof section, sizeof section);
        if ((section.sh_flags & SHF_EXECINSTR) == 0 || section.sh_type == SHT_NOBITS)
            continue;
        if (section.sh_offset > cubin.size() || has_indirect_jump(cubin.substr(section.sh_offset, section.sh_size)))
            return true;
    }
    return false;
}

int source_line(const Listing& listing, std::size_t line, const std::function<bool(int)>& counts) {
    if (line >= listing.source_lines.size())
        return 0;
    if (int own = listing.source_lines[line]; own > 0 && counts(own))
        return own;
    for (int caller : listing.callers[line])
        if (counts(caller))
            return caller;
    return 0;
}

Result<std::string> disassemble(const std::string& nvdisasm, const DisassemblyRequest& request) {
    process::Command command{.words = {nvdisasm, "-c", "-gi", "-hex"},
                             .input = std::string(request.cubin),
                             .seconds = request.seconds,
                             .cancelled = request.cancelled};
    // The flow of data says where such jumps go, and takes a quarter of the time.
    if (!has_indirect_jumps(request.cubin))
        command.words.emplace_back("-ndf");
    command.words.emplace_back("/dev/stdin");
    command.confinement = confinement_of(nvdisasm, "");
    command.variables.emplace_back(large_pages); // it fills some 100 MB with tables before it reads the first word
    HIDET_TRY(process::Outcome outcome, process::run_to_end(command, "nvdisasm-missing"));
    if (outcome.end == process::Outcome::End::Cancelled)
        return Error{"cancelled", "the disassembly was cancelled"};
    if (!outcome.succeeded()) {
        std::string errors = outcome.errors.substr(0, 2000);
        return Error{"disassembly-failed", cat("nvdisasm ", outcome.story(), errors.empty() ? "" : ": ", errors)};
    }
    return std::move(outcome.output);
}

} // namespace hidet::toolchain
