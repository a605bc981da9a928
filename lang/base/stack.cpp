// SPDX-License-Identifier: Apache-2.0
#include "lang/base/stack.h"

#include <pthread.h>

namespace hidet {

static const char* ask_stack_end() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return nullptr;
    void* lowest = nullptr;
    std::size_t size = 0;
    const bool is_known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
    pthread_attr_destroy(&attributes);
    return is_known ? static_cast<const char*>(lowest) : nullptr;
}

const char* stack_end() {
    static thread_local const char* const end = ask_stack_end(); // for the first thread a file of the system is read
    return end;
}

} // namespace hidet
