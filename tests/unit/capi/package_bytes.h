// SPDX-License-Identifier: Apache-2.0
// A package in memory, of one plan and its members.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/artifact/package_manifest.h"
#include "runtime/package/digest.h"

namespace hidet::test {

class ArchiveBytes {
public:
    void add(const std::string& name, const std::string& bytes) {
        const std::size_t offset = m_out.size(), head = 30 + name.size();
        const std::size_t first = (offset + head + 4095) / 4096 * 4096;
        const auto extra = static_cast<std::uint16_t>(first - offset - head);
        put(std::uint32_t{0x04034b50}, m_out);
        put_record(name, bytes.size(), extra, m_out);
        m_out += name + std::string(extra, '\0') + bytes;
        put(std::uint32_t{0x02014b50}, m_directory);
        put(std::uint16_t{20}, m_directory);
        put_record(name, bytes.size(), 0, m_directory);
        for (int i = 0; i < 3; ++i)
            put(std::uint16_t{0}, m_directory);
        put(std::uint32_t{0}, m_directory);
        put(static_cast<std::uint32_t>(offset), m_directory);
        m_directory += name;
        ++m_count;
    }
    std::string finish() {
        const std::size_t at = m_out.size();
        m_out += m_directory;
        put(std::uint32_t{0x06054b50}, m_out);
        put(std::uint32_t{0}, m_out);
        put(m_count, m_out);
        put(m_count, m_out);
        put(static_cast<std::uint32_t>(m_directory.size()), m_out);
        put(static_cast<std::uint32_t>(at), m_out);
        put(std::uint16_t{0}, m_out);
        return std::move(m_out);
    }

private:
    template <class T>
    static void put(T value, std::string& out) {
        out.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    // From the version that is needed to the length of the extra field. Nobody looks at the CRC.
    static void put_record(const std::string& name, std::size_t bytes, std::uint16_t extra, std::string& out) {
        for (const std::uint16_t word : {20, 0, 0, 0, 0x21})
            put(word, out);
        put(std::uint32_t{0}, out);
        put(static_cast<std::uint32_t>(bytes), out);
        put(static_cast<std::uint32_t>(bytes), out);
        put(static_cast<std::uint16_t>(name.size()), out);
        put(extra, out);
    }

    std::string m_out, m_directory;
    std::uint16_t m_count = 0;
};

// `plan`: its bytes, whatever they are.
inline std::string package_bytes_of(const std::string& plan, const std::string& target,
                                    std::map<std::string, std::string> members = {},
                                    const std::function<void(artifact::PackageManifest&)>& change = {}) {
    members["plan.bin"] = plan;
    artifact::PackageManifest manifest;
    manifest.name = "model";
    manifest.writer = "a test";
    for (const auto& [name, bytes] : members) {
        const package::Checksum checksum = package::checksum_of(bytes.data(), bytes.size());
        const package::Sha256 digest = package::sha256_of(bytes.data(), bytes.size());
        if (name == "plan.bin")
            manifest.variants.push_back({"main", target, "sm_90", static_cast<package::Row>(manifest.members.size())});
        manifest.members.push_back({name, bytes.size(), checksum.low, checksum.high, {}});
        std::memcpy(manifest.members.back().sha256, digest.words, sizeof digest.words);
    }
    if (change)
        change(manifest);
    ArchiveBytes archive;
    archive.add(package::manifest_member, to_bytes(manifest));
    for (const auto& [name, bytes] : members)
        archive.add(name, bytes);
    return archive.finish();
}

inline std::string package_bytes(const artifact::LaunchPlan& plan, std::map<std::string, std::string> members) {
    return package_bytes_of(to_bytes(plan), plan.target, std::move(members));
}

} // namespace hidet::test
