// SPDX-License-Identifier: Apache-2.0
// Elementary functions of floats, the same on every machine, and fit for vector registers. They are computed in double, which
// gives the nearest float nearly always; but e^x, which models compute most, in floats, to an ulp. The virtual machine includes
// this text in namespaces of its own; generated C++ for the CPU prints the functions it needs of it, which begin at the markers
// (compiler/codegen/text/snippets.h). So it is C++ without headers, and both compute the same bits.

//> nearest_whole
inline double nearest_whole(double x) { // |x| < 2^51
    return (x + 0x1.8p52) - 0x1.8p52;
}

//> low_bits
// The lowest bits of a whole number: those of the sum with 1.5 * 2^52, as there is no conversion in vectors before AVX-512.
inline long long low_bits(double whole) {
    return __builtin_bit_cast(long long, whole + 0x1.8p52);
}

//> power_of_two: low_bits
inline double power_of_two(double n) { // -1022 <= n <= 1023
    return __builtin_bit_cast(double, (low_bits(n) + 1023) << 52);
}

//> exp_polynomial
// e^r, |r| <= 0.35, to 4e-13: a float that is rounded from it is the nearest one but in a case of a hundred thousand.
inline double exp_polynomial(double r) {
    double p = 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    return p * r + 1.0;
}

