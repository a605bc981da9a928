// SPDX-License-Identifier: Apache-2.0
// Reads paths from standard input and says for each whether the scanner's tokens are those of the lexer grammar: "ok", or
// "differ" with the first token that is not. A text with a mistake in its tokens is "skipped": what stands for a mistake is
// not defined by the grammar.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "grammar/reference_tokens.h"
#include "lang/parse/scanner.h"

namespace {

std::string compare(const std::string& text) {
    hidet::lang::Faults faults(1);
    hidet::lang::Scanned scanned;
    bool bom = text.substr(0, 3) == "\xEF\xBB\xBF";
    hidet::lang::scan(text, {bom ? 3u : 0u, static_cast<std::uint32_t>(text.size())}, scanned, faults);
    if (!faults.empty())
        return "skipped";
    std::vector<hidet::lang::ReferenceToken> expected = hidet::lang::reference_tokens(text);
    if (expected.size() != scanned.tokens.size())
        return "differ in number";
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const hidet::lang::Token& ours = scanned.tokens[i];
        std::string word = text.substr(ours.begin, ours.end - ours.begin);
        if (static_cast<std::size_t>(ours.kind) != expected[i].kind || word != expected[i].text)
            return "differ: the scanner says '" + word + "', the grammar '" + expected[i].text + "'";
    }
    return "ok";
}

} // namespace

int main() {
    for (std::string path; std::getline(std::cin, path);) {
        std::ifstream in(path, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        std::printf("%s\n", compare(std::move(text).str()).c_str());
        std::fflush(stdout);
    }
    return 0;
}
