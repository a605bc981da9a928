// SPDX-License-Identifier: Apache-2.0
// What NVRTC lacks without headers, and types it has by itself.

//> float1

//> float2

//> float4

//> INFINITY
#define INFINITY __int_as_float(0x7f800000)

//> NAN
#define NAN __int_as_float(0x7fffffff)

//> check
inline __device__ void check(bool holds, const char* message, const char* function) {
    if (!holds)
        __assertfail(message, function, 0, function, 1);
}
