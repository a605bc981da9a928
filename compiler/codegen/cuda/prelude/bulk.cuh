// SPDX-License-Identifier: Apache-2.0
// Copies of rows of bytes by the copy unit, and the type of tensor maps.

//> CUtensorMap
// How the copy unit sees a tensor in memory; the driver makes it.
struct alignas(64) CUtensorMap {
    unsigned long long words[16];
};

//> copy_bulk_s2s: shared_address
// cp.async.bulk.shared::cluster.shared::cta
inline __device__ void copy_bulk_s2s(int bytes, const void* to, const void* from, const void* mbar) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(shared_address(to)), "r"(shared_address(from)), "r"(bytes), "r"(shared_address(mbar))
                 : "memory");
}

//> copy_bulk_s2g: shared_address
// cp.async.bulk.global.shared::cta
inline __device__ void copy_bulk_s2g(int bytes, const void* to, const void* from) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 ::"l"(to), "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}

//> copy_bulk_prefetch
// cp.async.bulk.prefetch.L2
inline __device__ void copy_bulk_prefetch(int bytes, const void* from) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

//> copy_bulk_wait_group
// cp.async.bulk.wait_group
template <int groups>
inline __device__ void copy_bulk_wait_group() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory");
}

//> copy_bulk_wait_group_read
// cp.async.bulk.wait_group.read
template <int groups>
inline __device__ void copy_bulk_wait_group_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory");
}

//> wgmma_fence_operand
// Uses of registers stay on their side. Floats stay floats: ptxas would see moves between products otherwise.
inline __device__ void wgmma_fence_operand(float* values, int count) {
#pragma unroll
    for (int i = 0; i < count; ++i)
        asm volatile("" : "+f"(values[i])::"memory");
}
template <class T>
inline __device__ void wgmma_fence_operand(T* values, int count) {
#pragma unroll
    for (int i = 0; i < count; ++i)
        asm volatile("" : "+r"(reinterpret_cast<unsigned*>(values)[i])::"memory");
}
