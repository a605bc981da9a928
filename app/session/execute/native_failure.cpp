// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/native_failure.h"

#include "lang/base/finding_words.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using Kind = artifact::RuntimeCheck::Kind;

DiagId id_of(Kind kind) {
    switch (kind) {
    case Kind::Bounds: return DiagId::EmulateOutOfBounds;
    case Kind::Division: return DiagId::EmulateDivisionByZero;
    case Kind::Assertion: return DiagId::EmulateAssertFailed;
    }
    return DiagId::NativeCallFailed;
}

std::string predicate(const cpu::CallFailure& failure, const artifact::RuntimeCheck& check) {
    if (check.kind != Kind::Bounds)
        return failure.message;
    return outside_of_shape(check.is_store ? AccessVerb::Writes : AccessVerb::Reads,
                            element_text(check.tensor, failure.index), failure.shape);
}

} // namespace

Diagnostic native_finding(const cpu::CallFailure& failure, const std::vector<artifact::RuntimeCheck>& checks,
                          const std::string& function, Span site) {
    const auto row = static_cast<std::size_t>(failure.check);
    if (failure.check < 0 || row >= checks.size())
        return Diagnostic::make(DiagId::NativeCallFailed, site, function, failure.message);
    const artifact::RuntimeCheck& check = checks[row];
    const std::string sentence = cat("function '", check.function, "' ", predicate(failure, check));
    Diagnostic diagnostic = Diagnostic::make(id_of(check.kind), check.origin.span, sentence);
    if (!diagnostic.span.known())
        diagnostic.span = site;
    else if (site.known())
        diagnostic.notes.push_back({site, "called here"});
    return diagnostic;
}

} // namespace hidet::session
