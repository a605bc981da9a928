// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/store.h"

#include <charconv>

#include "lang/base/text.h"
#include "runtime/distributed/pause.h"

namespace hidet::distributed {

Result<std::string> Store::get(const std::string& key) {
    Pause pause(m_patience);
    do {
        HIDET_TRY(std::optional<std::string> value, find(key));
        if (value)
            return std::move(*value);
    } while (pause.again());
    return pause.end(cat("nobody has set '", key, "' in the store within ", m_patience.seconds, " s"));
}

Result<std::int64_t> added(const std::string& key, const std::optional<std::string>& before, std::int64_t amount) {
    std::int64_t number = 0;
    if (before) {
        const char* end = before->data() + before->size();
        const auto [rest, error] = std::from_chars(before->data(), end, number);
        if (error != std::errc() || rest != end)
            return Error{"store", cat("'", key, "' is no number in the store: nothing can be added to it")};
    }
    if (__builtin_add_overflow(number, amount, &number))
        return Error{"store", cat("the sum under '", key, "' in the store has more than 64 bits")};
    return number;
}

} // namespace hidet::distributed
