// SPDX-License-Identifier: Apache-2.0
// The zip archive that a package is, read where it lies in memory. Nothing is unpacked: members are stored, and begin at
// multiples of the alignment of pages, so that what is mapped can be used as it is. Of the many forms that archives may have, only
// the one that packages are written in is read (FORMAT.md); everything else is refused with its reason.
#pragma once

#include "runtime/package/memory.h"
#include "runtime/package/problem.h"

namespace hidet::package {

struct ArchiveMember {
    Text name;
    std::uint64_t offset = 0, bytes = 0; // in the archive
};

struct Archive {
    List<ArchiveMember> members; // as they follow each other, none over another, each name once
    const ArchiveMember* find(Text name) const {
        for (const ArchiveMember& member : members)
            if (member.name == name)
                return &member;
        return nullptr;
    }
};

// Names lie in the bytes, the list in the memory. Codes: Damaged, Memory.
bool read_archive(const unsigned char* bytes, std::uint64_t count, Memory& memory, Archive& archive, Problem& problem);

} // namespace hidet::package
