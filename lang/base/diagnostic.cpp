// SPDX-License-Identifier: Apache-2.0
#include "lang/base/diagnostic.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "lang/base/transformed.h"

namespace hidet {

const std::vector<DiagnosticInfo>& all_diagnostics() {
    static const std::vector<DiagnosticInfo> rows = {
#define HIDET_DIAGNOSTIC(name, id, severity, format) {#name, id, Severity::severity, format},
#include "lang/base/diagnostics.def"
#undef HIDET_DIAGNOSTIC
    };
    return rows;
}

const DiagnosticInfo& info(DiagId id) {
    return all_diagnostics()[static_cast<std::size_t>(id)];
}

Diagnostic Diagnostic::make_from(DiagId id, Span span, const std::vector<std::string>& args) {
    const DiagnosticInfo& row = info(id);
    Diagnostic out;
    out.id = id;
    out.severity = row.severity;
    out.span = span;
    constexpr std::size_t longest = 4000; // bytes of a value that is quoted
    if (std::ranges::all_of(args, [](const std::string& arg) { return arg.size() <= longest; })) {
        out.message = substitute(row.format, args);
        return out;
    }
    std::vector<std::string> brief = transformed(args, [&](const std::string& arg) { return in_brief(arg, longest); });
    out.message = substitute(row.format, brief);
    return out;
}

Diagnostic&& Diagnostic::note(Span where, std::string text) && {
    notes.push_back({where, std::move(text)});
    return std::move(*this);
}

Diagnostic&& Diagnostic::fix(Span where, std::string text, std::string title) && {
    fixes.push_back({where, std::move(text), std::move(title)});
    return std::move(*this);
}

Diagnostic&& Diagnostic::suggest(Span where, std::string_view word, const std::vector<std::string>& candidates) && {
    std::string best = closest(word, candidates);
    if (!best.empty()) {
        message += "; did you mean '" + best + "'?";
        if (where.known())
            fixes.push_back({where, best, "replace by '" + best + "'"});
    }
    return std::move(*this);
}

// "a block of # threads": what a place says for each size that it is tried with.
static std::string without_numbers(std::string_view text) {
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '-' && is_digit(i + 1))
            continue;
        if (!is_digit(i)) {
            out += text[i];
            continue;
        }
        while (is_digit(i + 1) || (i + 1 < text.size() && text[i + 1] == '.' && is_digit(i + 2)))
            ++i;
        out += '#';
    }
    return out;
}

static bool says_the_same(Diagnostic& known, const Diagnostic& other) {
    if (known.id != other.id || known.span != other.span)
        return false;
    if (known.message == other.message)
        return true;
    if (!known.span.known() || without_numbers(known.message) != without_numbers(other.message))
        return false;
    constexpr std::string_view again = "again with other numbers: ";
    if (known.notes.empty() || !known.notes.back().message.starts_with(again))
        known.notes.push_back({{}, cat(again, other.message)});
    return true;
}

void DiagnosticSink::report(Diagnostic diagnostic) {
    if (diagnostic.severity == Severity::Error)
        ++m_errors;
    for (Diagnostic& old : m_all)
        if (says_the_same(old, diagnostic))
            return;
    constexpr std::size_t limit = 500;
    if (m_all.size() < limit)
        m_all.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> DiagnosticSink::take() {
    m_errors = 0;
    return std::exchange(m_all, {});
}

void DiagnosticSink::sort() {
    std::ranges::stable_sort(m_all, [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.span.file, a.span.begin) < std::tie(b.span.file, b.span.begin);
    });
}

static const char* word(Severity severity) {
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
    }
    return "error";
}

static bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The source line and the carets under it. Long lines are cut to a window around the place.
static std::string picture(Span span, const SourceMap& sources) {
    const SourceFile& file = sources.file(span.file);
    LineColumn place = file.position(span.begin);
    std::string_view line = file.line(place.line);
    std::size_t offset = std::min<std::size_t>(span.begin - file.line_start(place.line), line.size());
    std::size_t length = std::min<std::size_t>(span.end > span.begin ? span.end - span.begin : 1, line.size() - offset);
    constexpr std::size_t window = 160;
    std::size_t from = 0;
    if (line.size() > window && offset > window / 2)
        from = std::min(offset - window / 2, line.size() - window);
    while (from > 0 && is_continuation(line[from]))
        --from;
    std::size_t end = std::min(from + window, line.size());
    while (end > from && end < line.size() && is_continuation(line[end]))
        --end;
    std::string text, marks;
    for (char c : line.substr(from, end - from))
        text += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
    for (std::size_t bad = 0; (bad = first_invalid_utf8(text)) != std::string_view::npos;)
        text[bad] = '?';
    for (std::size_t i = from; i < offset && i < line.size(); ++i)
        if (!is_continuation(line[i]))
            marks += line[i] == '\t' ? '\t' : ' ';
    std::size_t carets = 0;
    for (std::size_t i = offset; i < offset + length && i < from + window; ++i)
        carets += is_continuation(line[i]) ? 0 : 1;
    marks += '^' + std::string(carets > 1 ? carets - 1 : 0, '~');
    return "    " + text + "\n    " + marks + "\n";
}

static std::string heading(Span span, const SourceMap& sources) {
    if (!sources.holds(span))
        return "";
    const SourceFile& file = sources.file(span.file);
    LineColumn place = file.position(span.begin);
    return cat(file.name(), ":", place.line, ":", place.column, ": ");
}

std::string render(const Diagnostic& d, const SourceMap& sources) {
    std::string out = heading(d.span, sources) + word(d.severity) + ": " + d.message + " [" + info(d.id).id + "]\n";
    if (sources.holds(d.span))
        out += picture(d.span, sources);
    for (const Note& note : d.notes) {
        out += heading(note.span, sources) + "note: " + note.message + "\n";
        if (sources.holds(note.span))
            out += picture(note.span, sources);
    }
    for (const FixIt& fix : d.fixes)
        if (d.message.find(cat("'", fix.text, "'")) == std::string::npos) // "did you mean 'x'?"
            out += cat(heading(fix.span, sources), "fix: ", fix.title, "\n");
    return out;
}

std::string render(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources) {
    std::string out;
    std::set<std::pair<std::uint32_t, std::string>> told; // a fix of several mistakes is said once
    for (Diagnostic diagnostic : diagnostics) {
        std::erase_if(diagnostic.fixes,
                      [&](const FixIt& fix) { return !told.emplace(fix.span.begin, fix.title).second; });
        out += render(diagnostic, sources);
    }
    return out;
}

} // namespace hidet
