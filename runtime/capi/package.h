// SPDX-License-Identifier: Apache-2.0
// An open package: its bytes, which were mapped or are the caller's, and what its contexts share.
#pragma once

#include <pthread.h>

#include "runtime/capi/hidet_runtime.h"
#include "runtime/package/archive.h"
#include "runtime/package/manifest.h"
#include "runtime/package/memory.h"
#include "runtime/package/problem.h"

namespace hidet::capi {

using package::Problem;

struct Bytes {
    const unsigned char* data = nullptr;
    std::uint64_t count = 0;
};

// Something that contexts share and the package frees with itself, or when it is dropped: code that was loaded, the weights on
// a GPU. Keys are addresses of what tells them apart.
struct Shared {
    Shared* next = nullptr;
    const void* kind = nullptr; // of a static variable of whoever keeps it
    std::uint64_t key = 0;
    std::uint32_t users = 0;
    void (*free)(Shared* shared) = nullptr; // all of it
};

class Package {
public:
    // Takes the mapping, which it unmaps with itself; null: the bytes are the caller's.
    static Package* open(Bytes bytes, void* mapping, const hidet_open_options& options, Problem& problem);
    void use() { __atomic_fetch_add(&m_users, 1, __ATOMIC_RELAXED); }
    void drop(); // destroys it with its last user

    const package::Manifest& manifest() const { return m_manifest; }
    const package::Plan& plan(package::Row variant) const { return m_plans[variant]; }
    const char* description() const { return m_description; }
    void log(int level, const char* message) const {
        if (m_options.log)
            m_options.log(m_options.log_self, level, message);
    }

    // A member's bytes, once they have been found to be those that were written.
    bool member(package::Text name, Bytes& bytes, Problem& problem);
    bool weight(const package::PlanWeight<package::Flat>& weight, Bytes& bytes, Problem& problem);
    bool verify(Problem& problem);

    // One at a time looks for what is shared and adds to it: between lock() and unlock().
    void lock() { pthread_mutex_lock(&m_mutex); }
    void unlock() { pthread_mutex_unlock(&m_mutex); }
    Shared* find(const void* kind, std::uint64_t key) const;
    void add(Shared& shared);    // with no user
    void forget(Shared* shared); // frees it

private:
    Package() = default;
    ~Package();
    bool read(Problem& problem);
    bool read_manifest(Problem& problem);
    bool check_signature(Problem& problem);
    bool read_plans(Problem& problem);
    bool describe(Problem& problem);
    bool check_bytes(package::Row member, Problem& problem);

    Bytes m_bytes;
    void* m_mapping = nullptr;
    hidet_open_options m_options = {};
    package::Memory m_memory;
    package::Archive m_archive;
    package::Manifest m_manifest;
    package::List<package::Plan> m_plans;     // by variant
    package::List<Bytes> m_members;           // by row of the manifest
    package::List<std::uint8_t> m_is_checked; // by row
    char* m_description = nullptr;
    Shared* m_shared = nullptr;
    pthread_mutex_t m_mutex = PTHREAD_MUTEX_INITIALIZER;
    std::uint32_t m_users = 1;
};

} // namespace hidet::capi
