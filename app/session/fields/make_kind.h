// SPDX-License-Identifier: Apache-2.0
// Descriptions of types, made from lists of their members: each member named once. One that is forgotten does not build.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/session/exporting/export.h"
#include "app/session/fields/choices.h"
#include "app/session/fields/kind.h"
#include "app/session/kernel_bench/run.h"
#include "app/session/kernel_bench/steps.h"
#include "app/session/kernel_bench/versions.h"
#include "app/session/model/code.h"
#include "app/session/model/compare/compare_runs.h"
#include "app/session/model/compare/graph_changes.h"
#include "app/session/model/scale.h"
#include "app/session/model/tune/tune.h"
#include "app/session/model/view/number_table.h"
#include "app/session/preview/canvas.h"
#include "app/session/preview/compiled_text.h"
#include "app/session/preview/preview.h"
#include "app/session/profile/profile.h"
#include "app/session/prove/contracts.h"
#include "app/session/prove/prove_script.h"
#include "app/session/tensor/tensor_text.h"
#include "app/session/tools/doctor.h"
#include "lang/base/check.h"
#include "runtime/toolchain/compiler.h"

namespace hidet::session::fields {

// How many initialisers a struct takes is how many members (and bases) it has.
struct Anything {
    template <class T>
    operator T() const {
        throw InternalError("only its type is of use");
    }
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires {
        T{(static_cast<void>(I), Anything{})...};
    };
}
template <class T, std::size_t Count>
constexpr bool has_members() {
    return takes<T>(std::make_index_sequence<Count>()) && !takes<T>(std::make_index_sequence<Count + 1>());
}

// Whether an enumerator has this value: the compiler's name of a value that none has is that of a cast.
template <auto Value>
constexpr bool is_enumerator() {
    constexpr std::string_view text = __PRETTY_FUNCTION__;
    return text[text.rfind(" = ") + 3] != '(';
}
template <class Enum, std::size_t... I>
constexpr std::array<bool, sizeof...(I)> enumerators_of(std::index_sequence<I...>) {
    return {is_enumerator<static_cast<Enum>(I)>()...};
}
template <class Enum>
constexpr bool is_known(std::int64_t value) {
    constexpr auto known = enumerators_of<Enum>(std::make_index_sequence<48>());
    static_assert(known.front() && !known.back(), "enumerators count from 0, and are fewer");
    return value >= 0 && value < static_cast<std::int64_t>(known.size()) && known[static_cast<std::size_t>(value)];
}

// The list of a type: HIDET_STRUCT makes it.
template <class T>
struct Fields;

template <class T>
struct Make {
    static Kind kind() {
        if constexpr (std::is_enum_v<T>)
            return choice();
        else if constexpr (std::is_same_v<T, bool>)
            return {.sort = Kind::Sort::Bool};
        else if constexpr (std::is_same_v<T, double>)
            return {.sort = Kind::Sort::Number};
        else if constexpr (std::is_integral_v<T>)
            return {.sort = Kind::Sort::Integer, .bytes = sizeof(T), .is_signed = std::is_signed_v<T>};
        else
            return Fields<T>::kind();
    }

private:
    static Kind choice() {
        Kind kind{.sort = Kind::Sort::Choice,
                  .bytes = sizeof(T),
                  .is_signed = std::is_signed_v<std::underlying_type_t<T>>,
                  .is_known = is_known<T>};
        if constexpr (requires { choice_name(T()); })
            kind.choice = [](std::int64_t value) { return choice_name(static_cast<T>(value)); };
        return kind;
    }
};

template <>
struct Make<std::string> {
    static Kind kind() { return {.sort = Kind::Sort::Text}; }
};

template <>
struct Make<std::monostate> {
    static Kind kind() { return {}; }
};

template <class T>
struct Make<std::vector<T>> {
    using List = std::vector<T>;
    static Kind kind() {
        Kind kind{.sort = Kind::Sort::List, .inner = &kind_of<T>()};
        kind.size = [](const void* list) { return static_cast<const List*>(list)->size(); };
        kind.resize = [](void* list, std::size_t size) {
            static_cast<List*>(list)->clear();
            static_cast<List*>(list)->resize(size);
            return true;
        };
        kind.at = [](const void* list, std::size_t index) -> const void* {
            return static_cast<const List*>(list)->data() + index;
        };
        return kind;
    }
};

template <class T, std::size_t N>
struct Make<std::array<T, N>> {
    static Kind kind() {
        Kind kind{.sort = Kind::Sort::List, .inner = &kind_of<T>()};
        kind.size = [](const void*) { return N; };
        kind.resize = [](void*, std::size_t size) { return size == N; };
        kind.at = [](const void* list, std::size_t index) -> const void* {
            return static_cast<const std::array<T, N>*>(list)->data() + index;
        };
        return kind;
    }
};

template <class T>
struct Make<std::optional<T>> {
    using Maybe = std::optional<T>;
    static Kind kind() {
        Kind kind{.sort = Kind::Sort::Maybe, .inner = &kind_of<T>()};
        kind.size = [](const void* maybe) -> std::size_t { return static_cast<const Maybe*>(maybe)->has_value(); };
        kind.resize = [](void* maybe, std::size_t size) {
            static_cast<Maybe*>(maybe)->reset();
            if (size == 1)
                static_cast<Maybe*>(maybe)->emplace();
            return size <= 1;
        };
        kind.at = [](const void* maybe, std::size_t) -> const void* { return &**static_cast<const Maybe*>(maybe); };
        return kind;
    }
};

// Shared texts of views, which are written only.
template <class T>
struct Make<std::shared_ptr<const T>> {
    using Pointer = std::shared_ptr<const T>;
    static Kind kind() {
        Kind kind{.sort = Kind::Sort::Maybe, .inner = &kind_of<T>()};
        kind.size = [](const void* pointer) -> std::size_t { return *static_cast<const Pointer*>(pointer) ? 1 : 0; };
        kind.resize = [](void*, std::size_t) { return false; };
        kind.at = [](const void* pointer, std::size_t) -> const void* {
            return static_cast<const Pointer*>(pointer)->get();
        };
        return kind;
    }
};

// The member of a struct, which may be one of a base.
template <class Struct, class Base, class Type>
Field row_of(const char* name, Type Base::*member) {
    alignas(Struct) static const char storage[sizeof(Struct)] = {}; // only addresses are taken, nothing is read
    const auto* value = reinterpret_cast<const Struct*>(storage);
    return {name, &kind_of<Type>(), reinterpret_cast<const char*>(&(value->*member)) - storage};
}

template <class First, class Second>
struct Make<std::pair<First, Second>> {
    using Pair = std::pair<First, Second>;
    static Kind kind() {
        return {.sort = Kind::Sort::Pair,
                .rows = {row_of<Pair>("first", &Pair::first), row_of<Pair>("second", &Pair::second)}};
    }
};

template <class Struct, int Others, std::size_t Count>
Kind struct_kind(const Field (&rows)[Count]) {
    static_assert(has_members<Struct, Count + Others>(), "a member of this struct is missing in its list");
    return {.sort = Kind::Sort::Struct, .rows = {rows, rows + Count}};
}
template <class Struct, int Others>
Kind struct_kind() {
    static_assert(has_members<Struct, 0>(), "a member of this struct is missing in its list");
    return {.sort = Kind::Sort::Struct};
}

// Members of a base class are listed like one's own; `others` counts the members that stay behind, and takes away those that
// a base has more than one of.
#define HIDET_STRUCT(type, others, ...)                                                                                \
    template <>                                                                                                        \
    struct Fields<type> {                                                                                              \
        using S = type;                                                                                                \
        static Kind kind() { return struct_kind<S, others>(__VA_OPT__({__VA_ARGS__})); }                               \
    }
#define F(name) row_of<S>(#name, &S::name)

template <class T>
const Kind& kind_of() {
    static const Kind kind = Make<T>::kind();
    return kind;
}

// What kinds.cpp makes for others.
#define HIDET_MADE_KINDS(keyword)                                                                                      \
    keyword template const Kind& kind_of<BenchRequest>();                                                              \
    keyword template const Kind& kind_of<BenchResult>();                                                               \
    keyword template const Kind& kind_of<BenchRow>();                                                                  \
    keyword template const Kind& kind_of<CacheReport>();                                                               \
    keyword template const Kind& kind_of<CanvasResult>();                                                              \
    keyword template const Kind& kind_of<Comparison>();                                                                \
    keyword template const Kind& kind_of<CompiledTextResult>();                                                        \
    keyword template const Kind& kind_of<ContractResult>();                                                            \
    keyword template const Kind& kind_of<DiagnosticView>();                                                            \
    keyword template const Kind& kind_of<DoctorReport>();                                                              \
    keyword template const Kind& kind_of<Error>();                                                                     \
    keyword template const Kind& kind_of<ExplainResult>();                                                             \
    keyword template const Kind& kind_of<ExportResult>();                                                              \
    keyword template const Kind& kind_of<ExportedFile>();                                                              \
    keyword template const Kind& kind_of<FormSnapshot>();                                                              \
    keyword template const Kind& kind_of<KernelExplained>();                                                           \
    keyword template const Kind& kind_of<KernelView>();                                                                \
    keyword template const Kind& kind_of<MachineView>();                                                               \
    keyword template const Kind& kind_of<ModelBenchResult>();                                                          \
    keyword template const Kind& kind_of<ModelChanges>();                                                              \
    keyword template const Kind& kind_of<ModelCodeResult>();                                                           \
    keyword template const Kind& kind_of<ModelCompileResult>();                                                        \
    keyword template const Kind& kind_of<ModelNodeError>();                                                            \
    keyword template const Kind& kind_of<ModelRequest>();                                                              \
    keyword template const Kind& kind_of<ModelRunRequest>();                                                           \
    keyword template const Kind& kind_of<ModelRunResult>();                                                            \
    keyword template const Kind& kind_of<ModelScaleResult>();                                                          \
    keyword template const Kind& kind_of<ModelStepRow>();                                                              \
    keyword template const Kind& kind_of<ModelTuneResult>();                                                           \
    keyword template const Kind& kind_of<std::vector<tune::RecordKey>>();                                              \
    keyword template const Kind& kind_of<ModuleSnapshot>();                                                            \
    keyword template const Kind& kind_of<NoteView>();                                                                  \
    keyword template const Kind& kind_of<Place>();                                                                     \
    keyword template const Kind& kind_of<PreviewResult>();                                                             \
    keyword template const Kind& kind_of<RunRecord>();                                                                 \
    keyword template const Kind& kind_of<ProfileResult>();                                                             \
    keyword template const Kind& kind_of<RunComparison>();                                                             \
    keyword template const Kind& kind_of<RunRequest>();                                                                \
    keyword template const Kind& kind_of<RunResult>();                                                                 \
    keyword template const Kind& kind_of<Slowdown>();                                                                  \
    keyword template const Kind& kind_of<NumberTable>();                                                               \
    keyword template const Kind& kind_of<Source>();                                                                    \
    keyword template const Kind& kind_of<TensorView>();                                                                \
    keyword template const Kind& kind_of<TextSnapshot>();                                                              \
    keyword template const Kind& kind_of<TimesView>();                                                                 \
    keyword template const Kind& kind_of<KernelBenchRequest>();                                                        \
    keyword template const Kind& kind_of<KernelBenchResult>();                                                         \
    keyword template const Kind& kind_of<ProveResult>();                                                               \
    keyword template const Kind& kind_of<toolchain::CompileRequest>();                                                 \
    keyword template const Kind& kind_of<toolchain::CompileResult>();                                                  \
    keyword template const Kind& kind_of<std::vector<DiagnosticView>>();                                               \
    keyword template const Kind& kind_of<std::vector<ModelRecord>>();                                                  \
    keyword template const Kind& kind_of<std::vector<ModelTuneResult>>();                                              \
    keyword template const Kind& kind_of<std::vector<MachineView>>();                                                  \
    keyword template const Kind& kind_of<std::vector<RunRecord>>();                                                    \
    keyword template const Kind& kind_of<std::vector<StageTime>>();                                                    \
    keyword template const Kind& kind_of<std::vector<ModuleStructure>>();                                              \
    keyword template const Kind& kind_of<std::vector<TextStep>>();
HIDET_MADE_KINDS(extern)

} // namespace hidet::session::fields
