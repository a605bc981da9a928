// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory, and the blocks of a cluster.

//> cluster_sync
// barrier.cluster: waits for all threads of the cluster.
inline __device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release;\n    barrier.cluster.wait.acquire;" ::: "memory");
}

//> map_shared_rank
// mapa: the place in the shared memory of another block of the cluster.
template <class T>
inline __device__ T* map_shared_rank(T* address, int rank) {
    T* there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(address), "r"(rank));
    return there;
}

//> mbarrier_try_wait: shared_address uint32_t
// mbarrier.try_wait: whether the phase of that parity is over, after a while
inline __device__ uint32_t mbarrier_try_wait(const void* mbar, uint32_t phase) {
    uint32_t is_over;
    asm volatile("{\n    .reg .pred is_over;\n    mbarrier.try_wait.parity.shared::cta.b64 is_over, [%1], %2;\n"
                 "    selp.u32 %0, 1, 0, is_over;\n}"
                 : "=r"(is_over)
                 : "r"(shared_address(mbar)), "r"(phase)
                 : "memory");
    return is_over;
}

//> mbarrier_test_wait: shared_address uint32_t
// mbarrier.test_wait: whether the phase of that parity is over now
inline __device__ uint32_t mbarrier_test_wait(const void* mbar, uint32_t phase, bool is_asked) {
    uint32_t is_over = 0;
    if (is_asked)
        asm volatile("{\n    .reg .pred is_over;\n    mbarrier.test_wait.parity.shared::cta.b64 is_over, [%1], %2;\n"
                     "    selp.u32 %0, 1, 0, is_over;\n}"
                     : "=r"(is_over)
                     : "r"(shared_address(mbar)), "r"(phase)
                     : "memory");
    return is_over;
}

//> elect_sync: uint32_t
// elect.sync: one lane of those of the mask
inline __device__ bool elect_sync(uint32_t mask) {
    uint32_t is_elected;
    asm volatile("{\n    .reg .pred is_elected;\n    elect.sync _|is_elected, %1;\n"
                 "    selp.u32 %0, 1, 0, is_elected;\n}"
                 : "=r"(is_elected)
                 : "r"(mask));
    return is_elected != 0;
}

//> mbarrier_wait: mbarrier_try_wait
inline __device__ void mbarrier_wait(const void* mbar, uint32_t phase) {
    while (!mbarrier_try_wait(mbar, phase)) {
    }
}

//> mbarrier_arrive: shared_address
// mbarrier.arrive
inline __device__ void mbarrier_arrive(const void* mbar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(mbar)) : "memory");
}

//> mbarrier_arrive_at: shared_address
// mapa, mbarrier.arrive: at the barrier that another block of the cluster has at the same place
inline __device__ void mbarrier_arrive_at(const void* mbar, int rank, bool is_sent) {
    if (is_sent)
        asm volatile("{\n    .reg .b32 there;\n    mapa.shared::cluster.u32 there, %0, %1;\n"
                     "    mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(mbar)),
                     "r"(rank)
                     : "memory");
}

//> mbarrier_arrive_and_expect_tx: shared_address uint32_t
// mbarrier.arrive.expect_tx
inline __device__ void mbarrier_arrive_and_expect_tx(const void* mbar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(mbar)), "r"(bytes)
                 : "memory");
}

//> mbarrier_arrive_and_expect_tx_at: shared_address uint32_t
// mapa, mbarrier.arrive.expect_tx
inline __device__ void mbarrier_arrive_and_expect_tx_at(const void* mbar, uint32_t bytes, int rank, bool is_sent) {
    if (is_sent)
        asm volatile("{\n    .reg .b32 there;\n    mapa.shared::cluster.u32 there, %0, %1;\n"
                     "    mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [there], %2;\n}" ::"r"(
                         shared_address(mbar)),
                     "r"(rank), "r"(bytes)
                     : "memory");
}

//> mbarrier_complete_transaction: shared_address uint32_t
// mbarrier.complete_tx
inline __device__ void mbarrier_complete_transaction(const void* mbar, uint32_t bytes) {
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(mbar)), "r"(bytes)
                 : "memory");
}

//> mbarrier_complete_transaction_at: shared_address uint32_t
// mapa, mbarrier.complete_tx
inline __device__ void mbarrier_complete_transaction_at(const void* mbar, uint32_t bytes, int rank, bool is_sent) {
    if (is_sent)
        asm volatile("{\n    .reg .b32 there;\n    mapa.shared::cluster.u32 there, %0, %1;\n"
                     "    mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [there], %2;\n}" ::"r"(
                         shared_address(mbar)),
                     "r"(rank), "r"(bytes)
                     : "memory");
}
