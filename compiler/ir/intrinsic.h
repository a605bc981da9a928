// SPDX-License-Identifier: Apache-2.0
// The operations that are neither operators nor calls of script functions: one table. A row says everything about an
// operation but how a target spells it and how it is emulated: its name, the roles of its parameters, what it does to the
// memory behind each, its result, the hardware it needs, and a sentence for readers. Whoever wants to know something about
// an operation asks the row, never the order of the ids.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/dtype.h"
#include "compiler/ir/intrinsics/intrinsic_attr.h"
#include "lang/base/architecture.h"

namespace hidet::ir {

enum class IntrinsicId : std::uint16_t {
#define HIDET_INTRINSIC(id, ...) id,
#include "compiler/ir/intrinsics.def"
};

// ---- words that attributes choose from --------------------------------------------------------------------------------

#define HIDET_CHOICES(Set, ...) enum class Set : std::int16_t { __VA_ARGS__ };
#include "compiler/ir/intrinsics.def"

enum class Mma : std::int16_t { // mma.h
#define HIDET_MMA(name, ...) name,
#include "lang/base/mma.def"
#undef HIDET_MMA
};

enum class ChoiceSet : std::uint8_t {
    Mma,
#define HIDET_CHOICES(Set, ...) Set,
#include "compiler/ir/intrinsics.def"
};

constexpr ChoiceSet choice_set(Mma) {
    return ChoiceSet::Mma;
}
#define HIDET_CHOICES(Set, ...)                                                                                        \
    constexpr ChoiceSet choice_set(Set) {                                                                              \
        return ChoiceSet::Set;                                                                                         \
    }
#include "compiler/ir/intrinsics.def"

template <class E>
concept Choice = requires(E e) {
    { choice_set(e) } -> std::same_as<ChoiceSet>;
};

std::span<const std::string_view> words_of(ChoiceSet set); // in the order of the enumerators

// ---- parameters -------------------------------------------------------------------------------------------------------

enum class ParameterRole : std::uint8_t {
    Value,    // an operand
    Constant, // an operand that is a constant of a range
    Text,     // an operand that is a constant text
    Address,  // an operand: where memory is read, written, or only named
    Barrier,  // an operand: a named barrier, or the address of one in shared memory
    Word,     // an attribute: a word of a set
    Number,   // an attribute: a number
    Ignored,  // scripts may give it; nothing depends on it
};

enum class MemorySpace : std::uint8_t { Anywhere, Registers, Shared, Cluster, Global };

struct MemoryAccess {
    bool reads = false;
    bool writes = false;
    bool any() const { return reads || writes; }
};

// Through which path memory is reached. What goes through the asynchronous one is ordered with the rest by a proxy fence.
enum class Proxy : std::uint8_t { Generic, Async };

// When an access has taken place.
enum class Completion : std::uint8_t { AtOnce, CopyGroup, BulkGroup, WgmmaGroup, Barrier };

struct IntrinsicParameter {
    const char* name = "";
    ParameterRole role{};
    bool is_required = true;
    bool has_default = false; // which is there when a script leaves it out; else nothing is
    int most = 1;             // operands that it stands for: one, up to so many, -1: any number

    // Operands.
    std::optional<DType> dtype{}; // scripts convert to it; of an address: what it points at
    bool is_pointee = false;      // scripts convert to what the first address points at
    MemorySpace space{};
    MemoryAccess access{};
    Proxy proxy{};
    Completion completion{};

    // Constants and numbers: one of a range or of a few.
    std::int64_t lowest = 0, highest = -1;
    std::array<std::int16_t, 8> numbers{};
    int number_count = 0;
    // Words.
    ChoiceSet set{};
    std::uint64_t words = 0; // a bit for each that is allowed; 0: all

    std::int64_t otherwise = 0; // the default

