// SPDX-License-Identifier: Apache-2.0
#include "app/session/fields/kind.h"

#include <cstring>
#include <string>

namespace hidet::session::fields {

namespace {

template <class T>
std::int64_t load(const void* value) {
    T number;
    std::memcpy(&number, value, sizeof number);
    return static_cast<std::int64_t>(number);
}

template <class T>
void store(void* value, std::int64_t to) {
    const T number = static_cast<T>(to);
    std::memcpy(value, &number, sizeof number);
}

} // namespace

std::int64_t Kind::integer(const void* value) const {
    switch (bytes) {
    case 1: return is_signed ? load<std::int8_t>(value) : load<std::uint8_t>(value);
    case 2: return is_signed ? load<std::int16_t>(value) : load<std::uint16_t>(value);
    case 4: return is_signed ? load<std::int32_t>(value) : load<std::uint32_t>(value);
    default: return load<std::int64_t>(value);
    }
}

void Kind::set_integer(void* value, std::int64_t to) const {
    switch (bytes) {
    case 1: return store<std::int8_t>(value, to);
    case 2: return store<std::int16_t>(value, to);
    case 4: return store<std::int32_t>(value, to);
    default: return store<std::int64_t>(value, to);
    }
}

bool Kind::is_empty(const void* value) const {
    return sort == Sort::Text ? static_cast<const std::string*>(value)->empty() : size && size(value) == 0;
}

} // namespace hidet::session::fields
