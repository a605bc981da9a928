// SPDX-License-Identifier: Apache-2.0
// Types as data. What goes over the wire, what a document of the command line says, and the tests of both walk through
// values by these descriptions, so that none of them is a template. kinds.cpp has the lists that they are made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hidet::session::fields {

struct Kind;

// How a member stands in a document for people. On the wire it always stands under its own name.
enum class Show : std::uint8_t {
    Member, // as a member of the object
    Hidden,
    OrNull, // null where it is empty
    IfAny,  // left out where it is empty
    Flat,   // its own members stand in its place; of an empty one none
    Range,  // of a place: the same, but for the file
};

struct Field {
    const char* name = "";
    const Kind* kind = nullptr;
    std::ptrdiff_t offset = 0; // bytes, from the beginning of the struct
    Show show = Show::Member;
    const char* title = nullptr; // in documents; null: the name

    Field as(const char* other) const { return {name, kind, offset, show, other}; }
    Field hidden() const { return shown(Show::Hidden); }
    Field or_null() const { return shown(Show::OrNull); }
    Field if_any() const { return shown(Show::IfAny); }
    Field flat() const { return shown(Show::Flat); }
    Field range() const { return shown(Show::Range); }

private:
    Field shown(Show how) const { return {name, kind, offset, how, title}; }
};

struct Kind {
    enum class Sort : std::uint8_t {
        Nothing,
        Bool,
        Number,  // double
        Integer, // of 1 to 8 bytes
        Choice,  // an enumerator, kept as an integer
        Text,    // std::string; bytes, where it is no UTF-8
        List,    // of any length, or of one that the type says
        Maybe,   // a list of at most one
        Pair,    // two members without names
        Struct,
        OneOf,
    };
    Sort sort = Sort::Nothing;

    // Integer, Choice
    std::uint8_t bytes = 0;
    bool is_signed = false;
    bool (*is_known)(std::int64_t) = nullptr;      // Choice: there is such an enumerator
    const char* (*choice)(std::int64_t) = nullptr; // Choice: its name in documents; null: it is in none

    // List, Maybe
    const Kind* inner = nullptr;
    std::size_t (*size)(const void*) = nullptr;
    bool (*resize)(void*, std::size_t) = nullptr; // elements of their defaults; false: it cannot have as many
    const void* (*at)(const void*, std::size_t) = nullptr;

    std::vector<Field> rows = {}; // Struct, Pair

    // OneOf
    struct Alternative {
        const char* name = "";
        const Kind* kind = nullptr;
    };
    std::vector<Alternative> alternatives = {};
    std::size_t (*index)(const void*) = nullptr;
    const void* (*current)(const void*) = nullptr;
    void* (*emplace)(void*, std::size_t) = nullptr; // the alternative, of its default

    // Of a value of this kind.
    std::int64_t integer(const void* value) const; // of an unsigned one of 8 bytes: in two's complement
    void set_integer(void* value, std::int64_t to) const;
    bool is_empty(const void* value) const; // a text or a list
};
inline const void* member_of(const void* value, const Field& row) {
    return static_cast<const char*>(value) + row.offset;
}
inline void* member_of(void* value, const Field& row) {
    return static_cast<char*>(value) + row.offset;
}

// Of the types that have a list in kinds.cpp, and of messages.
template <class T>
const Kind& kind_of();

} // namespace hidet::session::fields
