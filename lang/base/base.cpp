// SPDX-License-Identifier: Apache-2.0
#include "lang/base/check.h"
#include "lang/base/ref.h"

#include <string_view>

namespace hidet {

void internal_failure(const char* file, int line, const char* condition, const std::string& detail) {
    std::string_view path = file;
    if (auto slash = path.rfind('/'); slash != std::string_view::npos)
        path.remove_prefix(slash + 1);
    std::string text = std::string(path) + ":" + std::to_string(line) + ": " + condition;
    if (!detail.empty())
        text += ": " + detail;
    throw InternalError(text);
}

void RefCounted::destroy_later(const RefCounted* object) noexcept {
    // The objects that died while another one was being destroyed wait in a list instead of in nested calls.
    thread_local const RefCounted* waiting = nullptr;
    thread_local bool draining = false;
    object->m_next_dead = waiting;
    waiting = object;
    if (draining)
        return;
    draining = true;
    while (waiting) {
        const RefCounted* next = waiting;
        waiting = next->m_next_dead;
        delete next;
    }
    draining = false;
}

} // namespace hidet
