// SPDX-License-Identifier: Apache-2.0
// Checksums would keep a fuzzer from everything behind them, so that of the manifest is made right first.
#include <cstring>
#include <string>

#include "runtime/capi/hidet_runtime.h"
#include "runtime/package/archive.h"
#include "runtime/package/digest.h"
#include "runtime/package/read.h"
#include "tests/fuzz/targets.h"

namespace hidet::fuzz {

namespace {

constexpr std::size_t checksum_bytes = 16;

void sign_off_manifest(std::string& bytes) {
    package::Memory memory;
    package::Archive archive;
    package::Problem problem;
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    if (!package::read_archive(data, bytes.size(), memory, archive, problem)) {
        require(problem.message[0] != '\0', "what is refused is told why");
        return;
    }
    for (const package::ArchiveMember& member : archive.members)
        require(member.offset <= bytes.size() && member.bytes <= bytes.size() - member.offset, "members lie inside");
    if (archive.members.empty() || archive.members[0].bytes < checksum_bytes)
        return;
    const std::size_t count = archive.members[0].bytes - checksum_bytes;
    const package::Checksum checksum = package::checksum_of(data + archive.members[0].offset, count);
    std::memcpy(bytes.data() + archive.members[0].offset + count, &checksum, sizeof checksum);
}

} // namespace

void package(std::string_view input) {
    std::string bytes(input);
    sign_off_manifest(bytes);
    hidet_package* opened = nullptr;
    hidet_error error;
    if (hidet_open_memory(bytes.data(), bytes.size(), nullptr, &opened, &error) == HIDET_OK) {
        require(hidet_describe(opened) != nullptr, "what is opened can be described");
        hidet_verify(opened, &error);
    } else {
        require(error.message[0] != '\0' && opened == nullptr, "what is refused is told why");
    }
    hidet_close(opened);
}

void plan(std::string_view input) {
    package::Memory memory;
    package::Plan plan;
    package::Manifest manifest;
    package::Problem problem;
    if (!package::read_plan(input.data(), input.size(), memory, plan, problem))
        require(problem.message[0] != '\0', "what is refused is told why");
    if (!package::read_manifest(input.data(), input.size(), memory, manifest, problem))
        require(problem.message[0] != '\0', "what is refused is told why");
}

} // namespace hidet::fuzz
