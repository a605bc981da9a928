// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/read.h"

namespace hidet::package {

namespace {

struct FlatOwner {
    Memory& memory;
    bool set(Text& text, const char* bytes, std::uint32_t count) {
        text = {bytes, count};
        return true;
    }
    template <class T>
    bool resize(List<T>& list, std::uint32_t count) {
        return memory.make(list, count);
    }
};

} // namespace

bool read_plan(const void* bytes, std::size_t count, Memory& memory, Plan& plan, Problem& problem) {
    FlatOwner owner{memory};
    return FieldReader<Flat, FlatOwner>(static_cast<const char*>(bytes), count, owner, problem).run(plan);
}

bool read_manifest(const void* bytes, std::size_t count, Memory& memory, Manifest& manifest, Problem& problem) {
    FlatOwner owner{memory};
    return FieldReader<Flat, FlatOwner>(static_cast<const char*>(bytes), count, owner, problem)
        .run(manifest_format, manifest);
}

} // namespace hidet::package
