// SPDX-License-Identifier: Apache-2.0
// Tensor memory of Blackwell GPUs and its matrix products. `group` is the number of blocks that do it together.

//> tcgen05_alloc(group): shared_address uint32_t
// tcgen05.alloc: waits for columns of tensor memory and writes their address
inline __device__ void tcgen05_alloc_group_$group(const void* to, uint32_t columns) {
    asm volatile("tcgen05.alloc.cta_group::$group.sync.aligned.shared::cta.b32 [%0], %1;"
                 ::"r"(shared_address(to)), "r"(columns)
                 : "memory");
}

//> tcgen05_dealloc(group): uint32_t
// tcgen05.dealloc: gives columns of tensor memory back
inline __device__ void tcgen05_dealloc_group_$group(uint32_t address, uint32_t columns) {
    asm volatile("tcgen05.dealloc.cta_group::$group.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(columns) : "memory");
}

//> tcgen05_relinquish_alloc_permit(group)
// tcgen05.relinquish_alloc_permit: will take no more tensor memory
inline __device__ void tcgen05_relinquish_alloc_permit_group_$group() {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::$group.sync.aligned;" ::: "memory");
}

//> tcgen05_cp(name, modifiers): uint32_t uint64_t
// tcgen05.cp.$modifiers: from shared to tensor memory
inline __device__ void tcgen05_cp_$name(uint32_t to, uint64_t from) {
    asm volatile("tcgen05.cp.$modifiers [%0], %1;" ::"r"(to), "l"(from) : "memory");
}

//> tcgen05_mma(kind, group): uint32_t uint64_t
// tcgen05.mma.cta_group::$group.kind::$kind: multiplies two tiles of shared memory
inline __device__ void tcgen05_mma_$kind_group_$group(uint32_t d, uint64_t a, uint64_t b, uint32_t what, bool keeps) {
    asm volatile("{\n    .reg .pred keeps;\n    setp.ne.b32 keeps, %4, 0;\n"
                 "    tcgen05.mma.cta_group::$group.kind::$kind [%0], %1, %2, %3, keeps;\n}"
                 ::"r"(d), "l"(a), "l"(b), "r"(what), "r"(int(keeps))
                 : "memory");
}

//> tcgen05_mma_tmem(kind, group): uint32_t uint64_t
// tcgen05.mma.cta_group::$group.kind::$kind: multiplies a tile of tensor memory and one of shared memory
inline __device__ void tcgen05_mma_tmem_$kind_group_$group(uint32_t d, uint32_t a, uint64_t b, uint32_t what, bool keeps) {
    asm volatile("{\n    .reg .pred keeps;\n    setp.ne.b32 keeps, %4, 0;\n"
                 "    tcgen05.mma.cta_group::$group.kind::$kind [%0], [%1], %2, %3, keeps;\n}"
                 ::"r"(d), "r"(a), "l"(b), "r"(what), "r"(int(keeps))
                 : "memory");
}

//> tcgen05_commit(group): shared_address
// tcgen05.commit: a barrier counts one arrival when what this thread began has ended
inline __device__ void tcgen05_commit_group_$group(const void* mbar) {
    asm volatile("tcgen05.commit.cta_group::$group.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                 ::"r"(shared_address(mbar))
                 : "memory");
}

//> tcgen05_commit_multicast(group): shared_address uint16_t
// tcgen05.commit.multicast::cluster: so do those of the blocks of a mask
inline __device__ void tcgen05_commit_multicast_group_$group(const void* mbar, uint16_t blocks) {
    asm volatile("tcgen05.commit.cta_group::$group.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
                 ::"r"(shared_address(mbar)), "h"(blocks)
                 : "memory");
}
