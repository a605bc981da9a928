// SPDX-License-Identifier: Apache-2.0
// Writes what runtime/package/read.h reads.
#include "compiler/artifact/package_manifest.h"
#include "runtime/package/digest.h"
#include "runtime/package/read.h"

namespace hidet::artifact {

namespace {

class FieldWriter {
public:
    std::string out;

    void operator()(const char*, const auto& field) { write(field); }

private:
    template <class T>
    void write(const T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
            const std::size_t at = out.size();
            out.resize(at + sizeof value);
            std::memcpy(out.data() + at, &value, sizeof value);
        } else {
            T::fields(value, *this);
        }
    }
    void write(const std::string& text) {
        write(static_cast<std::uint32_t>(text.size()));
        out += text;
    }
    void write(const ExprWord& word) {
        write(word.op);
        write(word.operand);
    }
    template <class T>
    void write(const std::vector<T>& items) {
        write(static_cast<std::uint32_t>(items.size()));
        for (const T& item : items)
            write(item);
    }
};

struct HeldOwner {
    static bool set(std::string& text, const char* bytes, std::uint32_t count) {
        text.assign(bytes, count);
        return true;
    }
    template <class T>
    static bool resize(std::vector<T>& list, std::uint32_t count) {
        list.resize(count);
        return true;
    }
};

} // namespace

std::string to_bytes(const LaunchPlan& plan) {
    FieldWriter writer;
    writer.out.assign(package::plan_magic, sizeof package::plan_magic);
    LaunchPlan::fields(plan, writer);
    return std::move(writer.out);
}

std::string to_bytes(const PackageManifest& manifest) {
    FieldWriter writer;
    writer.out.assign(package::manifest_magic, sizeof package::manifest_magic);
    PackageManifest::fields(manifest, writer);
    const package::Checksum checksum = package::checksum_of(writer.out.data(), writer.out.size());
    writer.out.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    return std::move(writer.out);
}

Result<LaunchPlan> plan_from_bytes(const std::string& bytes) {
    LaunchPlan plan;
    HeldOwner owner;
    package::Problem problem;
    if (package::FieldReader<Held, HeldOwner>(bytes.data(), bytes.size(), owner, problem).run(plan))
        return plan;
    return Error{problem.code == package::Code::Version ? "plan-version" : "plan-damaged", problem.message};
}

} // namespace hidet::artifact
