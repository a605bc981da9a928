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

} // namespace

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
