// SPDX-License-Identifier: Apache-2.0
// Shared memory and copies that do not wait.

//> shared_address: uint32_t
// The 32-bit address that PTX knows a place in shared memory by.
inline __device__ uint32_t shared_address(const void* pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
inline __device__ uint32_t shared_address(uint32_t address) { return address; }

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

//> cp_async_commit_group
// cp.async.commit_group: the copies since the last one are a group.
inline __device__ void cp_async_commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

//> cp_async_wait_group
// cp.async.wait_group: waits until at most that many groups are pending.
template <int pending>
inline __device__ void cp_async_wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

//> cp_async_wait_all
// cp.async.wait_all
inline __device__ void cp_async_wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
