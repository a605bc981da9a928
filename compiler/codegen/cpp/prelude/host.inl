// SPDX-License-Identifier: Apache-2.0
// What headers of C would declare, and what C++ for the CPU calls of its host (hidet_host is in artifact/host_table.h). What
// fails tells the host and unwinds to the entry point.

//> INFINITY
#define INFINITY __builtin_inff()

//> NAN
#define NAN __builtin_nanf("")

//> failure
// What a function that failed throws to its entry point, after it told the host.
struct failure {};

//> fail: hidet_host failure
[[noreturn]] inline void fail(const hidet_host* host, int check, const char* message) {
    host->fail(host->self, check, message);
    throw failure();
}

//> check: hidet_host fail
inline void check(const hidet_host* host, bool holds, const char* message, int check) {
    if (__builtin_expect(!holds, 0))
        fail(host, check, message);
}

//> workspace: hidet_host failure
// Memory until the call ends; a failure where the host, which then knows, has none.
inline void* workspace(const hidet_host* host, long long bytes, int zeroed) {
    void* const memory = host->workspace(host->self, bytes, zeroed);
    if (!memory)
        throw failure();
    return memory;
}

//> inside: hidet_host failure
// The slot of an element; a failure where an index that is in the mask lies outside of its extent.
template <unsigned mask, int rank, class Slot>
inline Slot inside(const hidet_host* host, int check, Slot slot, const long long (&index)[rank],
                   const long long (&shape)[rank]) {
    bool holds = true;
    for (int i = 0; i < rank; ++i)
        if (mask >> i & 1)
            holds &= (unsigned long long)index[i] < (unsigned long long)shape[i];
    if (__builtin_expect(!holds, 0)) {
        host->outside(host->self, check, rank, index, shape);
        throw failure();
    }
    return slot;
}

//> print: hidet_host
[[gnu::format(printf, 2, 3)]] inline void print(const hidet_host* host, const char* format, ...) {
    char line[256];
    __builtin_va_list arguments, again;
    __builtin_va_start(arguments, format);
    __builtin_va_copy(again, arguments);
    const int length = __builtin_vsnprintf(line, sizeof line, format, arguments);
    if (length < int(sizeof line)) {
        host->print(host->self, line, length);
    } else if (char* text = static_cast<char*>(__builtin_malloc(length + 1ull))) {
        __builtin_vsnprintf(text, length + 1ull, format, again);
        host->print(host->self, text, length);
        __builtin_free(text);
    }
    __builtin_va_end(again);
    __builtin_va_end(arguments);
}

//> heap_array: hidet_host fail
// A local array that is too large for the stack.
template <class T>
struct heap_array {
    heap_array(const hidet_host* host, unsigned long long count)
        : memory(static_cast<char*>(__builtin_malloc(count * sizeof(T) + 64))),
          data(reinterpret_cast<T*>(reinterpret_cast<unsigned long long>(memory + 63) & ~63ull)) {
        if (!memory)
            fail(host, -1, "out of memory");
    }
    ~heap_array() { __builtin_free(memory); }
    heap_array(const heap_array&) = delete;
    char* const memory;
    T* const data;
};

//> parallel_for: hidet_host failure
// body(i) for each i in [0, count), on this many threads of the host (0: all). The body is copied and inlined, so that what it
// captures stays in registers.
template <class Index, class Body>
inline void parallel_for(const hidet_host* host, Index count, int threads, const Body& body) {
    struct Context {
        const Body& body;
        bool failed;
    } context = {body, false};
    host->parallel_for(host->self, count, threads, [](void* pointer, long long begin, long long end) __attribute__((flatten)) {
        Context* context = static_cast<Context*>(pointer);
        const Body body = context->body;
        try {
            for (Index i = Index(begin); i < Index(end); ++i)
                body(i);
        } catch (const failure&) {
            __atomic_store_n(&context->failed, true, __ATOMIC_RELAXED);
        }
    }, &context);
    if (context.failed)
        throw failure();
}

//> checked_div: hidet_host fail
template <class T>
inline T checked_div(const hidet_host* host, T a, T b, int check) {
    if (b == 0)
        fail(host, check, "divides an integer by zero");
    return T(-1) < T(1) && b == T(-1) ? T(0ull - (unsigned long long)a) : a / b; // the lowest number wraps
}

//> checked_rem: hidet_host fail
template <class T>
inline T checked_rem(const hidet_host* host, T a, T b, int check) {
    if (b == 0)
        fail(host, check, "divides an integer by zero");
    return T(-1) < T(1) && b == T(-1) ? T(0) : a % b;
}

//> checked_floor_div: hidet_host checked_div
template <class T>
inline T checked_floor_div(const hidet_host* host, T a, T b, int check) { // rounds down
    const T quotient = checked_div(host, a, b, check);
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

//> checked_floor_mod: hidet_host checked_rem
template <class T>
inline T checked_floor_mod(const hidet_host* host, T a, T b, int check) { // has the sign of b
    const T rest = checked_rem(host, a, b, check);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

//> atomic_update
// Puts update(what is there) into a place at once, and gives what was there.
template <class T, class Update>
inline T atomic_update(T* place, const Update& update) {
    T before;
    __atomic_load(place, &before, __ATOMIC_RELAXED);
    for (;;) {
        T after = update(before);
        if (__atomic_compare_exchange(place, &before, &after, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return before;
    }
}

//> atomic_add: atomic_update
template <class T>
inline T atomic_add(T* place, T value) {
    return atomic_update(place, [=](T before) { return T(before + value); });
}

//> atomic_sub: atomic_update
template <class T>
inline T atomic_sub(T* place, T value) {
    return atomic_update(place, [=](T before) { return T(before - value); });
}

//> atomic_min: atomic_update
template <class T>
inline T atomic_min(T* place, T value) {
    return atomic_update(place, [=](T before) { return value < before ? value : before; });
}

//> atomic_max: atomic_update
template <class T>
inline T atomic_max(T* place, T value) {
    return atomic_update(place, [=](T before) { return before < value ? value : before; });
}

//> atomic_exchange
template <class T>
inline T atomic_exchange(T* place, T value) {
    T before;
    __atomic_exchange(place, &value, &before, __ATOMIC_SEQ_CST);
    return before;
}

//> atomic_cas
template <class T>
inline T atomic_cas(T* place, T compare, T value) {
    __atomic_compare_exchange(place, &compare, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}

//> load_parts
template <int bytes, class... Part>
inline void load_parts(const void* memory, bool guard, Part*... parts) {
    char copy[bytes * sizeof...(parts)];
    if (!guard)
        return;
    __builtin_memcpy(copy, memory, sizeof copy);
    const char* from = copy;
    ((__builtin_memcpy(parts, from, bytes), from += bytes), ...);
}

//> load_part_or_zero: load_parts
template <int bytes, class Part>
inline void load_part_or_zero(const void* memory, bool guard, Part* part) {
    if (!guard)
        __builtin_memset(part, 0, bytes);
    load_parts<bytes>(memory, guard, part);
}

//> store_parts
template <int bytes, class... Part>
inline void store_parts(void* memory, bool guard, const Part*... parts) {
    char* to = static_cast<char*>(memory);
    if (guard)
        ((__builtin_memcpy(to, parts, bytes), to += bytes), ...);
}

//> atomic_load
template <class T>
inline T atomic_load(const T* place) {
    T value;
    __atomic_load(place, &value, __ATOMIC_SEQ_CST);
    return value;
}

//> atomic_store
template <class T>
inline void atomic_store(T* place, T value) {
    __atomic_store(place, &value, __ATOMIC_SEQ_CST);
}
