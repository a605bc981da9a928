// SPDX-License-Identifier: Apache-2.0
// Threads of a block and of a warp, and the order of memory.

//> barrier_sync
// barrier.sync: waits at a numbered barrier for all threads of the block, or for that many.
inline __device__ void barrier_sync(int id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }
inline __device__ void barrier_sync(int id, int threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

//> fence(sem, scope)
// fence.$sem.$scope
inline __device__ void fence_$sem_$scope() { asm volatile("fence.$sem.$scope;" ::: "memory"); }

//> shuffle(mode)
// __shfl$mode_sync of any type, word by word.
template <class T>
inline __device__ T shfl$mode_sync(unsigned mask, T value, int lane, int width = 32) {
    unsigned words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof value);
    for (unsigned& word : words)
        word = __shfl$mode_sync(mask, word, lane, width);
    memcpy(&value, words, sizeof value);
    return value;
}

//> match_any
// match.any.sync, of the bits of a value
inline __device__ unsigned match_any(unsigned mask, unsigned value) { return __match_any_sync(mask, value); }
inline __device__ unsigned match_any(unsigned mask, int value) { return __match_any_sync(mask, value); }
inline __device__ unsigned match_any(unsigned mask, float value) { return __match_any_sync(mask, __float_as_uint(value)); }
template <class T>
inline __device__ unsigned match_any(unsigned mask, T value) {
    static_assert(sizeof(T) == 8, "a word");
    unsigned long long bits;
    memcpy(&bits, &value, sizeof value);
    return __match_any_sync(mask, bits);
}

//> match_all
// match.all.sync, of the bits of a value; 0 where they differ
inline __device__ unsigned match_all(unsigned mask, unsigned value) {
    int all;
    return __match_all_sync(mask, value, &all);
}
inline __device__ unsigned match_all(unsigned mask, int value) { return match_all(mask, static_cast<unsigned>(value)); }
inline __device__ unsigned match_all(unsigned mask, float value) { return match_all(mask, __float_as_uint(value)); }
template <class T>
inline __device__ unsigned match_all(unsigned mask, T value) {
    static_assert(sizeof(T) == 8, "a word");
    unsigned long long bits;
    memcpy(&bits, &value, sizeof value);
    int all;
    return __match_all_sync(mask, bits, &all);
}

//> load(sem, scope): uint16_t uint32_t uint64_t bit_cast
// ld.$sem.$scope
template <class T>
inline __device__ T load_$sem_$scope(const T* address) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "one instruction");
    if constexpr (sizeof(T) == 1) {
        uint16_t bits;
        asm volatile("ld.$sem.$scope.u8 %0, [%1];" : "=h"(bits) : "l"(address) : "memory");
        return bit_cast<T>(static_cast<unsigned char>(bits));
    } else if constexpr (sizeof(T) == 2) {
        uint16_t bits;
        asm volatile("ld.$sem.$scope.b16 %0, [%1];" : "=h"(bits) : "l"(address) : "memory");
        return bit_cast<T>(bits);
    } else if constexpr (sizeof(T) == 4) {
        uint32_t bits;
        asm volatile("ld.$sem.$scope.b32 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");
        return bit_cast<T>(bits);
    } else {
        uint64_t bits;
        asm volatile("ld.$sem.$scope.b64 %0, [%1];" : "=l"(bits) : "l"(address) : "memory");
        return bit_cast<T>(bits);
    }
}

//> store(sem, scope): uint16_t uint32_t uint64_t bit_cast
// st.$sem.$scope
template <class T, class Value>
inline __device__ void store_$sem_$scope(T* address, Value given) {
    T value = static_cast<T>(given);
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "one instruction");
    if constexpr (sizeof(T) == 1)
        asm volatile("st.$sem.$scope.u8 [%0], %1;" ::"l"(address), "h"(uint16_t(bit_cast<unsigned char>(value))) : "memory");
    else if constexpr (sizeof(T) == 2)
        asm volatile("st.$sem.$scope.b16 [%0], %1;" ::"l"(address), "h"(bit_cast<uint16_t>(value)) : "memory");
    else if constexpr (sizeof(T) == 4)
        asm volatile("st.$sem.$scope.b32 [%0], %1;" ::"l"(address), "r"(bit_cast<uint32_t>(value)) : "memory");
    else
        asm volatile("st.$sem.$scope.b64 [%0], %1;" ::"l"(address), "l"(bit_cast<uint64_t>(value)) : "memory");
}

//> cluster_threads
inline __device__ int cluster_threads() { return __clusterSizeInBlocks() * blockDim.x * blockDim.y * blockDim.z; }

//> cluster_thread_rank
// %cluster_ctarank, then the thread in its block.
inline __device__ int cluster_thread_rank() {
    int in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return __clusterRelativeBlockRank() * (blockDim.x * blockDim.y * blockDim.z) + in_block;
}
