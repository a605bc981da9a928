// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/stand_alone.h"

#include "app/session/work/steps.h"

namespace hidet::session {

// What an object that stands alone brings along beside the part of the C++ runtime that throws. That part takes memory for
// exceptions that find none when it is loaded, and would leave it behind; without a handler of its own for what nobody catches
// (the entry points catch all) it brings names of types back into words, which is half of its size; and it asks the newest C
// libraries which functions of theirs are made for it. What it looks for is in this object alone: code of the host in between is
// never unwound.
const char* const stand_alone_text = R"(
using size = decltype(sizeof 0);
namespace __gnu_cxx {
[[gnu::weak]] void __freeres();
}
namespace __cxxabiv1 {
static void give_up() {
    __builtin_abort();
}
[[gnu::visibility("hidden")]] void (*__terminate_handler)() = give_up;
}
[[gnu::destructor]] static void hidet_give_back() {
    if (__gnu_cxx::__freeres)
        __gnu_cxx::__freeres();
}
#if defined(__x86_64__) && defined(__ELF__)
namespace {
struct Segment {
    unsigned kind, flags;
    size offset, address, physical, bytes_in_file, bytes, alignment;
};
struct Object {
    size base;
    const char* name;
    const Segment* segments;
    unsigned short count;
};
struct Found {
    unsigned long long flags;
    void *begin, *end, *map, *frames;
    unsigned long long reserved[7];
};
struct Search {
    size address;
    Found* found;
};
constexpr unsigned loaded = 1, frames = 0x6474e550;
int look_into(Object* object, size, void* pointer) {
    Search* search = static_cast<Search*>(pointer);
    Found found = {};
    bool is_there = false;
    for (unsigned i = 0; i < object->count; ++i) {
        const Segment& each = object->segments[i];
        const size begin = object->base + each.address;
        if (each.kind == frames)
            found.frames = reinterpret_cast<void*>(begin);
        if (each.kind != loaded || search->address < begin || search->address >= begin + each.bytes)
            continue;
        found.begin = reinterpret_cast<void*>(begin);
        found.end = reinterpret_cast<void*>(begin + each.bytes);
        is_there = true;
    }
    if (!is_there || !found.frames)
        return 0;
    *search->found = found;
    return 1;
}
}
extern "C" {
int dl_iterate_phdr(int (*)(Object*, size, void*), void*);
[[gnu::visibility("hidden")]] int _dl_find_object(void* address, Found* found) {
    Search search = {reinterpret_cast<size>(address), found};
    return dl_iterate_phdr(look_into, &search) ? 0 : -1;
}
// State: 0, 1 while the function runs, 2.
[[gnu::visibility("hidden")]] int pthread_once(int* state, void (*function)()) {
    int none = 0;
    if (__atomic_compare_exchange_n(state, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        function();
        __atomic_store_n(state, 2, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != 2)
        __builtin_ia32_pause();
    return 0;
}
// Where there are variables of threads, nobody calls it.
[[gnu::visibility("hidden")]] int __pthread_key_create(unsigned*, void (*)(void*)) {
    return 11;
}
}
#endif
)";

Result<std::string> linked_objects(Work& work, Tools& tools, std::vector<std::string> objects,
                                   const std::string& processor) {
    work.enter("linking");
    toolchain::CompileRequest request;
    request.language = artifact::Language::Cxx;
    request.product = toolchain::Product::SharedObject;
    request.text = stand_alone_text;
    request.arch = processor;
    request.objects = std::move(objects);
    request.options.assign(stand_alone_options.begin(), stand_alone_options.end());
    request.cancelled = work.cancelled;
    HIDET_TRY(toolchain::CompileResult made, compiled_by(work, tools, request));
    return std::move(made.bytes);
}

} // namespace hidet::session
