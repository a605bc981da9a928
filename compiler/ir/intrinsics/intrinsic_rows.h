// SPDX-License-Identifier: Apache-2.0
// The words that rows of intrinsics are written in.
#pragma once

#include "compiler/ir/intrinsic.h"

namespace hidet::ir::rows {

using enum DType;
using enum Proxy;
using enum MemorySpace;

// ---- results ----

inline constexpr IntrinsicResult none{};
inline constexpr IntrinsicResult given{.kind = IntrinsicResult::Kind::Given};
inline constexpr IntrinsicResult pointee{.kind = IntrinsicResult::Kind::Pointee}; // of the first operand
constexpr IntrinsicResult like(std::size_t operand) {
    return {.kind = IntrinsicResult::Kind::Operand, .operand = operand};
}
constexpr IntrinsicResult a(DType dtype) {
    return {.kind = IntrinsicResult::Kind::Fixed, .dtype = dtype};
}

// ---- hardware ----

inline constexpr Architecture any_gpu{};
constexpr Architecture sm(int number) {
    return {number, false};
}
constexpr Architecture only_sm(int number) { // sm_90a: not on later ones
    return {number, true};
}
constexpr Architecture only_sm(int number, int last) { // sm_100a to sm_110a, which have no more in common
    return {number, true, last};
}

// ---- parameters ----

struct Parameter : IntrinsicParameter {
    constexpr Parameter(const char* text, ParameterRole which) {
        name = text;
        role = which;
    }
    constexpr Parameter of(DType type) const {
        Parameter out = *this;
        out.dtype = type;
        return out;
    }
    constexpr Parameter optional() const {
        Parameter out = *this;
        out.is_required = false;
        out.has_default = false;
        return out;
    }
    constexpr Parameter required() const {
        Parameter out = *this;
        out.is_required = true;
        out.has_default = false;
        return out;
    }
    constexpr Parameter or_else(std::int64_t number) const {
        Parameter out = optional();
        out.has_default = true;
        out.otherwise = number;
        return out;
    }
    constexpr Parameter up_to(int count) const { // -1: any number
        Parameter out = *this;
        out.most = count;
        return out;
    }
    constexpr Parameter by(Proxy path) const {
        Parameter out = *this;
        out.proxy = path;
        return out;
    }
    constexpr Parameter until(Completion when) const {
        Parameter out = *this;
        out.completion = when;
        return out;
    }
};

constexpr Parameter value(const char* name) {
    return {name, ParameterRole::Value};
}
constexpr Parameter value(const char* name, DType dtype) {
    return value(name).of(dtype);
}
constexpr Parameter element(const char* name) { // of the type that the first address points at
    Parameter out = value(name);
    out.is_pointee = true;
    return out;
}
constexpr Parameter text(const char* name) {
    return {name, ParameterRole::Text};
}
constexpr Parameter ignored(const char* name) {
    return Parameter(name, ParameterRole::Ignored).optional();
}

constexpr Parameter constant(const char* name, std::int64_t lowest, std::int64_t highest) {
    Parameter out(name, ParameterRole::Constant);
    out.lowest = lowest;
    out.highest = highest;
    return out;
}

constexpr Parameter address(const char* name, MemorySpace space, MemoryAccess access) {
    Parameter out(name, ParameterRole::Address);
    out.space = space;
    out.access = access;
    return out;
}
constexpr Parameter reads(const char* name, MemorySpace space) {
    return address(name, space, {.reads = true, .writes = false});
}
constexpr Parameter writes(const char* name, MemorySpace space) {
    return address(name, space, {.reads = false, .writes = true});
}
constexpr Parameter updates(const char* name, MemorySpace space) {
    return address(name, space, {.reads = true, .writes = true});
}
constexpr Parameter names(const char* name, MemorySpace space) { // the memory is not touched
    return address(name, space, {});
}
constexpr Parameter barrier(const char* name) { // one of the sixteen of a block
    return {name, ParameterRole::Barrier};
}
constexpr Parameter mbarrier(const char* name, MemorySpace space = Shared) { // 64 bits in shared memory
    Parameter out = updates(name, space).of(U64);
    out.role = ParameterRole::Barrier;
    return out;
}

// One of some words, of which the first is the default.
template <Choice E, class... More>
constexpr Parameter choice(const char* name, E first, More... more) {
    Parameter out = Parameter(name, ParameterRole::Word).or_else(static_cast<std::int64_t>(first));
    out.set = choice_set(first);
    for (E word : {first, more...})
        out.words |= std::uint64_t{1} << static_cast<unsigned>(word);
    return out;
}
template <Choice E>
constexpr Parameter any_of(const char* name) { // of all words, without a default
    Parameter out(name, ParameterRole::Word);
    out.set = choice_set(E{});
    return out;
}
template <Choice E>
constexpr Parameter any_of(const char* name, E otherwise) {
    return any_of<E>(name).or_else(static_cast<std::int64_t>(otherwise));
}
// One of some numbers, of which the first is the default.
template <class... More>
constexpr Parameter number(const char* name, int first, More... more) {
    static_assert(sizeof...(More) < 8);
    Parameter out = Parameter(name, ParameterRole::Number).or_else(first);
    for (int each : {first, more...})
        out.numbers[static_cast<std::size_t>(out.number_count++)] = static_cast<std::int16_t>(each);
    return out;
}

template <class... P>
constexpr std::array<IntrinsicParameter, sizeof...(P)> list(P... parameters) {
    return {parameters...};
}

// What follows from the parameters of a row.
constexpr IntrinsicInfo row(IntrinsicId id, const char* name, IntrinsicCategory category, Does does,
                            IntrinsicResult result, Architecture needs, const char* sentence,
                            std::span<const IntrinsicParameter> parameters) {
    IntrinsicInfo out{.id = id,
                      .name = name,
                      .category = category,
                      .does = does,
                      .result = result,
                      .needs = needs,
                      .sentence = sentence,
                      .parameters = parameters,
                      .effect = IntrinsicEffect::Pure,
                      .writes = false,
                      .min_args = 0,
                      .max_args = 0};
    bool reads = does == Does::AsksHost;
    for (const IntrinsicParameter& parameter : parameters) {
        if (!parameter.is_operand())
            continue;
        reads = reads || parameter.access.reads;
        out.writes = out.writes || parameter.access.writes;
        out.min_args += parameter.is_required || parameter.has_default ? 1 : 0;
        out.max_args = parameter.most < 0 || out.max_args < 0 ? -1 : out.max_args + parameter.most;
    }
    bool is_quiet = does == Does::Nothing || does == Does::Assumes || does == Does::AsksHost;
    if (out.writes || !is_quiet)
        out.effect = IntrinsicEffect::Acts;
    else if (reads)
        out.effect = IntrinsicEffect::Reads;
    return out;
}

} // namespace hidet::ir::rows
