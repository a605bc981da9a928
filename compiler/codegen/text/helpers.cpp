// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/helpers.h"

namespace hidet::compiler::text {

namespace {

struct Helper {
    const char* name;
    const char* head; // what follows the specifiers
    const char* body;
};

constexpr Helper common_helpers[] = {
    {"shift_left", "T shift_left(T a, T count)", R"(    // by the width or more: 0
    const unsigned long long width = 8 * sizeof(T);
    return (unsigned long long)count < width ? a << (count & T(width - 1)) : T(0);
)"},
    {"shift_right", "T shift_right(T a, T count)", R"(    // by the width or more: what remains is the sign
    const unsigned long long width = 8 * sizeof(T);
    const T sign = T(-1) > T(0) ? T(0) : a >> (width - 1);
    return (unsigned long long)count < width ? a >> (count & T(width - 1)) : sign;
)"},
};

constexpr Helper cuda_helpers[] = {
    {"check", "void check(bool holds, const char* message, const char* function)", R"(    if (!holds)
        __assertfail(message, function, 0, function, 1);
)"},
};

// C++ for the CPU, in the order of their definitions. What fails tells the host and unwinds to the entry point.
struct HostHelper {
    const char* name;
    const char* needs;
    const char* text;
};

constexpr HostHelper host_helpers[] = {
    {"failure", "", R"(// What a function that failed throws to its entry point, after it told the host.
struct failure {};
)"},
    {"fail", "failure", R"([[noreturn]] static inline void fail(const hidet_host* host, const char* message) {
    host->fail(host->self, message);
    throw failure();
}
)"},
    {"check", "fail", R"(static inline void check(const hidet_host* host, bool holds, const char* message) {
    if (__builtin_expect(!holds, 0))
        fail(host, message);
}
)"},
    {"print", "",
     R"(__attribute__((format(printf, 2, 3))) static inline void print(const hidet_host* host, const char* format, ...) {
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
)"},
    {"heap_array", "fail", R"(// A local array that is too large for the stack.
template <class T>
struct heap_array {
    heap_array(const hidet_host* host, unsigned long long count)
        : memory(static_cast<char*>(__builtin_malloc(count * sizeof(T) + 64))),
          data(reinterpret_cast<T*>(reinterpret_cast<unsigned long long>(memory + 63) & ~63ull)) {
        if (!memory)
            fail(host, "out of memory");
    }
    ~heap_array() { __builtin_free(memory); }
    heap_array(const heap_array&) = delete;
    char* const memory;
    T* const data;
};
)"},
    {"parallel_for", "failure",
     R"(// body(i) for each i in [0, count), on this many threads of the host (0: all). The body is copied, so that what it captures
// stays in registers.
template <class Index, class Body>
static inline void parallel_for(const hidet_host* host, Index count, int threads, const Body& body) {
    struct Context {
        const Body& body;
        bool failed;
    } context = {body, false};
    host->parallel_for(host->self, count, threads, [](void* pointer, long long begin, long long end) {
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
)"},
    {"divide", "fail", R"(template <class T>
static inline T divide(const hidet_host* host, T a, T b) {
    if (b == 0)
        fail(host, "divides an integer by zero");
    return T(-1) < T(1) && b == T(-1) ? T(0ull - (unsigned long long)a) : a / b; // the lowest number wraps
}
)"},
    {"remainder", "fail", R"(template <class T>
static inline T remainder(const hidet_host* host, T a, T b) {
    if (b == 0)
        fail(host, "divides an integer by zero");
    return T(-1) < T(1) && b == T(-1) ? T(0) : a % b;
}
)"},
    {"floor_divide", "divide", R"(template <class T>
static inline T floor_divide(const hidet_host* host, T a, T b) { // rounds down
    const T quotient = divide(host, a, b);
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
)"},
    {"floor_remainder", "remainder", R"(template <class T>
static inline T floor_remainder(const hidet_host* host, T a, T b) { // has the sign of b
    const T rest = remainder(host, a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
)"},
};

void add_needs(Helpers& used, const std::string& name) {
    for (const HostHelper& helper : host_helpers)
        if (helper.name == name && helper.needs[0] && used.insert(helper.needs).second)
            add_needs(used, helper.needs);
}

std::string host_text(Helpers used) {
    for (const HostHelper& helper : host_helpers)
        if (used.contains(helper.name))
            add_needs(used, helper.name);
    std::string text;
    for (const HostHelper& helper : host_helpers)
        if (used.contains(helper.name))
            text += std::string(helper.text) + "\n";
    return text;
}

} // namespace

const Helpers& helper_names() {
    static const Helpers names = [] {
        Helpers set;
        for (const Helper& helper : common_helpers)
            set.insert(helper.name);
        for (const Helper& helper : cuda_helpers)
            set.insert(helper.name);
        for (const HostHelper& helper : host_helpers)
            set.insert(helper.name);
        return set;
    }();
    return names;
}

std::string helper_text(const Helpers& used, artifact::Language language) {
    bool is_cuda = language == artifact::Language::CudaCxx;
    std::string specifiers = is_cuda ? "static __device__ __forceinline__ " : "static inline ";
    std::string text;
    auto add = [&](const Helper& helper, const char* before) {
        if (used.contains(helper.name))
            text += before + specifiers + helper.head + " {\n" + helper.body + "}\n\n";
    };
    for (const Helper& helper : common_helpers)
        add(helper, "template <class T>\n");
    if (is_cuda)
        for (const Helper& helper : cuda_helpers)
            add(helper, "");
    return is_cuda ? text : text + host_text(used);
}

} // namespace hidet::compiler::text
