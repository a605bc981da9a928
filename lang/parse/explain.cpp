// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/explain.h"

namespace hidet::lang {

static std::string show(const BuilderState& state, Index at) {
    switch (state.token(at).kind) {
    case Tok::NEWLINE: return "the end of the line";
    case Tok::EndOfFile: return "the end of the file";
    case Tok::INDENT:
    case Tok::STRAY_INDENT: return "an indented block";
    case Tok::DEDENT: return "the end of the block";
    case Tok::STRING:
    case Tok::FS_BEGIN: return "a string";
    default: return cat("'", state.word(at), "'");
    }
}

static std::string show(Tok kind) {
    switch (kind) {
    case Tok::NAME: return "a name";
    case Tok::NEWLINE: return "the end of the line";
    default: return cat("'", spelling(kind), "'");
    }
}

Diagnostic explain_missing(const BuilderState& state, Index at, Tok expected) {
    return Diagnostic::make(DiagId::SyntaxExpected, state.span(at), show(expected), show(state, at));
}

Diagnostic explain(const BuilderState& state, const Stuck& stuck) {
    if (stuck.expected.size() == 1)
        return explain_missing(state, stuck.at, stuck.expected[0]);
    return Diagnostic::make(DiagId::SyntaxUnexpected, state.span(stuck.at), show(state, stuck.at));
}

} // namespace hidet::lang
