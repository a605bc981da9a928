// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "lang/base/scalar.h"

namespace hidet::operators {

namespace small_floats {
#include "lang/base/numeric.inl"
} // namespace small_floats

namespace {

using namespace small_floats;

#include "lang/base/elements.inl"

struct TypeRow {
    Element element;
    const char* name;
};
constexpr TypeRow type_rows[] = {{Element::Bool, "bool"},          {Element::I8, "int8"},
                                 {Element::I16, "int16"},          {Element::I32, "int32"},
                                 {Element::I64, "int64"},          {Element::U8, "uint8"},
                                 {Element::U16, "uint16"},         {Element::U32, "uint32"},
                                 {Element::U64, "uint64"},         {Element::F8E4M3, "float8_e4m3"},
                                 {Element::F8E5M2, "float8_e5m2"}, {Element::F16, "float16"},
                                 {Element::BF16, "bfloat16"},      {Element::TF32, "tfloat32"},
                                 {Element::F32, "float32"},        {Element::F64, "float64"}};

// Calls use(T()) with the type of the elements.
void with(Element element, auto&& use) {
    switch (element) {
    case Element::Bool: return use(bool());
    case Element::I8: return use(std::int8_t());
    case Element::I16: return use(std::int16_t());
    case Element::I32: return use(std::int32_t());
    case Element::I64: return use(std::int64_t());
    case Element::U8: return use(std::uint8_t());
    case Element::U16: return use(std::uint16_t());
    case Element::U32: return use(std::uint32_t());
    case Element::U64: return use(std::uint64_t());
    case Element::F8E4M3: return use(E4M3());
    case Element::F8E5M2: return use(E5M2());
    case Element::F16: return use(Half());
    case Element::BF16: return use(Brain());
    case Element::TF32:
    case Element::F32: return use(float());
    case Element::F64: return use(double());
    }
}

// Elements of a package lie where they lie.
template <class T>
T loaded(const void* from, std::size_t i) {
    if constexpr (std::is_same_v<T, bool>)
        return static_cast<const unsigned char*>(from)[i] != 0;
    T value;
    std::memcpy(&value, static_cast<const unsigned char*>(from) + i * sizeof(T), sizeof(T));
    return value;
}

template <class N>
void write(Element element, const N* numbers, std::size_t count, void* to) {
    with(element, [&]<class T>(T) {
        for (std::size_t i = 0; i < count; ++i) {
            const T value = from<T>(numbers[i]);
            std::memcpy(static_cast<unsigned char*>(to) + i * sizeof(T), &value, sizeof(T));
        }
    });
}

} // namespace

bool find_element(package::Text dtype, Element& element) {
    for (const TypeRow& row : type_rows)
        if (dtype == package::text(row.name)) {
            element = row.element;
            return true;
        }
    return false;
}

const char* dtype_name(Element element) {
    for (const TypeRow& row : type_rows)
        if (row.element == element)
            return row.name;
    return "";
}

void read_doubles(Element element, const void* from, std::size_t count, double* to) {
    with(element, [&]<class T>(T) {
        for (std::size_t i = 0; i < count; ++i)
            to[i] = double_of(loaded<T>(from, i));
    });
}

void read_integers(Element element, const void* from, std::size_t count, std::int64_t* to) {
    with(element, [&]<class T>(T) {
        for (std::size_t i = 0; i < count; ++i)
            to[i] = integer_of(loaded<T>(from, i));
    });
}

void write_doubles(Element element, const double* from, std::size_t count, void* to) {
    write(element, from, count, to);
}

void write_integers(Element element, const std::int64_t* from, std::size_t count, void* to) {
    write(element, from, count, to);
}

} // namespace hidet::operators
