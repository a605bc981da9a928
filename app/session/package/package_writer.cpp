// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/package_writer.h"

#include <map>

#include "app/session/package/archive_writer.h"
#include "app/session/package/package_file.h"
#include "compiler/artifact/package_manifest.h"
#include "lang/base/text.h"
#include "lang/base/text_hash.h"
#include "runtime/capi/hidet_runtime.h"
#include "runtime/package/digest.h"
#include "runtime/toolchain/cache.h"
#include "runtime/toolchain/signature.h"

namespace hidet::session {

namespace {

class PackageWriter {
public:
    explicit PackageWriter(PackageContents& contents) : m_contents(contents) {}

    Result<std::string> run(const std::string& path) {
        m_manifest.name = m_contents.name;
        m_manifest.writer = m_contents.writer;
        for (PackagedPlan& plan : m_contents.plans)
            name_members(plan);
        for (PackagedPlan& plan : m_contents.plans)
            add_plan(plan);
        for (PackagedPlan& plan : m_contents.plans)
            for (const PlanImages::File& file : plan.images.files)
                add(code_member(file.member), file.bytes);
        for (const auto& [name, bytes] : m_weights)
            add(name, bytes);
        for (auto& [name, value] : m_contents.facts)
            m_manifest.facts.push_back({name, value});
        return write(path);
    }

private:
    static std::string code_member(const std::string& file) { return "code/" + file; }
    static std::string_view bytes_of(const lang::Tensor& tensor, std::uint64_t count) {
        return {reinterpret_cast<const char*>(tensor.read()), static_cast<std::size_t>(count)};
    }

    void name_members(PackagedPlan& packaged) {
        artifact::LaunchPlan& plan = packaged.images.plan;
        plan.hash.clear(); // the manifest has a checksum of every member
        for (artifact::PlanImage& image : plan.images) {
            image.member = code_member(image.member);
        }
        for (std::size_t i = 0; i < plan.weights.size(); ++i) {
            artifact::PlanWeight& weight = plan.weights[i];
            const std::string_view bytes = bytes_of(*packaged.weights[i], weight.bytes);
            weight.member = cat("weights/", toolchain::cache_key({bytes}));
            weight.offset = 0;
            weight.hash.clear();
            m_weights.emplace(weight.member, bytes);
        }
    }

    void add_plan(const PackagedPlan& packaged) {
        const artifact::LaunchPlan& plan = packaged.images.plan;
        m_plans.push_back(to_bytes(plan));
        const auto row = static_cast<artifact::Row>(m_manifest.members.size());
        const std::string name = cat("plans/", packaged.entry, ".", plan.target, ".", packaged.architecture, ".bin");
        m_manifest.variants.push_back({packaged.entry, plan.target, packaged.architecture, row});
        add_member(name);
    }
    void add_member(const std::string& name) { m_manifest.members.push_back({name, 0, 0, 0, {}}); }

    void add(const std::string& name, std::string_view bytes) {
        add_member(name);
        m_bytes.push_back(bytes);
    }

    Result<std::string> write(const std::string& path) {
        m_bytes.insert(m_bytes.begin(), m_plans.begin(), m_plans.end());
        std::vector<ArchiveFile> files{{}};
        for (std::size_t i = 0; i < m_bytes.size(); ++i) {
            artifact::PackageMember& member = m_manifest.members[i];
            const std::string_view bytes = m_bytes[i];
            const package::Checksum checksum = package::checksum_of(bytes.data(), bytes.size());
            const package::Sha256 digest = package::sha256_of(bytes.data(), bytes.size());
            member.bytes = bytes.size();
            member.low = checksum.low;
            member.high = checksum.high;
            std::copy(std::begin(digest.words), std::end(digest.words), member.sha256);
            files.push_back({member.name, bytes});
        }
        const std::string manifest = to_bytes(m_manifest);
        files[0] = {package::manifest_member, manifest};
        toolchain::Signature signature;
        if (!m_contents.key.empty()) {
            HIDET_TRY(const toolchain::KeyBytes seed, toolchain::read_seed(m_contents.key));
            HIDET_TRY(signature, toolchain::sign(seed, manifest));
            files.insert(files.begin() + 1, {package::signature_member, signature.bytes});
            m_public_key =
                hex_digits({reinterpret_cast<const char*>(signature.public_key.data()), signature.public_key.size()});
        }
        HIDET_TRY_TO(write_archive(path, files));
        return verified(path);
    }

    // By those who will read it.
    Result<std::string> verified(const std::string& path) {
        hidet_error error = {};
        PackageFile opened;
        if (opened.open(path, error))
            hidet_verify(opened.get(), &error);
        if (error.status != HIDET_OK)
            return Error{"not-written", cat("'", path, "' was written, and cannot be read: ", error.message)};
        return m_public_key;
    }

    PackageContents& m_contents;
    artifact::PackageManifest m_manifest;
    std::vector<std::string> m_plans;                  // bytes
    std::vector<std::string_view> m_bytes;             // of members: code, weights, and at last the plans before them
    std::map<std::string, std::string_view> m_weights; // by member
    std::string m_public_key;
};

} // namespace

Result<std::string> write_package(const std::string& path, PackageContents contents) {
    return PackageWriter(contents).run(path);
}

} // namespace hidet::session
