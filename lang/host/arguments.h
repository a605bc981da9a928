// SPDX-License-Identifier: Apache-2.0
// Binds the arguments of a call to the parameters of a native function, and says what is wrong with them.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/diagnostic.h"
#include "lang/host/value.h"

namespace hidet::lang {

// What a native function takes, for who asked by Args::asks_signature.
struct SignatureAnswer {
    std::string function;
    std::vector<std::string> parameters; // as they are given to Arguments
};

// {"shape", "fill_value", "dtype=", "*", "device="}: a trailing '=' marks an optional parameter, "*" starts the keyword-only
// ones, "*name" takes the remaining positional ones (see Arguments::rest()), "**" lets unknown keywords pass.
class Parameters {
public:
    constexpr Parameters() = default;
    constexpr Parameters(std::initializer_list<std::string_view> words) : m_count(words.size()) {
        HIDET_CHECK(words.size() <= m_words.size());
        std::ranges::copy(words, m_words.begin());
    }
    constexpr std::span<const std::string_view> words() const { return {m_words.data(), m_count}; }

private:
    std::array<std::string_view, 16> m_words;
    std::size_t m_count = 0;
};

// The object of a method of ours in a class of the script, which may also be called as a function of anything; `others`
// follow it.
const Value& self_argument(const Args& args, std::string_view method, std::size_t others, Span span);

// Those behind the first positional ones.
Args behind_first(Args args, std::size_t count = 1);

// Arguments a(args, span, "full", {"shape", "fill_value", "dtype=", "*", "device="});
// Indices count the named parameters only ("*" and "*name" not).
class Arguments {
public:
    Arguments(const Args& args, Span call, std::string_view function,
              std::initializer_list<std::string_view> parameters)
        : Arguments(args, call, function, std::span(parameters.begin(), parameters.size())) {}
    // The names live longer than this object.
    Arguments(const Args& args, Span call, std::string_view function, std::span<const std::string_view> parameters);

    bool given(std::size_t i) const { return m_values[i] != nullptr; }
    bool has(std::size_t i) const { return given(i) && !m_values[i]->is(ValueKind::None); }
    Value or_none(std::size_t i) const { return given(i) ? *m_values[i] : Value(); }
    const Value& operator[](std::size_t i) const {
        return m_values[i] ? *m_values[i] : missing(i);
    }                                                              // an error if it was not given
    const Value* find(std::size_t i) const { return m_values[i]; } // null when it was not given
    Span span(std::size_t i) const { return m_spans[i]; }          // of the argument; of the call otherwise
    const std::vector<Value>& rest() const { return m_rest; }

    // Unknown is for the caller to look for: these refuse it as any other wrong type.
    std::int64_t integer(std::size_t i) const; // also bool
    std::int64_t integer(std::size_t i, std::int64_t otherwise) const;
    double real(std::size_t i) const; // also int and bool
    double real(std::size_t i, double otherwise) const;
    bool boolean(std::size_t i, bool otherwise) const;
    const std::string& str(std::size_t i) const;
    std::string str(std::size_t i, std::string_view otherwise) const;
    bool any_unknown() const;
    void want_known() const; // UnknownValue
    [[noreturn]] void wrong_type(std::size_t i, std::string_view wanted) const;

private:
    [[noreturn]] const Value& missing(std::size_t i) const;

    std::string m_function;
    std::vector<std::string_view> m_names;
    std::vector<const Value*> m_values;
    std::vector<Span> m_spans;
    std::vector<Value> m_rest;
};

NativeFunction bound(std::string_view name, const Parameters& parameters, BoundFunction function);

// A native function as a row of a table: its name, what it takes, and what it does with that. One without parameters looks
// at its arguments by itself. `Before` comes before the arguments: the evaluator, the object of a method.
template <class... Before>
struct NativeRow {
    using Whole = Value (*)(Before..., Args&, Span);
    using Bound = Value (*)(Before..., const Arguments&, Span);
    constexpr NativeRow(std::string_view name, Whole whole) : name(name), whole(whole) {}
    constexpr NativeRow(std::string_view name, Parameters parameters, Bound bound)
        : name(name), parameters(parameters), bound(bound) {}
    Value operator()(Before... before, Args& args, Span span) const {
        return bound ? bound(before..., Arguments(args, span, name, parameters.words()), span)
                     : whole(before..., args, span);
    }

    explicit operator bool() const { return whole || bound; }

    std::string_view name;
    Parameters parameters;
    Whole whole = nullptr;
    Bound bound = nullptr;
};
using FunctionRow = NativeRow<Evaluator&>;

} // namespace hidet::lang
