// SPDX-License-Identifier: GPL-3.0-only
// What workers say is worded for the command line: of its options the window has none.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "app/session/worker/jobs.h"

namespace hidet::ui {

struct Wording {
    std::string_view ofCommandLine, ofWindow;
};

inline constexpr std::array windowWords{
#define HIDET_WINDOW_WORDS(ofCommandLine, ofWindow) Wording{ofCommandLine, ofWindow},
#include "app/ui/core/window_words.def"
};

inline std::string inWindowWords(std::string said) {
    for (const Wording& each : windowWords)
        for (std::size_t at = said.find(each.ofCommandLine); at != std::string::npos;
             at = said.find(each.ofCommandLine, at + each.ofWindow.size()))
            said.replace(at, each.ofCommandLine.size(), each.ofWindow);
    return said;
}

inline void putInWindowWords(session::DiagnosticView& diagnostic) {
    diagnostic.message = inWindowWords(std::move(diagnostic.message));
    diagnostic.rendered = inWindowWords(std::move(diagnostic.rendered));
    for (session::NoteView& note : diagnostic.notes)
        note.message = inWindowWords(std::move(note.message));
}

// What it tells people.
inline session::Answer inWindowWords(session::Answer answer) {
    std::visit(
        [](auto& result) {
            if constexpr (requires { result.diagnostics; })
                for (session::DiagnosticView& each : result.diagnostics)
                    putInWindowWords(each);
            if constexpr (requires { result.verdict.sentence; })
                result.verdict.sentence = inWindowWords(std::move(result.verdict.sentence));
        },
        answer.result);
    answer.reason.message = inWindowWords(std::move(answer.reason.message));
    if (answer.fault)
        putInWindowWords(*answer.fault);
    return answer;
}

} // namespace hidet::ui
