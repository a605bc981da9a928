// SPDX-License-Identifier: Apache-2.0
// printf: C's conversions on our values. The format was written for CUDA; a conversion that does not fit its value prints
// the value as it is instead of nonsense.
#include <algorithm>
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

// One conversion of a format: its flags, width and precision as C has them. Lengths (l, h, ...) follow from the value.
class Specification {
public:
    std::string text = "%";
    std::size_t at;

    Specification(const std::string& format, std::size_t begin) : at(begin), m_format(format) {}

    // Takes a value for each '*', and says whether a conversion follows that has one.
    bool read(const std::vector<std::uint64_t>& values, std::size_t& next) {
        take("-+ #0");
        number(values, next);
        if (has('.')) {
            text += m_format[at++];
            number(values, next);
        }
        while (at < m_format.size() && std::strchr("hlLzjtq", m_format[at]))
            ++at;
        return at < m_format.size() && std::isalpha(static_cast<unsigned char>(m_format[at])) && next < values.size();
    }

private:
    static constexpr int widest = 500; // what print_one() has room for
    const std::string& m_format;

    bool has(char c) const { return at < m_format.size() && m_format[at] == c; }
    void take(const char* characters) {
        while (at < m_format.size() && std::strchr(characters, m_format[at]) && text.size() < 8)
            text += m_format[at++];
    }
    void number(const std::vector<std::uint64_t>& values, std::size_t& next) {
        if (has('*') && next < values.size()) {
            text += std::to_string(std::clamp(static_cast<int>(values[next++]), -widest, widest));
            ++at;
            return;
        }
        int value = 0;
        const std::size_t begin = at;
        for (; at < m_format.size() && std::isdigit(static_cast<unsigned char>(m_format[at])); ++at)
            value = std::min(value * 10 + (m_format[at] - '0'), widest);
        if (at > begin)
            text += std::to_string(value);
    }
};

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
        Specification wanted(format, i + 1);
        if (!wanted.read(values, next)) {
            out += '%';
            continue;
        }
        out += convert(wanted.text, format[wanted.at], types[next], values[next]);
        ++next;
        i = wanted.at;
    }
    return out;
}

} // namespace hidet::vm
