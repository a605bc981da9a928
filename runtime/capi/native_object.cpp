// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/native_object.h"

#include <cerrno>
#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace hidet::capi {

namespace {

using namespace package;

struct LoadedObject : Shared {
    int file = -1;
    void* handle = nullptr;
};
const char object_kind = 0;

void free_object(Shared* shared) {
    auto* object = static_cast<LoadedObject*>(shared);
    if (object->handle)
        dlclose(object->handle);
    if (object->file >= 0)
        close(object->file);
    std::free(object);
}

bool write_all(int file, const Bytes& bytes) {
    for (std::uint64_t written = 0; written < bytes.count;) {
        const ssize_t count = write(file, bytes.data + written, bytes.count - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        written += static_cast<std::uint64_t>(count);
    }
    return true;
}

// dlopen() wants a file; this one has no name in any folder and is gone with its last user. It stays open as long as the object is
// loaded: dlopen() takes two objects with one path for the same, and the path has the number of the file.
bool load(LoadedObject& object, Text member, const Bytes& bytes, Problem& problem) {
    object.file = memfd_create("hidet-package", MFD_CLOEXEC);
    if (object.file < 0 || !write_all(object.file, bytes))
        return refuse(problem, Code::Failed, "'", member, "' could not be kept in memory: ", std::strerror(errno));
    char path[40];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", object.file);
    object.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object.handle)
        return true;
    const char* reason = dlerror();
    return refuse(problem, Code::Failed, "'", member, "' could not be loaded: ", reason ? reason : "no reason given");
}

} // namespace

int processor_level(Text architecture) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (architecture == text("x86-64-v4"))
        return __builtin_cpu_supports("x86-64-v4") ? 4 : 0;
    if (architecture == text("x86-64-v3"))
        return __builtin_cpu_supports("x86-64-v3") ? 3 : 0;
    if (architecture == text("x86-64-v2"))
        return __builtin_cpu_supports("x86-64-v2") ? 2 : 0;
    return architecture == text("x86-64") ? 1 : 0;
#else
    return architecture.empty() ? 1 : 0;
#endif
}

void* load_object(Package& package, Text member, Problem& problem) {
    Bytes bytes;
    if (!package.member(member, bytes, problem))
        return nullptr;
    const auto key = reinterpret_cast<std::uint64_t>(bytes.data);
    package.lock();
    auto* object = static_cast<LoadedObject*>(package.find(&object_kind, key));
    if (!object) {
        void* place = std::malloc(sizeof(LoadedObject));
        if (!place) {
            package.unlock();
            refuse(problem, Code::Memory, "memory for '", member, "'");
            return nullptr;
        }
        object = new (place) LoadedObject;
        object->kind = &object_kind;
        object->key = key;
        object->free = free_object;
        if (load(*object, member, bytes, problem)) {
            package.add(*object);
        } else {
            free_object(object);
            object = nullptr;
        }
    }
    package.unlock();
    return object ? object->handle : nullptr;
}

} // namespace hidet::capi
