// SPDX-License-Identifier: Apache-2.0
// printf: C's conversions on our values. The format was written for CUDA; a conversion that does not fit its value prints
// the value as it is instead of nonsense.
#include <cctype>
#include <cstdio>
#include <cstring>

#include "lang/base/numeric.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

double as_double(Scalar type, std::uint64_t bits) {
    float f = 0;
    double d = 0;
    auto low = static_cast<std::uint32_t>(bits);
    switch (type) {
    case Scalar::F64: std::memcpy(&d, &bits, sizeof d); return d;
    case Scalar::F32:
    case Scalar::TF32: std::memcpy(&f, &low, sizeof f); return f;
    case Scalar::F16: return f16_to_f32(static_cast<std::uint16_t>(low));
    case Scalar::BF16: return bf16_to_f32(static_cast<std::uint16_t>(low));
    case Scalar::F8E4M3: return e4m3_to_f32(static_cast<std::uint8_t>(low));
    case Scalar::F8E5M2: return e5m2_to_f32(static_cast<std::uint8_t>(low));
    case Scalar::U64: return static_cast<double>(bits);
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::I16:
    case Scalar::I32:
    case Scalar::I64:
    case Scalar::U8:
    case Scalar::U16:
    case Scalar::U32: return static_cast<double>(static_cast<std::int64_t>(bits));
    }
    return 0;
}

template <class T>
std::string print_one(const std::string& spec, T value) {
    char buffer[512];
    int length = std::snprintf(buffer, sizeof buffer, spec.c_str(), value);
    if (length < 0)
        return "";
    return std::string(buffer, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof buffer - 1));
}

std::string convert(const std::string& flags, char conversion, Scalar type, std::uint64_t bits) {
    bool wants_real = std::strchr("fFeEgGaA", conversion) != nullptr;
    if (artifact::is_real(type))
        return print_one(flags + (wants_real ? conversion : 'f'), as_double(type, bits));
    if (wants_real)
        return print_one(flags + conversion, as_double(type, bits));
    if (conversion == 'c')
        return print_one(flags + "c", static_cast<int>(bits));
    if (conversion == 'p')
        return print_one(std::string("0x%llx"), static_cast<unsigned long long>(bits));
    int bytes = artifact::scalar_bytes(type);
    if (std::strchr("uxXo", conversion)) {
        std::uint64_t value = bytes == 8 ? bits : bits & 0xFFFFFFFFu;
        return print_one(flags + "ll" + conversion, static_cast<unsigned long long>(value));
    }
    return print_one(flags + "lld", static_cast<long long>(bits));
}

} // namespace

std::string format_text(const std::string& format, const std::vector<Scalar>& types,
                        const std::vector<std::uint64_t>& values) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        if (i + 1 < format.size() && format[i + 1] == '%') {
            out += '%';
            ++i;
            continue;
        }
        // Flags, width and precision; lengths (l, h, ...) follow from the value. Widths are bounded by the buffer.
        std::string flags = "%";
        std::size_t at = i + 1;
        while (at < format.size() && std::strchr("-+ #0123456789.", format[at]) && flags.size() < 12)
            flags += format[at++];
        while (at < format.size() && std::strchr("hlLzjtq", format[at]))
            ++at;
        if (at >= format.size() || !std::isalpha(static_cast<unsigned char>(format[at])) || next >= values.size()) {
            out += '%';
            continue;
        }
        out += convert(flags, format[at], types[next], values[next]);
        ++next;
        i = at;
    }
    return out;
}

} // namespace hidet::vm
