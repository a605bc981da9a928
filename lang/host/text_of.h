// SPDX-License-Identifier: Apache-2.0
// str() and repr() of values.
#pragma once

#include <string>
#include <vector>

#include "lang/host/evaluator.h"

namespace hidet::lang {

// A container, or an object of ours that is written as one, while its text is made: what is found within itself is "...".
class OpenText {
public:
    OpenText(Evaluator& evaluator, const Value& owner);
    ~OpenText();
    OpenText(const OpenText&) = delete;
    OpenText& operator=(const OpenText&) = delete;
    bool is_within_itself() const { return !m_open; }

private:
    std::vector<const Object*>& m_all;
    bool m_open = false;
};

std::string text_of(Evaluator& evaluator, const Value& value);
std::string repr_of(Evaluator& evaluator, const Value& value);

} // namespace hidet::lang
