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

//> with_precisions
// A format of printf() with a number in the place of each ".*", of which CUDA knows none; a negative one is left out.
template <unsigned size>
struct print_format {
    char text[size];
};
template <unsigned size, class... Precisions>
inline __device__ print_format<size + 2 * sizeof...(Precisions)> with_precisions(const char (&format)[size], Precisions... given) {
    const int precisions[] = {given...};
    print_format<size + 2 * sizeof...(Precisions)> out;
    unsigned end = 0, next = 0;
    bool is_inside = false; // of a conversion, in front of its letter
    for (unsigned at = 0; at < size; ++at) {
        const char c = format[at];
        const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        is_inside = c == '%' ? !is_inside : is_inside && !is_letter;
        if (!is_inside || c != '.' || format[at + 1] != '*') {
            out.text[end++] = c;
            continue;
        }
        ++at;
        const int precision = min(precisions[next++], 500);
        if (precision < 0)
            continue;
        out.text[end++] = '.';
        for (int unit = precision < 10 ? 1 : precision < 100 ? 10 : 100; unit > 0; unit /= 10)
            out.text[end++] = static_cast<char>('0' + precision / unit % 10);
    }
    return out;
}

//> check
inline __device__ void check(bool holds, const char* message, const char* function) {
    if (!holds)
        __assertfail(message, function, 0, function, 1);
}
