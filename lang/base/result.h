// SPDX-License-Identifier: Apache-2.0
// Result<T>: the channel for what the environment refuses (a missing file, no GPU, a full disk). The user's own mistakes
// are diagnostics (diagnostic.h) and our bugs are internal errors (check.h); neither travels in a Result.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "lang/base/check.h"

namespace hidet {

struct Error {
    std::string code;    // stable, kebab-case: "file-not-found"
    std::string message; // one lower-case sentence without a final period
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }
    const T& value() const& {
        HIDET_CHECK(ok(), error().message);
        return std::get<0>(m_state);
    }
    T&& value() && {
        HIDET_CHECK(ok(), error().message);
        return std::get<0>(std::move(m_state));
    }
    const Error& error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}
    bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    const Error& error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

} // namespace hidet

#define HIDET_TRY_CONCAT_(a, b) a##b
#define HIDET_TRY_NAME_(line) HIDET_TRY_CONCAT_(hidet_try_, line)
// HIDET_TRY(auto text, read_file(path)); returns the error from the enclosing function, or binds the value.
#define HIDET_TRY(declaration, expression)                                                                             \
    auto HIDET_TRY_NAME_(__LINE__) = (expression);                                                                     \
    if (!HIDET_TRY_NAME_(__LINE__).ok())                                                                               \
        return HIDET_TRY_NAME_(__LINE__).error();                                                                      \
    declaration = std::move(HIDET_TRY_NAME_(__LINE__)).value()
// HIDET_TRY_TO(write_file(path)); returns the error from the enclosing function.
#define HIDET_TRY_TO(...)                                                                                              \
    do {                                                                                                               \
        if (auto hidet_done = (__VA_ARGS__); !hidet_done)                                                              \
            return hidet_done.error();                                                                                 \
    } while (false)
