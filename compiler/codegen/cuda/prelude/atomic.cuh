// SPDX-License-Identifier: Apache-2.0
// Atomic operations that NVRTC does not declare. What they are called with is the operator's name in CUDA C++.

//> atomic_update: uint32_t uint64_t bit_cast
// What `update` makes of a value in memory, by compare and swap of the word that holds it; gives the old value.
template <class T, class F>
inline __device__ T atomic_update(T* address, F update) {
    if constexpr (sizeof(T) == 8) {
        uint64_t* word = reinterpret_cast<uint64_t*>(address);
        uint64_t seen = *static_cast<volatile uint64_t*>(word), expected;
        do {
            expected = seen;
            seen = atomicCAS(word, expected, bit_cast<uint64_t>(update(bit_cast<T>(expected))));
        } while (seen != expected);
        return bit_cast<T>(seen);
    } else {
        uint64_t place = reinterpret_cast<uint64_t>(address);
        uint32_t* word = reinterpret_cast<uint32_t*>(place & ~3ull);
        int shift = 8 * (place & 3);
        uint32_t mask = (sizeof(T) == 4 ? ~0u : (1u << 8 * (sizeof(T) & 3)) - 1u) << shift;
        uint32_t seen = *static_cast<volatile uint32_t*>(word), expected;
        T old;
        do {
            expected = seen;
            uint32_t bits = expected >> shift;
            memcpy(&old, &bits, sizeof old);
            T next = update(old);
            bits = 0;
            memcpy(&bits, &next, sizeof next);
            seen = atomicCAS(word, expected, (expected & ~mask) | bits << shift);
        } while (seen != expected);
        return old;
    }
}

//> atomic_add(T, Wide): ?$T atomic_update
inline __device__ $T atomicAdd($T* address, $T value) {
    return atomic_update(address, [value]($T old) { return $T($Wide(old) + $Wide(value)); });
}

//> atomic_sub(T, Wide): ?$T atomic_update
inline __device__ $T atomicSub($T* address, $T value) {
    return atomic_update(address, [value]($T old) { return $T($Wide(old) - $Wide(value)); });
}

//> atomic_min(T, Wide): ?$T atomic_update
inline __device__ $T atomicMin($T* address, $T value) {
    return atomic_update(address, [value]($T old) {
        const $Wide a = $Wide(old), b = $Wide(value);
        return a != a || b < a ? value : old;
    });
}

//> atomic_max(T, Wide): ?$T atomic_update
inline __device__ $T atomicMax($T* address, $T value) {
    return atomic_update(address, [value]($T old) {
        const $Wide a = $Wide(old), b = $Wide(value);
        return a != a || a < b ? value : old;
    });
}

//> atomic_exchange(T): ?$T atomic_update
inline __device__ $T atomicExch($T* address, $T value) {
    return atomic_update(address, [value]($T) { return value; });
}

//> atomic_and(T): ?$T atomic_update
inline __device__ $T atomicAnd($T* address, $T value) {
    return atomic_update(address, [value]($T old) { return $T(old & value); });
}

//> atomic_or(T): ?$T atomic_update
inline __device__ $T atomicOr($T* address, $T value) {
    return atomic_update(address, [value]($T old) { return $T(old | value); });
}

//> atomic_xor(T): ?$T atomic_update
inline __device__ $T atomicXor($T* address, $T value) {
    return atomic_update(address, [value]($T old) { return $T(old ^ value); });
}

//> atomic_cas(T, word): ?$T atomic_update bit_cast $word
inline __device__ $T atomicCAS($T* address, $T compare, $T value) {
    return atomic_update(address,
                         [=]($T old) { return bit_cast<$word>(old) == bit_cast<$word>(compare) ? value : old; });
}

//> atomic_wide(Name): int64_t uint64_t
// 64-bit integers wrap, so a sign does not matter.
inline __device__ int64_t atomic$Name(int64_t* address, int64_t value) {
    return atomic$Name(reinterpret_cast<uint64_t*>(address), static_cast<uint64_t>(value));
}

//> atomic_cas_bits(T, word): ?$T bit_cast $word
inline __device__ $T atomicCAS($T* address, $T compare, $T value) {
    return bit_cast<$T>(atomicCAS(reinterpret_cast<$word*>(address), bit_cast<$word>(compare), bit_cast<$word>(value)));
}

//> atomic_exchange_bits(T, word): ?$T bit_cast $word
inline __device__ $T atomicExch($T* address, $T value) {
    return bit_cast<$T>(atomicExch(reinterpret_cast<$word*>(address), bit_cast<$word>(value)));
}

//> atomic_add_negative(T): ?$T
inline __device__ $T atomicSub($T* address, $T value) { return atomicAdd(address, -value); }

//> atomic_add_half: half
// atom.add.noftz.f16
inline __device__ half atomicAdd(half* address, half value) {
    half old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.bits) : "l"(address), "h"(value.bits) : "memory");
    return old;
}

//> atom(op, sem, scope, type, T, constraint): ?$T
// atom.$sem.$scope.$op.$type
inline __device__ $T atom_$op_$sem_$scope($T* address, $T value) {
    $T old;
    asm volatile("atom.$sem.$scope.$op.$type %0, [%1], %2;"
                 : "=$constraint"(old)
                 : "l"(address), "$constraint"(value)
                 : "memory");
    return old;
}

//> atom_cas(sem, scope, type, T, constraint): ?$T
// atom.$sem.$scope.cas.$type
inline __device__ $T atom_cas_$sem_$scope($T* address, $T compare, $T value) {
    $T old;
    asm volatile("atom.$sem.$scope.cas.$type %0, [%1], %2, %3;"
                 : "=$constraint"(old)
                 : "l"(address), "$constraint"(compare), "$constraint"(value)
                 : "memory");
    return old;
}

//> atom_fenced(op, Name, sem, scope, T): ?$T fence(acq_rel, $scope)
// Between two fences what no single instruction does in this order.
template <class... Values>
inline __device__ $T atom_$op_$sem_$scope($T* address, Values... values) {
    fence_acq_rel_$scope();
    $T old = atomic$Name(address, $T(values)...);
    fence_acq_rel_$scope();
    return old;
}

//> store_bits: uint32_t atomic_update
// Writes `bits` bits of a place from `shift` on; the others stay, whoever writes them meanwhile. A thread's own memory has no
// atomics and needs none.
template <int bits, class T>
inline __device__ void store_bits(T* place, int shift, T value) {
    const T mask = T(((1u << bits) - 1u) << shift), part = T(unsigned(value) << shift) & mask;
    uint32_t is_own;
    asm("{ .reg .pred own; isspacep.local own, %1; selp.u32 %0, 1, 0, own; }" : "=r"(is_own) : "l"(place));
    if (is_own)
        *place = T((*place & ~mask) | part);
    else
        atomic_update(place, [mask, part](T old) { return T((old & ~mask) | part); });
}
