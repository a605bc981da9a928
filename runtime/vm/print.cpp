// SPDX-License-Identifier: Apache-2.0
// printf: C's conversions on our values. The format was written for CUDA; a conversion that does not fit its value prints
// the value as it is instead of nonsense.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "lang/base/numeric.h"
#include "lang/base/print_format.h"
#include "lang/base/text.h"
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
    const int length = std::snprintf(nullptr, 0, spec.c_str(), value);
    if (length < 0)
        return "";
    std::string out(static_cast<std::size_t>(length), ' ');
    std::snprintf(out.data(), out.size() + 1, spec.c_str(), value);
    return out;
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

// The values of a call, one after the other.
class Printed {
public:
    Printed(const artifact::Operands& row, const std::vector<std::uint64_t>& values,
            const std::vector<std::string>& strings)
        : m_types(row.types), m_values(values), m_strings(strings) {}

    bool has(std::size_t count) const { return m_values.size() - m_next >= count; }

    std::string convert(const PrintConversion& wanted) {
        std::string flags = "%" + wanted.flags;
        flags += number("", wanted.width); // whose value comes first
        flags += number(".", wanted.precision);
        const Scalar type = m_types[m_next];
        const std::uint64_t bits = m_values[m_next++];
        if (wanted.letter == 's' && bits < m_strings.size())
            return print_one(flags + "s", m_strings[bits].c_str());
        return vm::convert(flags, wanted.letter, type, bits);
    }

private:
    const std::vector<Scalar>& m_types;
    const std::vector<std::uint64_t>& m_values;
    const std::vector<std::string>& m_strings;
    std::size_t m_next = 0;

    std::string number(std::string_view point, std::string_view written) {
        if (written.empty())
            return "";
        std::string_view digits = written.substr(point.size());
        int value = digits == "*" ? static_cast<int>(m_values[m_next++]) : print_number(digits);
        if (value < 0 && !point.empty())
            return ""; // as if there were no precision
        return cat(point, std::clamp(value, -widest_print, widest_print));
    }
};

} // namespace

std::string format_text(const artifact::Operands& row, const std::vector<std::uint64_t>& values,
                        const std::vector<std::string>& strings) {
    const std::string_view format = strings[static_cast<std::size_t>(row.text)];
    Printed printed(row, values, strings);
    std::string out;
    std::size_t at = 0;
    auto plain = [&](std::size_t end) {
        for (; at < end; ++at) {
            out += format[at];
            at += format[at] == '%' && at + 1 < end && format[at + 1] == '%' ? 1 : 0;
        }
    };
    for (const PrintConversion& one : print_conversions(format)) {
        plain(one.begin);
        if (one.letter == 0 || !printed.has(one.stars() + 1))
            continue; // of an IR that somebody wrote: shown as it stands
        out += printed.convert(one);
        at = one.end;
    }
    plain(format.size());
    return out;
}

} // namespace hidet::vm