//> fast_exp: nearest_whole power_of_two exp_polynomial
// For arguments from floats: beyond +-200 every result is infinite or 0 as a float.
inline double fast_exp(double x) {
    double clamped = x < -200.0 ? -200.0 : (x > 200.0 ? 200.0 : x);
    double n = nearest_whole(clamped * 0x1.71547652b82fep0);
    double r = (clamped - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    double result = exp_polynomial(r) * power_of_two(n);
    return x != x ? x : result;
}

//> float_exp
// e^x = 2^n e^r, |r| <= 0.35. The power of two has two factors, as neither the greatest nor the least one is a float. A NaN goes
// through all of it, so nobody asks for one.
inline float float_exp(float x) {
    constexpr float whole = 0x1.8p23f; // sums with it are rounded to integers, which are their lowest bits
    float least = x < -104.0f ? -104.0f : x;
    float sum = least * 0x1.715476p0f + whole;
    sum = sum > whole + 128.0f ? whole + 128.0f : sum;
    float n = sum - whole;
    float r = (least - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
    float z = r * r;
    float middle = 1.0f / 24.0f + r * (1.0f / 120.0f), high = 1.0f / 720.0f + r * (1.0f / 5040.0f);
    float p = 1.0f + (r + z * ((0.5f + r * (1.0f / 6.0f)) + z * (middle + z * high)));
    int power = __builtin_bit_cast(int, sum) - __builtin_bit_cast(int, whole), half = power >> 1;
    return p * __builtin_bit_cast(float, (half + 127) << 23) * __builtin_bit_cast(float, (power - half + 127) << 23);
}

//> fast_exp2: nearest_whole power_of_two exp_polynomial
inline double fast_exp2(double x) {
    double clamped = x < -300.0 ? -300.0 : (x > 300.0 ? 300.0 : x);
    double n = nearest_whole(clamped);
    double result = exp_polynomial((clamped - n) * 0x1.62e42fefa39efp-1) * power_of_two(n);
    return x != x ? x : result;
}

//> log_parts
// log(x) = e * log(2) + log(m): the parts. x is a positive normal double.
struct LogParts {
    double exponent;
    double log_m;
};
inline LogParts log_parts(double x) {
    auto bits = __builtin_bit_cast(unsigned long long, x); // unsigned: what is no positive number may wrap
    auto exponent = static_cast<long long>(bits - 0x3FE6A09E667F3BCDull) >> 52; // m in [sqrt(1/2), sqrt(2))
    double m = __builtin_bit_cast(double, bits - (static_cast<unsigned long long>(exponent) << 52));
    double s = (m - 1.0) / (m + 1.0);
    double z = s * s;
    double p = 1.0 / 23.0;
    p = p * z + 1.0 / 21.0;
    p = p * z + 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 0.2;
    p = p * z + 1.0 / 3.0;
    return {static_cast<double>(static_cast<int>(exponent)), 2.0 * s + 2.0 * s * z * p};
}

inline double log_ends(double x, double result) {
    constexpr double infinity = __builtin_inf();
    double positive = x == infinity ? infinity : result;
    double low = x == 0.0 ? -infinity : __builtin_nan("");
    return x > 0.0 ? positive : low;
}

//> fast_log: log_parts
inline double fast_log(double x) {
    LogParts parts = log_parts(x);
    return log_ends(x, parts.exponent * 0x1.62e42fefa39efp-1 + parts.log_m);
}

//> fast_log2: log_parts
inline double fast_log2(double x) {
    LogParts parts = log_parts(x);
    return log_ends(x, parts.exponent + parts.log_m * 0x1.71547652b82fep0);
}

//> fast_log10: log_parts
inline double fast_log10(double x) {
    LogParts parts = log_parts(x);
    return log_ends(x, parts.exponent * 0x1.34413509f79ffp-2 + parts.log_m * 0x1.bcb7b1526e50ep-2);
}

//> fast_tanh: fast_exp
// tanh = t / (t + 2) with t = e^2x - 1, by series where that would cancel.
inline double fast_tanh(double x) {
    double a = __builtin_fabs(x);
    double t = fast_exp(a > 20.0 ? 40.0 : 2.0 * a) - 1.0;
    double large = t / (t + 2.0);
    double z = x * x;
    double small = a * (1.0 + z * (-1.0 / 3.0 + z * (2.0 / 15.0 + z * (-17.0 / 315.0 + z * (62.0 / 2835.0)))));
    double result = __builtin_copysign(a < 0.02 ? small : large, x);
    return x != x ? x : result;
}

//> reduce_angle: nearest_whole low_bits
// The angle less a multiple of pi/2, and that multiple. Good for |x| below 10^5.
struct ReducedAngle {
    double rest;
    long long quadrant;
};
inline ReducedAngle reduce_angle(double x) {
    double n = nearest_whole(x * 0x1.45f306dc9c883p-1);
    double rest = ((x - n * 0x1.921fb54400000p0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;
    return {rest, low_bits(n)};
}
inline double sin_polynomial(double r) {
    double z = r * r;
    double p = 1.0 / 355687428096000.0;
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 6.0;
    return r + r * z * p;
}
inline double cos_polynomial(double r) {
    double z = r * r;
    double p = 1.0 / 20922789888000.0;
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    return 1.0 - 0.5 * z + z * z * p;
}

//> fast_sin: reduce_angle
inline double fast_sin(double x) {
    ReducedAngle angle = reduce_angle(x);
    double s = sin_polynomial(angle.rest), c = cos_polynomial(angle.rest);
    double value = (angle.quadrant & 1) ? c : s;
    return (angle.quadrant & 2) ? -value : value;
}

//> fast_cos: reduce_angle
inline double fast_cos(double x) {
    ReducedAngle angle = reduce_angle(x);
    double s = sin_polynomial(angle.rest), c = cos_polynomial(angle.rest);
    double value = (angle.quadrant & 1) ? s : c;
    return ((angle.quadrant + 1) & 2) ? -value : value;
}

//> fast_erf
// erf(x) = x P(x^2) / Q(x^2) to 2e-13 for |x| <= 4; beyond it is 1 as a float.
inline double fast_erf(double x) {
    double a = x < -4.0 ? -4.0 : (x > 4.0 ? 4.0 : x);
    double z = a * a;
    double p = -0x1.9ee8382891382p-35;
    p = p * z + 0x1.1314676a0e81ap-33;
    p = p * z + 0x1.dd7442e7d4df0p-21;
    p = p * z + 0x1.30a2b1226df41p-16;
    p = p * z + 0x1.03bb80957b215p-11;
    p = p * z + 0x1.165c42230d436p-8;
    p = p * z + 0x1.cc31d7ecb2b21p-5;
    p = p * z + 0x1.75bf71add8b38p-3;
    p = p * z + 0x1.20dd750429e9ep+0;
    double q = -0x1.ae99978e18763p-31;
    q = q * z + 0x1.8b9f47db2eee6p-24;
    q = q * z + 0x1.21b6d7e41ac3fp-18;
    q = q * z + 0x1.abfd81d71732bp-14;
    q = q * z + 0x1.994df0d2a7671p-10;
    q = q * z + 0x1.0ba6495b7d230p-6;
    q = q * z + 0x1.d63f1ae389dddp-4;
    q = q * z + 0x1.faf22edff3b02p-2;
    q = q * z + 1.0;
    return a * (p / q);
}

//> float_sin: fast_sin
// Large angles are rare; the C library reduces them.
inline float float_sin(float a) {
    return static_cast<float>(__builtin_fabsf(a) < 1e5f ? fast_sin(a) : __builtin_sin(static_cast<double>(a)));
}

//> float_cos: fast_cos
inline float float_cos(float a) {
    return static_cast<float>(__builtin_fabsf(a) < 1e5f ? fast_cos(a) : __builtin_cos(static_cast<double>(a)));
}
