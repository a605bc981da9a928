// SPDX-License-Identifier: Apache-2.0
// The loops over the lanes of a register, and the choice of one by opcode and type. Local to each file, as ops.h.
#pragma once

#include "runtime/vm/vector/ops.h"
#include "runtime/vm/vector/table.h"

namespace hidet::vm {
namespace {

template <class T>
inline const T* lanes_of(const void* p) {
    return static_cast<const T*>(__builtin_assume_aligned(p, 64));
}
template <class T>
inline T* lanes_of(void* p) {
    return static_cast<T*>(__builtin_assume_aligned(p, 64));
}
template <class T>
inline T shared_value(const void* p) {
    T value;
    __builtin_memcpy(&value, p, sizeof value);
    return value;
}

// dst may be one of the operands: a lane is read before it is written, and no lane looks at another.
template <class F, class T, class R>
void unary_lanes(const VectorArgs& p) {
    auto* d = lanes_of<R>(p.dst);
    const auto* a = lanes_of<T>(p.a);
    int n = p.lanes / chunk_lanes * chunk_lanes;
#pragma GCC ivdep
    for (int i = 0; i < n; ++i)
        d[i] = F::apply(a[i]);
}

template <class F, class T, class R, unsigned S>
void binary_lanes(const VectorArgs& p) {
    auto* d = lanes_of<R>(p.dst);
    const auto* a = lanes_of<T>(p.a);
    const auto* b = lanes_of<T>(p.b);
    T one_a = (S & shared_a) ? shared_value<T>(p.a) : T();
    T one_b = (S & shared_b) ? shared_value<T>(p.b) : T();
    int n = p.lanes / chunk_lanes * chunk_lanes;
#pragma GCC ivdep
    for (int i = 0; i < n; ++i)
        d[i] = F::apply((S & shared_a) ? one_a : a[i], (S & shared_b) ? one_b : b[i]);
}

template <class F, class T, unsigned S>
void ternary_lanes(const VectorArgs& p) {
    auto* d = lanes_of<T>(p.dst);
    const auto* a = lanes_of<T>(p.a);
    const auto* b = lanes_of<T>(p.b);
    const auto* c = lanes_of<T>(p.c);
    T one_a = (S & shared_a) ? shared_value<T>(p.a) : T();
    T one_b = (S & shared_b) ? shared_value<T>(p.b) : T();
    T one_c = (S & shared_c) ? shared_value<T>(p.c) : T();
    int n = p.lanes / chunk_lanes * chunk_lanes;
#pragma GCC ivdep
    for (int i = 0; i < n; ++i)
        d[i] = F::apply((S & shared_a) ? one_a : a[i], (S & shared_b) ? one_b : b[i], (S & shared_c) ? one_c : c[i]);
}

template <class T, unsigned S>
void select_lanes(const VectorArgs& p) {
    auto* d = lanes_of<T>(p.dst);
    const auto* a = lanes_of<T>(p.a);
    const auto* b = lanes_of<T>(p.b);
    const auto* c = lanes_of<std::uint32_t>(p.c);
    T one_a = (S & shared_a) ? shared_value<T>(p.a) : T();
    T one_b = (S & shared_b) ? shared_value<T>(p.b) : T();
    std::uint32_t one_c = (S & shared_c) ? shared_value<std::uint32_t>(p.c) : 0;
    int n = p.lanes / chunk_lanes * chunk_lanes;
#pragma GCC ivdep
    for (int i = 0; i < n; ++i) {
        T x = (S & shared_a) ? one_a : a[i];
        T y = (S & shared_b) ? one_b : b[i];
        d[i] = ((S & shared_c) ? one_c : c[i]) ? x : y;
    }
}

template <class F, class T, class R = T>
VectorFn binary(unsigned shared) {
    switch (shared & 3u) {
    case 0: return binary_lanes<F, T, R, 0>;
    case shared_a: return binary_lanes<F, T, R, shared_a>;
    case shared_b: return binary_lanes<F, T, R, shared_b>;
    default: return binary_lanes<F, T, R, 3>;
    }
}

template <class F, class T>
VectorFn ternary(unsigned shared) {
    switch (shared & 7u) {
    case 0: return ternary_lanes<F, T, 0>;
    case 1: return ternary_lanes<F, T, 1>;
    case 2: return ternary_lanes<F, T, 2>;
    case 3: return ternary_lanes<F, T, 3>;
    case 4: return ternary_lanes<F, T, 4>;
    case 5: return ternary_lanes<F, T, 5>;
    case 6: return ternary_lanes<F, T, 6>;
    default: return ternary_lanes<F, T, 7>;
    }
}

template <class T>
VectorFn select(unsigned shared) {
    switch (shared & 7u) {
    case 0: return select_lanes<T, 0>;
    case 1: return select_lanes<T, 1>;
    case 2: return select_lanes<T, 2>;
    case 3: return select_lanes<T, 3>;
    case 4: return select_lanes<T, 4>;
    case 5: return select_lanes<T, 5>;
    case 6: return select_lanes<T, 6>;
    default: return select_lanes<T, 7>;
    }
}

using artifact::Op;
using artifact::Scalar;

// The leaf of an operation of the table; a bool is a word.
struct UseLeaf {
    unsigned shared;
    template <class F, int operands, class T, class R>
    VectorFn operator()() const {
        using Out = std::conditional_t<std::is_same_v<R, bool>, std::uint32_t, R>;
        if constexpr (operands == 1)
            return unary_lanes<F, T, Out>;
        else if constexpr (operands == 2)
            return binary<F, T, Out>(shared);
        else
            return ternary<F, T>(shared);
    }
    VectorFn none() const { return nullptr; }
};

} // namespace
} // namespace hidet::vm

