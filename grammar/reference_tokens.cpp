// SPDX-License-Identifier: Apache-2.0
#include "grammar/reference_tokens.h"

#include <antlr4-runtime.h>

#include "HidetScriptLexer.h"

namespace hidet::lang {

std::vector<ReferenceToken> reference_tokens(const std::string& text) {
    antlr4::ANTLRInputStream input(text);
    HidetScriptLexer lexer(&input);
    lexer.removeErrorListeners();
    std::vector<ReferenceToken> out;
    while (true) {
        std::unique_ptr<antlr4::Token> token = lexer.nextToken();
        if (token->getType() == antlr4::Token::EOF)
            return out;
        if (token->getChannel() == 0)
            out.push_back({token->getType(), token->getText()});
    }
}

} // namespace hidet::lang
