// SPDX-License-Identifier: Apache-2.0
#include "lang/base/finding_words.h"

#include "lang/base/text.h"

namespace hidet {

std::string failed_assertion(std::string_view message) {
    return message.empty() ? "fails an assertion" : cat("fails an assertion: ", message);
}

std::string tuple_text(const std::vector<std::int64_t>& items, char open, char close) {
    std::string text(1, open);
    for (std::size_t i = 0; i < items.size(); ++i)
        text += cat(i ? ", " : "", items[i]);
    return text + close;
}

std::string element_text(const std::string& tensor, const std::vector<std::int64_t>& index) {
    return index.empty() ? tensor : tensor + tuple_text(index, '[', ']');
}

const char* text_of(AccessVerb verb) {
    switch (verb) {
    case AccessVerb::Reads: return "reads ";
    case AccessVerb::Writes: return "writes ";
    case AccessVerb::Updates: return "updates ";
    }
    return "";
}

std::string outside_of_shape(AccessVerb verb, const std::string& element, const std::vector<std::int64_t>& shape) {
    return cat(text_of(verb), element, ", outside of its shape ", tuple_text(shape, '[', ']'));
}

} // namespace hidet
