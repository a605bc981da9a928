// SPDX-License-Identifier: Apache-2.0
// Packages that somebody damaged, on purpose or not: each is refused with its reason, or is the same as before. Under the preset
// `sanitize` the same says that nothing is read outside of them.
#include <cstdlib>
#include <doctest/doctest.h>
#include <random>

#include "tests/unit/capi/package_bytes.h"
#include "tests/unit/capi/package_file.h"

using namespace hidet;
using namespace hidet::test;

namespace {

constexpr std::size_t end_bytes = 22, central_bytes = 46;

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}
template <class T>
T get(const std::string& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}
std::size_t directory_of(const std::string& package) {
    return get<std::uint32_t>(package, package.size() - 6);
}
std::string changed(const auto& change) {
    std::string package = stored_package();
    change(package);
    return package;
}
Member member(const std::string& name) {
    for (const Member& each : members_of(stored_package()))
        if (each.name == name)
            return each;
    return {};
}

} // namespace

TEST_CASE("a package that ends early is none, wherever it ends") {
    const std::string& whole = stored_package();
    for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t count = i < 32 ? whole.size() - 1 - i : whole.size() * (i - 32) / 32;
        INFO(count);
        REQUIRE(!refusal_of(whole.substr(0, count)).empty());
    }
    REQUIRE(refusal_of(whole + "x") ==
            "it is no package, or a damaged one: it does not end as an archive does, which it does not if its end is "
            "missing");
}

TEST_CASE("a byte of the directory, of a record or of the manifest that is another is found") {
    const std::string& whole = stored_package();
    std::vector<std::size_t> places;
    for (std::size_t at = directory_of(whole); at < whole.size(); ++at)
        places.push_back(at);
    const Member manifest = members_of(whole)[0];
    for (std::size_t at = 0; at < manifest.bytes; ++at)
        places.push_back(manifest.offset + at);
    std::size_t refused = 0;
    for (const std::size_t at : places) {
        std::string package = whole;
        package[at] = static_cast<char>(package[at] ^ 0x55);
        const std::string why = refusal_of_all(package);
        refused += !why.empty();
        // Versions, dates, sums and attributes of the directory are for unzip programs.
        if (at >= manifest.offset && at < manifest.offset + manifest.bytes) {
            INFO(at);
            REQUIRE(!why.empty());
        }
    }
    REQUIRE(refused > 1500);
}

TEST_CASE("a byte of any member that is another is found before it is used") {
    const std::vector<Member> members = members_of(stored_package());
    for (std::size_t i = 1; i < members.size(); ++i)
        for (const std::size_t at : {std::size_t{0}, members[i].bytes / 2, members[i].bytes - 1}) {
            std::string package = stored_package();
            package[members[i].offset + at] = static_cast<char>(package[members[i].offset + at] ^ 1);
            INFO(members[i].name);
            REQUIRE(refusal_of_all(package).find("'" + members[i].name + "' has other bytes than were written") !=
                    std::string::npos);
        }
}

TEST_CASE("members that were swapped are found") {
    const std::vector<Member> members = members_of(stored_package());
    const Member &a = member("code/main.cpu.0.x86-64-v4.so"), &b = member("code/main.cpu.0.x86-64-v3.so");
    REQUIRE(a.bytes == b.bytes);
    const std::string swapped = changed([&](std::string& package) {
        const std::string first = package.substr(a.offset, a.bytes);
        std::memcpy(package.data() + a.offset, package.data() + b.offset, b.bytes);
        std::memcpy(package.data() + b.offset, first.data(), a.bytes);
    });
    REQUIRE(refusal_of_all(swapped).find("has other bytes than were written") != std::string::npos);
}

TEST_CASE("another version says which is there and which is read") {
    const std::size_t at = members_of(stored_package())[0].offset + 8;
    hidet_status status = HIDET_OK;
    const std::string later = changed([&](std::string& package) { put<std::uint32_t>(package, at, 2); });
    REQUIRE(refusal_of(later, &status) ==
            "it is a manifest of a package of version 2, and this program reads version 1");
    REQUIRE(status == HIDET_OTHER_VERSION);
}