// The parts that find() is put together from; each instruction set has its own.
namespace hidet::vm::HIDET_VM_ISA {
VectorFn find_integer(artifact::Op op, artifact::Scalar type, unsigned shared);
VectorFn find_single(artifact::Op op, unsigned shared);
VectorFn find_double(artifact::Op op, unsigned shared);
VectorFn find_convert(artifact::Op op, artifact::Scalar type, int x, unsigned shared);
void blend(void* dst, const void* src, const std::uint32_t* mask, int lanes, int bytes);
void add_scaled(std::int64_t* sum, const void* v, bool wide, std::int64_t stride, int lanes, bool first);
void range(const void* v, bool wide, const std::uint32_t* mask, int lanes, std::int64_t* lowest, std::int64_t* highest);
void classify(std::int64_t* offsets, std::int64_t* chunk_offsets, const std::uint16_t* bits, int chunks, int bytes,
              ChunkKind* kinds, Pattern* pattern);
void load(artifact::Scalar type, void* dst, const std::byte* base, const LaneOffsets& offsets);
void store(artifact::Scalar type, const void* src, bool shared, std::byte* base, const LaneOffsets& offsets,
           const std::uint16_t* bits);
void to_bits(const void* words, std::uint16_t* bits, int chunks);
void to_words(const std::uint16_t* bits, std::uint32_t* words, int chunks);
void muladd_all(std::byte* registers, const std::uint32_t* triples, int count, int chunks);
bool has_distances(const std::uint64_t* pointers, const std::int64_t* distances, int count);
void place_at(std::uint64_t* out, std::uint64_t base, const std::int64_t* distances, int count);
void move_lines(std::byte* to, const std::byte* from, const LineMove* lines, std::size_t count);
void move_swizzled(std::byte* to, const std::byte* from, std::int64_t pitch, int rows, int bytes, std::int64_t place);
void gather_rows(const std::byte* const* rows, std::size_t step, bool turned, void* out);
void gather_tiles(const std::byte* const* rows, int tiles, bool turned, std::byte* const* to, std::size_t at);
void spread_mma_a(const MmaShape& shape, const std::uint32_t* const* a, void* out);
void spread_mma_b(const MmaShape& shape, const std::uint32_t* const* b, void* out);
void spread_rows_a(const MmaShape& shape, const std::byte* const* rows, std::size_t step, void* out);
void spread_rows_b(const MmaShape& shape, const std::byte* const* rows, std::size_t step, int tiles, void* out);
void spread_tiles_a(const MmaShape& shape, const std::byte* const* const* tiles, bool turned, void* out);
void spread_tiles_b(const MmaShape& shape, const std::byte* const* const* tiles, bool turned, void* out);
void mma(const MmaShape& shape, std::uint32_t* const* c, std::size_t first, const void* a, const void* const* b,
         int tiles, const MmaParts& parts);
void muladd_memory(std::byte* registers, const MulAddTerm* terms, int count, const Factors& a, const Factors& b,
                   int chunks);
} // namespace hidet::vm::HIDET_VM_ISA