    constexpr bool is_attribute() const { return role == ParameterRole::Word || role == ParameterRole::Number; }
    constexpr bool is_operand() const { return !is_attribute() && role != ParameterRole::Ignored; }
    constexpr bool allows(std::int64_t value) const { // of a constant, a number, or of the number of a word
        if (role == ParameterRole::Word)
            return words == 0 || (words >> value & 1) != 0;
        for (int i = 0; i < number_count; ++i)
            if (numbers[static_cast<std::size_t>(i)] == value)
                return true;
        return number_count == 0 && lowest <= value && value <= highest;
    }
};

// ---- rows -------------------------------------------------------------------------------------------------------------

enum class IntrinsicCategory : std::uint8_t {
#define HIDET_INTRINSIC_CATEGORY(name, place) name,
#include "compiler/ir/intrinsics.def"
};
enum class IntrinsicPlace : std::uint8_t { Anywhere, Kernel, Host };
IntrinsicPlace place_of(IntrinsicCategory category);

// What it does besides computing its result and accessing what its operands point at.
enum class Does : std::uint8_t {
    Nothing,
    Assumes,    // says something about its place in the program, and stays there
    AsksHost,   // reads what the host keeps
    TellsHost,  // changes what the host keeps, or prints
    Exchanges,  // the lanes of a warp do it together
    JoinsWarp,  // threads wait for each other: those of a warp
    JoinsBlock, // those of a block; a result is the same for all of them
    Awaits,     // goes on when others did something
    Orders,     // orders memory
    Observes,   // may see what other threads write meanwhile, also in a loop
    Groups,     // closes or awaits groups of asynchronous operations
};

// In sum: whether calls may be merged, moved and dropped.
enum class IntrinsicEffect : std::uint8_t {
    Pure,  // depends on its operands only
    Reads, // on memory or the host, too
    Acts,  // never moved, merged or dropped
};

struct IntrinsicResult {
    enum class Kind : std::uint8_t { Void, Operand, Fixed, Given, Pointee };
    Kind kind = Kind::Void;
    std::size_t operand = 0; // Operand: that has the type
    DType dtype{};           // Fixed
    // The textual form says the type of a call.
    bool is_printed() const { return kind == Kind::Given || kind == Kind::Pointee; }
};

struct IntrinsicInfo {
    IntrinsicId id;
    const char* name; // "cuda.shfl_sync"
    IntrinsicCategory category;
    Does does;
    IntrinsicResult result;
    Architecture needs;
    const char* sentence;
    std::span<const IntrinsicParameter> parameters; // in the order in which scripts give them
    // What follows from the parameters.
    IntrinsicEffect effect;
    bool writes;            // memory behind an operand
    int min_args, max_args; // operands; -1: any number

    std::string_view short_name() const; // "shfl_sync"
};

const IntrinsicInfo& info(IntrinsicId id);
std::span<const IntrinsicInfo> all_intrinsics();
std::optional<IntrinsicId> find_intrinsic(std::string_view name);
inline bool is_order_of_read(std::int64_t order) { // of GCC's memory orders: without release and acq_rel
    return order != 3 && order != 4;
}
inline bool acts(IntrinsicId id) {
    return info(id).effect == IntrinsicEffect::Acts;
}
// The parameter that an operand of a call is for, when the call has so many operands.
const IntrinsicParameter& parameter_of(const IntrinsicInfo& row, std::size_t operand, std::size_t count);

// Integers of 32 and 64 bits, which registers hold and intrinsics of bits take.
constexpr bool is_register_integer(DType dtype) {
    return dtype == DType::I32 || dtype == DType::U32 || dtype == DType::I64 || dtype == DType::U64;
}

// Values that match_any_sync compares bit by bit.
constexpr bool is_match_type(DType dtype) {
    return is_register_integer(dtype) || dtype == DType::F32 || dtype == DType::F64;
}

// Names that scripts of upstream use and that are no rows.
struct MissingIntrinsic {
    std::string_view group; // "cuda", "cpu", "runtime"
    std::string_view name;
    std::string_view sentence; // why, or what to use
};
std::span<const MissingIntrinsic> missing_intrinsics();

// ---- attributes -------------------------------------------------------------------------------------------------------

IntrinsicAttr default_attr(IntrinsicId id); // with 0 for what has no default
// "acquire.global.gpu"; empty where all are the defaults.
std::string to_text(const IntrinsicAttr& attr);
std::optional<IntrinsicAttr> parse_attr(IntrinsicId id, std::string_view text);
std::vector<std::string> attribute_texts(const IntrinsicAttr& attr);         // "acquire", "global", "gpu"
std::vector<std::string> allowed_texts(const IntrinsicParameter& attribute); // in the order of the set

// The place of an attribute; internal error: the row has none.
std::size_t attr_index(IntrinsicId id, std::string_view name);
std::size_t attr_index(IntrinsicId id, ChoiceSet set);

template <Choice E>
E attribute(const IntrinsicAttr& attr) {
    return static_cast<E>(attr.values[attr_index(attr.id, choice_set(E{}))]);
}
template <Choice E>
IntrinsicAttr with(IntrinsicAttr attr, E value) {
    attr.values[attr_index(attr.id, choice_set(value))] = static_cast<std::int16_t>(value);
    return attr;
}
inline int number_attribute(const IntrinsicAttr& attr, std::string_view name) {
    return attr.values[attr_index(attr.id, name)];
}
template <Choice E>
std::string_view word(E value) {
    return words_of(choice_set(value))[static_cast<std::size_t>(value)];
}

} // namespace hidet::ir
