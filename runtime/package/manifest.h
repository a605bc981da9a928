// SPDX-License-Identifier: Apache-2.0
// The manifest of a package: what it holds, and for whom. FORMAT.md is the whole format; `fields()` of each struct is its
// binary form, as in plan.h.
#pragma once

#include "runtime/package/plan.h"

namespace hidet::package {

inline constexpr std::uint32_t package_version = 1;
inline constexpr char manifest_magic[8] = {'H', 'I', 'D', 'E', 'T', 'P', 'K', 'G'};
inline constexpr char manifest_member[] = "manifest.bin";  // the first of the archive
inline constexpr char signature_member[] = "manifest.sig"; // optional: Ed25519 of the manifest's bytes
inline constexpr std::size_t member_alignment = 4096;      // bytes, in the file: weights are used where they are mapped
inline constexpr std::size_t most_members = 60'000;

// Files of the archive, but the manifest and its signature.
template <class Kit>
struct PackageMember {
    TextOf<Kit> name;
    std::uint64_t bytes = 0;
    std::uint64_t low = 0, high = 0; // XXH3 of 128 bits: whether they are as they were written
    std::uint64_t sha256[4] = {};    // of the bytes, in their order: what a signature is for
    static void fields(auto& s, auto&& f) {
        f("name", s.name), f("bytes", s.bytes), f("low", s.low), f("high", s.high), f("sha256_0", s.sha256[0]),
            f("sha256_1", s.sha256[1]), f("sha256_2", s.sha256[2]), f("sha256_3", s.sha256[3]);
    }
};

// A plan. Those of one entry take and give the same.
template <class Kit>
struct PackageVariant {
    TextOf<Kit> entry;        // "main"
    TextOf<Kit> target;       // "cpu", "cuda"
    TextOf<Kit> architecture; // that the plan was made for: "sm_90a"; of the CPU: "x86-64"
    Row plan = no_row;        // member
    static void fields(auto& s, auto&& f) {
        f("entry", s.entry), f("target", s.target), f("architecture", s.architecture), f("plan", s.plan);
    }
};

// For people, and for tools: "precision" is "float16". No reader decides by them.
template <class Kit>
struct PackageFact {
    TextOf<Kit> name, value;
    static void fields(auto& s, auto&& f) { f("name", s.name), f("value", s.value); }
};

template <class Kit>
struct PackageManifest {
    std::uint32_t version = package_version;
    TextOf<Kit> name;                          // of the model
    TextOf<Kit> writer;                        // "hidetc 0.1.0"
    ListOf<Kit, PackageMember<Kit>> members;   // in the order of the archive
    ListOf<Kit, PackageVariant<Kit>> variants; // entries in their order; of one entry the preferred first
    ListOf<Kit, PackageFact<Kit>> facts;
    static void fields(auto& s, auto&& f) {
        f("version", s.version), f("name", s.name), f("writer", s.writer), f("members", s.members),
            f("variants", s.variants), f("facts", s.facts);
    }
};

using Manifest = PackageManifest<Flat>;

} // namespace hidet::package
