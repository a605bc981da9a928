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

} // namespace

const Helpers& helper_names() {
    static const Helpers names = [] {
        Helpers set;
        for (const Helper& helper : common_helpers)
            set.insert(helper.name);
        for (const Helper& helper : cuda_helpers)
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
    return text;
}

} // namespace hidet::compiler::text
