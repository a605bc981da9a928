// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/loop_attr.h"

namespace hidet::ir {

std::string to_string(const LoopAttr& attr) {
    std::string count = attr.count > 0 ? std::to_string(attr.count) : "";
    switch (attr.what) {
    case LoopAttr::What::Plain: return ".";
    case LoopAttr::What::Unroll: return "u" + count;
    case LoopAttr::What::UnrollExplicit: return "u+";
    case LoopAttr::What::Parallel: return "p" + count;
    }
    return ".";
}

std::optional<std::vector<LoopAttr>> parse_loop_attrs(std::string_view text) {
    std::string compact; // blanks mean nothing, even inside "u 4"
    for (char c : text)
        if (c != ' ' && c != '\t')
            compact += c;
    std::vector<LoopAttr> attrs;
    std::size_t at = 0;
    auto is_digit = [&] { return at < compact.size() && compact[at] >= '0' && compact[at] <= '9'; };
    while (at < compact.size()) {
        char head = compact[at++];
        if (head == '.') {
            attrs.push_back({});
            continue;
        }
        if (head != 'u' && head != 'p')
            return std::nullopt;
        LoopAttr attr{head == 'u' ? LoopAttr::What::Unroll : LoopAttr::What::Parallel, 0};
        if (head == 'u' && at < compact.size() && compact[at] == '+') {
            attr.what = LoopAttr::What::UnrollExplicit;
            ++at;
        } else if (is_digit()) {
            while (is_digit()) {
                attr.count = attr.count * 10 + (compact[at++] - '0');
                if (attr.count > 1'000'000)
                    return std::nullopt;
            }
            if (attr.count == 0)
                return std::nullopt;
        }
        attrs.push_back(attr);
    }
    return attrs;
}

} // namespace hidet::ir
