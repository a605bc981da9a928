// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/parser.h"

#include <algorithm>

#include "lang/parse/builder_state.h"
#include "lang/parse/check_scopes.h"
#include "lang/parse/limits.h"
#include "lang/parse/logical_lines.h"
#include "lang/parse/run_parser.h"
#include "lang/parse/scanner.h"
#include "lang/parse/silence.h"

namespace hidet::lang {

namespace {

// Whether the bytes are text that we read at all.
bool is_readable(std::string_view text, Faults& faults) {
    if (text.size() > max_script_bytes) {
        faults.add(DiagId::SyntaxFileTooBig, 0, 0, text.size(), max_script_bytes);
        return false;
    }
    if (std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        faults.add(DiagId::SyntaxNul, nul, nul + 1);
        return false;
    }
    if (std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
        const char* digits = "0123456789abcdef";
        auto byte = static_cast<unsigned char>(text[bad]);
        faults.add(DiagId::SyntaxNotUtf8, bad, bad + 1, cat("0x", digits[byte >> 4], digits[byte & 15]));
        return false;
    }
    return true;
}

void read(std::string_view text, ast::Module& module, Faults& faults) {
    Scanned scanned;
    scanned.tokens.reserve(text.size() / 3 + 16);
    scan(text, {0, static_cast<std::uint32_t>(text.size())}, scanned, faults);
    std::vector<ast::Comment> comments;
    for (Stretch c : scanned.comments)
        comments.push_back({text.substr(c.begin, c.end - c.begin), faults.span(c.begin, c.end)});
    module.comments = module.arena->copy(comments);
    Tokens tokens = read_logical_lines(text, scanned, faults);
    if (faults.full())
        return;
    BuilderState state(module.file, text, tokens, *module.arena, faults);
    run_parser(state);
    module.body = state.take(state.statements, 0);
    bool declares = std::any_of(tokens.begin(), tokens.end(),
                                [](const Token& t) { return t.kind == Tok::GLOBAL || t.kind == Tok::NONLOCAL; });
    check_scopes(module.body, declares ? NameTracking::On : NameTracking::Off, faults);
    silence_faulty(module.body, faults, *module.arena);
}

} // namespace

ast::Module parse(const SourceMap& sources, FileId file, DiagnosticSink& sink) {
    ast::Module module;
    module.file = file;
    module.arena = std::make_shared<Arena>();
    std::string_view text = sources.file(file).text();
    Faults faults(file);
    if (is_readable(text, faults))
        read(text, module, faults);
    std::stable_sort(faults.all().begin(), faults.all().end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
    module.had_errors = !faults.empty();
    for (Diagnostic& fault : faults.all())
        sink.report(std::move(fault));
    return module;
}

} // namespace hidet::lang