TEST_CASE("an archive that is none of ours is refused by what is wrong with it") {
    const std::size_t directory = directory_of(stored_package());
    const auto why = [&](const auto& change) { return refusal_of(changed(change)); };
    const auto has = [](const std::string& text, const char* part) {
        INFO(text);
        return text.find(part) != std::string::npos;
    };
    using S = std::string;
    REQUIRE(has(why([&](S& p) { put<std::uint16_t>(p, directory + 10, 8); }), "is compressed"));
    REQUIRE(has(why([&](S& p) { put<std::uint16_t>(p, directory + 8, 1); }), "is encrypted"));
    REQUIRE(has(why([&](S& p) { put<std::uint16_t>(p, directory + 8, 8); }), "its size is not known"));
    REQUIRE(has(why([&](S& p) { put<std::uint32_t>(p, directory + 42, 1); }), "is not where the directory says"));
    REQUIRE(has(why([&](S& p) { put<std::uint32_t>(p, directory + 42, 0xfffffff0); }), "or outside"));
    REQUIRE(has(why([&](S& p) { put<std::uint16_t>(p, p.size() - 2, 1); }), "it has a comment"));
    REQUIRE(has(why([&](S& p) { put<std::uint16_t>(p, p.size() - 12, 60000); }), "claims to have 60000 members"));
    REQUIRE(has(why([&](S& p) { put<std::uint16_t>(p, p.size() - 12, 0xffff); }), "its end is missing"));
    REQUIRE(has(why([&](S& p) { put<std::uint32_t>(p, p.size() - 6, 12); }), "its directory is not where"));
    REQUIRE(has(why([&](S& p) { p[directory + central_bytes] = '/'; }), "a name that none may have"));
    REQUIRE(has(why([&](S& p) { p[directory + central_bytes] = '.'; }), "a name that none may have"));
    REQUIRE(has(why([&](S& p) { p[directory + central_bytes] = 'n'; }), "another name or size"));
    REQUIRE(has(refusal_of("PK"), "does not end as an archive does"));
    REQUIRE(has(refusal_of(S(end_bytes, '\0')), "does not end as an archive does"));
    // An archive without members.
    S empty = S("PK\5\6", 4) + S(18, '\0');
    REQUIRE(has(refusal_of(empty), "its first member is not manifest.bin"));
}

TEST_CASE("a manifest that lies about the archive is refused though its checksum is right") {
    const Member manifest = members_of(stored_package())[0];
    std::mt19937 random(7);
    int refused = 0, same = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::string package = changed([&](std::string& bytes) {
            for (int k = 0; k < 1 + i % 3; ++k) {
                const std::size_t at = manifest.offset + 8 + random() % (manifest.bytes - 24);
                bytes[at] = static_cast<char>(random());
            }
            sign_off_manifest(bytes);
        });
        refusal_of_all(package).empty() ? ++same : ++refused;
    }
    REQUIRE(refused > 1000); // the rest are texts for people
    REQUIRE(refused + same == 2000);
}

TEST_CASE("what a package takes when it is open is bounded by what it holds") {
    const std::map<std::string, std::string> none;
    artifact::LaunchPlan plan;
    plan.target = "cpu";
    plan.expressions = {{{package::ExprOp::Constant, 0}}};
    plan.sections = {{0, 0, 0, package::no_row}};
    REQUIRE(refusal_of(package_bytes(plan, none)).empty());
    const auto twice = [&](artifact::PackageManifest& manifest) { manifest.variants.push_back(manifest.variants[0]); };
    REQUIRE(refusal_of(package_bytes_of(to_bytes(plan), "cpu", none, twice)) ==
            "the package is damaged: 'plan.bin' is the plan of two variants");
    artifact::PlanValue& value = plan.values.emplace_back();
    value.name = std::string(2000, 'x');
    value.dtype = "float32";
    value.bytes = 0;
    plan.inputs.assign(2000, 0);
    REQUIRE(refusal_of(package_bytes(plan, none)) == "the package is damaged: its description is longer than it is");
}

