// SPDX-License-Identifier: Apache-2.0
#include "app/session/snapshot/snapshot.h"

#include <algorithm>

namespace hidet::session {

Place place_of(Span span, const SourceMap& sources) {
    if (!sources.holds(span))
        return {};
    const SourceFile& file = sources.file(span.file);
    LineColumn begin = file.position(span.begin);
    LineColumn end = file.position(std::max(span.begin, span.end));
    return {file.name(), begin.line, begin.column, end.line, end.column};
}

int ThreadsView::count() const {
    int count = 0;
    for (const auto& [first, last] : threads)
        count += last - first + 1;
    return count;
}

DiagnosticView view_of(const Diagnostic& diagnostic, const SourceMap& sources) {
    DiagnosticView view;
    view.id = info(diagnostic.id).id;
    view.severity = diagnostic.severity;
    view.message = diagnostic.message;
    view.place = place_of(diagnostic.span, sources);
    for (const Note& note : diagnostic.notes)
        view.notes.push_back({place_of(note.span, sources), note.message});
    for (const FixIt& fix : diagnostic.fixes)
        view.fixes.push_back({place_of(fix.span, sources), fix.text, fix.title});
    view.rendered = render(diagnostic, sources);
    return view;
}

void add_note(DiagnosticView& view, const std::string& message) {
    view.notes.push_back({{}, message});
    view.rendered += "note: " + message + "\n";
}

} // namespace hidet::session
