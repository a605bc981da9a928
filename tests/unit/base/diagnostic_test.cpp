// SPDX-License-Identifier: Apache-2.0
#include "lang/base/diagnostic.h"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

using namespace hidet;

namespace {

Diagnostic at(FileId file, std::uint32_t begin, std::uint32_t end) {
    return Diagnostic::make(DiagId::InternalFailure, {file, begin, end}, "a", "b");
}

Diagnostic said(Span span, const char* message) {
    Diagnostic out = Diagnostic::make(DiagId::InternalFailure, span, "a", "b");
    out.message = message;
    return out;
}

TEST_CASE("of what is said again of a place with other numbers one stays, and all count") {
    const Span place{1, 2, 9};
    DiagnosticSink sink;
    sink.report(said(place, "a block of 2049 threads, at most 1024"));
    for (int i = 0; i < 2; ++i) {
        sink.report(said(place, "a block of -7.25 threads, at most 1024"));
        sink.report(said(place, "a block of 2049 threads, at most 1024"));
        sink.report(said(place, "a block of 2050 threads, at most 1024"));
    }
    sink.report(said(place, "a block of x threads, at most 1024"));
    sink.report(said({1, 3, 9}, "a block of 2050 threads, at most 1024"));
    sink.report(said({}, "1 file"));
    sink.report(said({}, "2 files"));
    sink.report(said({}, "3 files"));
    REQUIRE(sink.error_count() == 12);
    const std::vector<Diagnostic> all = sink.take();
    REQUIRE(all.size() == 6);
    REQUIRE(all[0].notes.size() == 1);
    REQUIRE(all[0].notes[0].message == "again with other numbers: a block of -7.25 threads, at most 1024");
    for (std::size_t i = 1; i < all.size(); ++i)
        REQUIRE(all[i].notes.empty());
}

TEST_CASE("lines end at LF, CRLF and CR") {
    SourceFile file("a.py", "one\ntwo\r\nthree\rfour");
    REQUIRE(file.line_count() == 4);
    REQUIRE(file.line(2) == "two");
    REQUIRE(file.line(3) == "three");
    REQUIRE(file.line(4) == "four");
    REQUIRE(file.line(5) == "");
}

TEST_CASE("columns count code points") {
    SourceFile file("a.py", "\xc3\xa4\xc3\xb6 x");
    REQUIRE(file.position(5).column == 4);
}

TEST_CASE("an offset past the end is the end") {
    SourceFile file("a.py", "ab\n");
    REQUIRE(file.position(99).line == 2);
    REQUIRE(file.position(99).column == 1);
}

TEST_CASE("an empty file has one empty line") {
    SourceFile file("a.py", "");
    REQUIRE(file.line_count() == 1);
    REQUIRE(file.position(0).line == 1);
}

TEST_CASE("the cover of two spans is the smallest that holds both") {
    REQUIRE(cover({1, 2, 4}, {1, 3, 9}) == (Span{1, 2, 9}));
    REQUIRE(cover({}, {1, 3, 9}) == (Span{1, 3, 9}));
    REQUIRE(cover({1, 2, 4}, {2, 3, 9}) == (Span{1, 2, 4}));
}

TEST_CASE("a caret stands under each character of the place, not under each byte") {
    SourceMap sources;
    FileId file = sources.add("a.py", "\xc3\xa4 = caf\xc3\xa9 + 1\n");
    REQUIRE(render(at(file, 5, 10), sources) == "a.py:1:5: error: internal error while a: b [internal-error]\n"
                                                "    \xc3\xa4 = caf\xc3\xa9 + 1\n"
                                                "        ^~~~\n");
}

TEST_CASE("tabs before the place are kept, so that the caret stays below it") {
    SourceMap sources;
    FileId file = sources.add("a.py", "\tx\n");
    REQUIRE(render(at(file, 1, 2), sources) == "a.py:1:2: error: internal error while a: b [internal-error]\n"
                                               "    \tx\n"
                                               "    \t^\n");
}

TEST_CASE("a long line is cut to a window around the place") {
    SourceMap sources;
    FileId file = sources.add("a.py", std::string(5000, 'a') + "b" + std::string(5000, 'c'));
    std::string text = render(at(file, 5000, 5001), sources);
    REQUIRE(text.size() < 500);
    REQUIRE(text.find("ab") != std::string::npos);
    std::size_t shown = text.find("ab") - text.find("\n    ") - 1;
    std::size_t caret = text.find('^') - text.rfind('\n', text.find('^')) - 1;
    REQUIRE(caret == shown + 1);
}

TEST_CASE("control characters show as question marks") {
    SourceMap sources;
    FileId file = sources.add("a.py", std::string("a\0\x1b[31mb", 8));
    REQUIRE(render(at(file, 1, 2), sources).find("    a??[31mb\n") != std::string::npos);
}

TEST_CASE("a span of several lines is marked to the end of its first line") {
    SourceMap sources;
    FileId file = sources.add("a.py", "ab\ncd\n");
    REQUIRE(render(at(file, 1, 5), sources).find("    ab\n     ^\n") != std::string::npos);
}

TEST_CASE("an unknown place has neither heading nor picture") {
    REQUIRE(render(at(0, 0, 0), SourceMap()) == "error: internal error while a: b [internal-error]\n");
}

TEST_CASE("notes follow with places of their own") {
    SourceMap sources;
    FileId file = sources.add("a.py", "x\ny\n");
    Diagnostic diagnostic = at(file, 2, 3).note({file, 0, 1}, "it began here");
    REQUIRE(render(diagnostic, sources) == "a.py:2:1: error: internal error while a: b [internal-error]\n"
                                           "    y\n    ^\n"
                                           "a.py:1:1: note: it began here\n"
                                           "    x\n    ^\n");
}

TEST_CASE("an exact repeat is dropped, the same message elsewhere is not") {
    DiagnosticSink sink;
    sink.report(at(1, 0, 1));
    sink.report(at(1, 0, 1));
    sink.report(at(1, 2, 3));
    REQUIRE(sink.all().size() == 2u);
    REQUIRE(sink.error_count() == 3);
}

TEST_CASE("a flood is counted, not stored") {
    DiagnosticSink sink;
    for (std::uint32_t i = 0; i < 2000; ++i)
        sink.report(at(1, i, i + 1));
    REQUIRE(sink.error_count() == 2000);
    REQUIRE(sink.all().size() < 1000);
}

TEST_CASE("sorting goes by file and place and keeps the order of equal places") {
    DiagnosticSink sink;
    sink.report(at(2, 0, 1));
    sink.report(at(1, 5, 6));
    sink.report(at(1, 5, 9));
    sink.sort();
    REQUIRE(sink.all()[0].span == (Span{1, 5, 6}));
    REQUIRE(sink.all()[1].span == (Span{1, 5, 9}));
    REQUIRE(sink.all()[2].span == (Span{2, 0, 1}));
}

TEST_CASE("a suggestion carries its fix") {
    Diagnostic diagnostic = at(1, 0, 6).suggest({1, 0, 6}, "spatal", {"repeat", "spatial"});
    REQUIRE(diagnostic.fixes.size() == 1u);
    REQUIRE(diagnostic.fixes[0].text == "spatial");
    REQUIRE(diagnostic.message.ends_with("; did you mean 'spatial'?"));
}

TEST_CASE("no two kinds share an id, and every message keeps to the style") {
    std::string seen = "|";
    for (const DiagnosticInfo& row : all_diagnostics()) {
        REQUIRE(seen.find(std::string("|") + row.id + "|") == std::string::npos);
        seen += std::string(row.id) + "|";
        std::string_view format = row.format;
        REQUIRE((!format.empty() && !format.ends_with('.')));
        bool is_acronym = format.size() > 1 && format[1] >= 'A' && format[1] <= 'Z';
        if (format[0] >= 'A' && format[0] <= 'Z' && !is_acronym)
            FAIL(row.id, ": a message starts in lower case: ", row.format);
    }
}

} // namespace