TEST_CASE("plans that were damaged by whoever wrote the package do no harm") {
    const std::vector<Member> members = members_of(stored_package());
    const Member plan = member("plans/main.cpu.x86-64.bin");
    const std::size_t row = 0;
    REQUIRE(members[2].name == plan.name);
    // Where the manifest has the checksum of the plan: after its name and its size.
    const std::size_t name = stored_package().find(plan.name, members[row].offset);
    std::mt19937 random(11);
    int refused = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::string package = changed([&](std::string& bytes) {
            bytes[plan.offset + random() % plan.bytes] = static_cast<char>(random());
            const package::Checksum checksum = package::checksum_of(bytes.data() + plan.offset, plan.bytes);
            const package::Sha256 digest = package::sha256_of(bytes.data() + plan.offset, plan.bytes);
            put(bytes, name + plan.name.size() + 8, checksum);
            put(bytes, name + plan.name.size() + 24, digest);
            sign_off_manifest(bytes);
        });
        hidet_package* opened = nullptr;
        hidet_context* context = nullptr;
        hidet_error error;
        const hidet_context_options options = bounded_options();
        // Compiled functions trust their plan, so it is bound and not run.
        std::int64_t ids[] = {1, 2}, shape[] = {2};
        const hidet_tensor input = {ids, {HIDET_CPU, 0}, 1, {HIDET_INT, 64, 1}, shape, nullptr, 0};
        const bool is_ok = hidet_open_memory(package.data(), package.size(), nullptr, &opened, &error) == HIDET_OK &&
                           hidet_create(opened, &options, &context, &error) == HIDET_OK &&
                           hidet_bind(context, &input, 1, &error) == HIDET_OK;
        refused += !is_ok;
        if (!is_ok)
            REQUIRE(error.message[0] != '\0');
        hidet_destroy(context);
        hidet_close(opened);
    }
    REQUIRE(refused > 200);
}

TEST_CASE("a signature is wanted by whoever asks for it") {
    hidet_open_options options = {};
    options.size = sizeof options;
    options.verify = [](void*, const void*, std::size_t, const void*, std::size_t) { return 1; };
    hidet_package* opened = nullptr;
    hidet_error error;
    REQUIRE(hidet_open_memory(stored_package().data(), stored_package().size(), &options, &opened, &error) ==
            HIDET_NOT_TRUSTED);
    REQUIRE(std::string(error.message) == "the package is not signed");
}

TEST_CASE("files that are none are told apart") {
    hidet_package* opened = nullptr;
    hidet_error error;
    REQUIRE(hidet_open_file("/nowhere/x.hidet", nullptr, &opened, &error) == HIDET_NO_FILE);
    REQUIRE(std::string(error.message) == "'/nowhere/x.hidet' cannot be read: No such file or directory");
    REQUIRE(hidet_open_file("/tmp", nullptr, &opened, &error) == HIDET_NO_FILE);
    REQUIRE(hidet_open_file(nullptr, nullptr, &opened, &error) == HIDET_BAD_ARGUMENT);
    REQUIRE(hidet_open_file("/etc/passwd", nullptr, nullptr, nullptr) == HIDET_BAD_ARGUMENT);
    REQUIRE(hidet_open_file("/etc/passwd", nullptr, &opened, nullptr) == HIDET_DAMAGED);
}

TEST_CASE("digests are those of their standards") {
    auto by = package::Sha256By::Instructions;
    const auto hex = [&](const std::string& text) {
        const package::Sha256 digest = package::sha256_of(text.data(), text.size(), by);
        unsigned char bytes[32];
        std::memcpy(bytes, digest.words, sizeof bytes);
        std::string out;
        for (const unsigned char byte : bytes) {
            out += "0123456789abcdef"[byte >> 4];
            out += "0123456789abcdef"[byte & 15];
        }
        return out;
    };
    for (const auto each : {package::Sha256By::Instructions, package::Sha256By::Portable}) {
        by = each;
        REQUIRE(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        REQUIRE(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        REQUIRE(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        REQUIRE(hex(std::string(119, 'a')) == "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
        REQUIRE(hex(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
