// SPDX-License-Identifier: Apache-2.0
// The stored package (tests/packages), as it is and as somebody damaged it.
#pragma once

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/capi/hidet_runtime.h"
#include "runtime/package/archive.h"
#include "runtime/package/digest.h"
#include "runtime/package/manifest.h"

namespace hidet::test {

inline const std::string& stored_package() {
    static const std::string bytes = [] {
        std::ifstream file(HIDET_SOURCE_FOLDER "/tests/packages/version_1.hidet", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    return bytes;
}

struct Member {
    std::string name;
    std::size_t offset = 0, bytes = 0;
};
inline std::vector<Member> members_of(const std::string& package) {
    package::Memory memory;
    package::Archive archive;
    package::Problem problem;
    std::vector<Member> out;
    if (package::read_archive(reinterpret_cast<const unsigned char*>(package.data()), package.size(), memory, archive,
                              problem))
        for (const package::ArchiveMember& member : archive.members)
            out.push_back({std::string(member.name.data(), member.name.size()), member.offset, member.bytes});
    return out;
}

// As if it had been written so.
inline void sign_off_manifest(std::string& package) {
    const Member manifest = members_of(package).at(0);
    const std::size_t count = manifest.bytes - 16;
    const package::Checksum checksum = package::checksum_of(package.data() + manifest.offset, count);
    std::memcpy(package.data() + manifest.offset + count, &checksum, sizeof checksum);
}

// A plan may say that it needs any amount; whoever runs it says how much there is.
inline constexpr std::size_t most_bytes = std::size_t{64} << 20;
inline const hidet_allocator bounded = {
    nullptr,
    [](void*, hidet_device, std::size_t bytes, std::size_t alignment, void*) -> void* {
        return bytes > most_bytes ? nullptr : std::aligned_alloc(alignment, bytes);
    },
    [](void*, hidet_device, void* data, std::size_t, void*) { std::free(data); }};

inline hidet_context_options bounded_options() { // on the CPU, with one thread
    hidet_context_options options = {};
    options.size = sizeof options;
    options.device = {HIDET_CPU, 0};
    options.runs_native_code = 1;
    options.threads = 1;
    options.allocator = &bounded;
    return options;
}

// What opening says; empty: it is a package.
inline std::string refusal_of(const std::string& package, hidet_status* status = nullptr) {
    hidet_package* opened = nullptr;
    hidet_error error;
    const hidet_status got = hidet_open_memory(package.data(), package.size(), nullptr, &opened, &error);
    if (status)
        *status = got;
    hidet_close(opened);
    return got == HIDET_OK ? "" : error.message;
}

// What looking at everything in it says.
inline std::string refusal_of_all(const std::string& package) {
    hidet_package* opened = nullptr;
    hidet_error error;
    if (hidet_open_memory(package.data(), package.size(), nullptr, &opened, &error) == HIDET_OK)
        hidet_verify(opened, &error);
    hidet_close(opened);
    return error.message;
}

} // namespace hidet::test
