// SPDX-License-Identifier: Apache-2.0
// The names that a user took from lists of completions, the last one first: what was taken a while ago is wanted again more
// often than its neighbours in the alphabet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hidet::lang::service {

class TakenNames {
public:
    static constexpr std::size_t most = 200; // older ones are forgotten

    void take(std::string_view name);
    // What a candidate gains, in the units of fuzzy_score(): less than it gains for being nearer. 0: it was not taken.
    int likelihood(std::string_view name) const;

    // As a file keeps them: a name a line. What is no name is left out.
    std::string text() const;
    static TakenNames of(std::string_view text);

private:
    std::vector<std::string> m_names;
};

} // namespace hidet::lang::service
