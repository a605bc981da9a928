// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/nesting.h"

#include <vector>

namespace hidet::lang {

void bound_nesting(Tokens& tokens, Faults& faults) {
    constexpr int max_nesting = 200;
    std::vector<int> outer; // what the brackets around hold
    int here = 0, all = 0;
    std::size_t line = 0, kept = 0;
    bool skipping = false;
    auto leave = [&](int next) {
        all -= here - next;
        here = next;
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        Tok kind = tokens[i].kind;
        bool ends_line = kind == Tok::NEWLINE || kind == Tok::EndOfFile;
        if (opens_bracket(kind) || kind == Tok::FS_OPEN) {
            outer.push_back(here);
            here = 0;
        } else if ((closes_bracket(kind) || kind == Tok::FS_CLOSE) && !outer.empty()) {
            leave(0);
            here = outer.back();
            outer.pop_back();
        } else if (kind == Tok::COMMA) {
            leave(0);
        } else if (kind == Tok::LAMBDA || (kind == Tok::IF && kept > line)) {
            ++here;
            ++all;
        }
        if (all > max_nesting && !skipping) {
            faults.add(DiagId::SyntaxTooDeep, tokens[i].begin, tokens[i].end, "expression");
            kept = line;
            tokens[kept++] = {Tok::BAD_ATOM, tokens[i].begin, tokens[i].end};
            skipping = true;
        }
        if (!skipping || ends_line)
            tokens[kept++] = tokens[i];
        if (ends_line || kind == Tok::INDENT || kind == Tok::DEDENT || kind == Tok::STRAY_INDENT) {
            line = kept;
            if (ends_line) {
                skipping = false;
                outer.clear();
                here = all = 0;
            }
        }
    }
    tokens.resize(kept);
}

} // namespace hidet::lang
