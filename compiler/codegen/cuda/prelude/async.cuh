// SPDX-License-Identifier: Apache-2.0
// Shared memory and copies that do not wait.

//> shared_address: uint32_t
// The 32-bit address that PTX knows a place in shared memory by.
inline __device__ uint32_t shared_address(const void* pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
inline __device__ uint32_t shared_address(uint32_t address) { return address; }

//> cp_async_policy(suffix, cache, prefetch, policy): shared_address uint64_t
// cp.async$cache$prefetch, with a hint for the second-level cache.
template <int bytes, class To>
inline __device__ void cp_async$suffix(To to, const void* from, int source_bytes = bytes) {
    uint64_t policy;
    asm("createpolicy.fractional.L2::$policy.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async$cache.shared.global.L2::cache_hint$prefetch [%0], [%1], %2, %3, %4;"
                 ::"r"(shared_address(to)), "l"(from), "n"(bytes), "r"(source_bytes), "l"(policy)
                 : "memory");
}

//> cp_async(suffix, cache, prefetch): shared_address
// cp.async$cache$prefetch: copies to shared memory; what lies beyond source_bytes becomes 0.
template <int bytes, class To>
inline __device__ void cp_async$suffix(To to, const void* from) {
    asm volatile("cp.async$cache.shared.global$prefetch [%0], [%1], %2;"
                 ::"r"(shared_address(to)), "l"(from), "n"(bytes)
                 : "memory");
}
template <int bytes, class To>
inline __device__ void cp_async$suffix(To to, const void* from, int source_bytes) {
    asm volatile("cp.async$cache.shared.global$prefetch [%0], [%1], %2, %3;"
                 ::"r"(shared_address(to)), "l"(from), "n"(bytes), "r"(source_bytes)
                 : "memory");
}
