// SPDX-License-Identifier: Apache-2.0
// Where the processes of a group find each other: short texts under keys, which all of them see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lang/base/result.h"
#include "runtime/distributed/patience.h"

namespace hidet::distributed {

class Store {
public:
    explicit Store(Patience patience) : m_patience(std::move(patience)) {}
    virtual ~Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    virtual Result<void> set(const std::string& key, const std::string& value) = 0;
    virtual Result<std::optional<std::string>> find(const std::string& key) = 0;
    // Of a decimal number, which is 0 before: what it has become.
    virtual Result<std::int64_t> add(const std::string& key, std::int64_t amount) = 0;

    // Nobody else will open it: whatever is killed from now on leaves nothing behind.
    virtual void all_are_here() {}
    // Waits until somebody has set it.
    Result<std::string> get(const std::string& key);

    const Patience& patience() const { return m_patience; }
    void set_timeout(double seconds) { m_patience.seconds = seconds; }

private:
    Patience m_patience;
};

// What add() does to the text that a key has; an error: it is no number, or would be none of 64 bits.
Result<std::int64_t> added(const std::string& key, const std::optional<std::string>& before, std::int64_t amount);

} // namespace hidet::distributed
