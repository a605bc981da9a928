// SPDX-License-Identifier: Apache-2.0
// What NVRTC lacks without headers, and types it has by itself.

//> float1

//> float2

//> float4

//> INFINITY
#define INFINITY __int_as_float(0x7f800000)

//> NAN
#define NAN __int_as_float(0x7fffffff)

//> float_to_int
// Toward zero; what does not fit becomes the nearest end of the range, and a NaN 0, not what cvt.rzi makes of it.
template <class T, class From>
inline __device__ T float_to_int(From value) {
    return value == value ? static_cast<T>(value) : T(0);
}

//> check
inline __device__ void check(bool holds, const char* message, const char* function) {
    if (!holds)
        __assertfail(message, function, 0, function, 1);
}
