// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

namespace {

#if defined(__AVX512F__)
constexpr int native_lanes = 16;
#elif defined(__AVX__)
constexpr int native_lanes = 8;
#else
constexpr int native_lanes = 4;
#endif
typedef float Native __attribute__((vector_size(native_lanes * sizeof(float)), may_alias));
typedef float Unaligned __attribute__((vector_size(native_lanes * sizeof(float)), may_alias, aligned(4)));
constexpr int natives = chunk_lanes / native_lanes; // of a chunk

// Chunks that are worked on together: enough independent sums to hide the latency of an addition.
constexpr int together = 4;

template <int chunks>
void muladd_chunks(std::byte* registers, const std::uint32_t* triples, int count) {
    constexpr int vectors = chunks * chunk_lanes / native_lanes;
    for (int t = 0; t < count;) {
        auto* sum = reinterpret_cast<Native*>(registers + triples[3 * t]);
        Native held[vectors];
        for (int v = 0; v < vectors; ++v)
            held[v] = sum[v];
        int first = t;
        // Products for one sum, one after the other.
        do {
            const auto* a = reinterpret_cast<const Native*>(registers + triples[3 * t + 1]);
            const auto* b = reinterpret_cast<const Native*>(registers + triples[3 * t + 2]);
            for (int v = 0; v < vectors; ++v)
                held[v] = a[v] * b[v] + held[v];
            ++t;
        } while (t < count && triples[3 * t] == triples[3 * first]);
        for (int v = 0; v < vectors; ++v)
            sum[v] = held[v];
    }
}

// One value, which the compiler spreads, or those of a part of a chunk.
template <bool is_one>
inline auto factor(const std::byte* at, int part) {
    if constexpr (is_one) {
        float value;
        __builtin_memcpy(&value, at, sizeof value);
        return value;
    } else {
        return static_cast<Native>(reinterpret_cast<const Unaligned*>(at)[part]);
    }
}

// `same_b`: the chunks have their b from one place.
template <bool one_a, bool one_b, bool same_b, int chunks>
void muladd_from(std::byte* registers, const MulAddTerm* terms, int count, const Factors& a, const Factors& b,
                 int first) {
    std::int64_t a_chunks[chunks], b_chunks[chunks];
    for (int c = 0; c < chunks; ++c)
        a_chunks[c] = a.chunks[first + c], b_chunks[c] = b.chunks[first + c];
    for (int t = 0; t < count;) {
        const std::uint32_t place = terms[t].sum;
        auto* sum = reinterpret_cast<Native*>(registers + place) + first * natives;
        Native held[chunks * natives];
        for (int v = 0; v < chunks * natives; ++v)
            held[v] = sum[v];
        do {
            const std::byte* a_at = a.members[terms[t].a];
            const std::byte* b_at = b.members[terms[t].b];
#pragma GCC unroll 4
            for (int n = 0; n < natives; ++n) {
                const auto shared = factor<one_b>(b_at + b_chunks[0], n);
#pragma GCC unroll 8
                for (int c = 0; c < chunks; ++c) {
                    const auto own = same_b ? shared : factor<one_b>(b_at + b_chunks[c], n);
                    held[c * natives + n] = factor<one_a>(a_at + a_chunks[c], n) * own + held[c * natives + n];
                }
            }
            ++t;
        } while (t < count && terms[t].sum == place);
        for (int v = 0; v < chunks * natives; ++v)
            sum[v] = held[v];
    }
}

template <int chunks>
void muladd_from(std::byte* registers, const MulAddTerm* terms, int count, const Factors& a, const Factors& b,
                 int first) {
    bool same_b = true;
    for (int c = 1; c < chunks; ++c)
        same_b = same_b && b.chunks[first + c] == b.chunks[first];
    if (a.is_one && !b.is_one)
        return same_b ? muladd_from<true, false, true, chunks>(registers, terms, count, a, b, first)
                      : muladd_from<true, false, false, chunks>(registers, terms, count, a, b, first);
    if (a.is_one)
        return muladd_from<true, true, false, chunks>(registers, terms, count, a, b, first);
    if (b.is_one)
        return muladd_from<false, true, false, chunks>(registers, terms, count, a, b, first);
    return same_b ? muladd_from<false, false, true, chunks>(registers, terms, count, a, b, first)
                  : muladd_from<false, false, false, chunks>(registers, terms, count, a, b, first);
}

// Chunks whose sums are in registers of the processor at once.
constexpr int held_chunks = native_lanes == 16 ? 8 : native_lanes == 8 ? 4 : 2;

} // namespace

void muladd_memory(std::byte* registers, const MulAddTerm* terms, int count, const Factors& a, const Factors& b,
                   int chunks) {
    int first = 0;
    for (; first + held_chunks <= chunks; first += held_chunks)
        muladd_from<held_chunks>(registers, terms, count, a, b, first);
    for (; first < chunks; ++first)
        muladd_from<1>(registers, terms, count, a, b, first);
}

void muladd_all(std::byte* registers, const std::uint32_t* triples, int count, int chunks) {
    constexpr std::size_t chunk_bytes = chunk_lanes * sizeof(float);
    for (; chunks >= together; chunks -= together, registers += together * chunk_bytes)
        muladd_chunks<together>(registers, triples, count);
    for (; chunks > 0; --chunks, registers += chunk_bytes)
        muladd_chunks<1>(registers, triples, count);
}

VectorFn find_single(Op op, unsigned shared) {
    return with_operation<float>(op, UseLeaf{shared});
}

} // namespace hidet::vm::HIDET_VM_ISA
