// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/library.h"

#include <dlfcn.h>

namespace hidet::toolchain {

Result<Library> Library::open(const std::string& path) {
    Library library;
    library.m_handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.m_handle)
        return library;
    const char* reason = dlerror();
    return Error{"library-not-loaded", reason ? reason : path + " cannot be loaded"};
}

void* Library::symbol(const char* name) const {
    return dlsym(m_handle, name);
}

} // namespace hidet::toolchain
