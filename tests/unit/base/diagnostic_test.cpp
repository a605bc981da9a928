// SPDX-License-Identifier: Apache-2.0
#include "lang/base/diagnostic.h"

#include "tests/harness/unit.h"

using namespace hidet;

namespace {

Diagnostic at(FileId file, std::uint32_t begin, std::uint32_t end) {
    return Diagnostic::make(DiagId::InternalFailure, {file, begin, end}, "a", "b");
}

void places(test::Suite& suite) {
    suite.run("lines end at LF, CRLF and CR", [] {
        SourceFile file("a.py", "one\ntwo\r\nthree\rfour");
        EXPECT_EQUAL(file.line_count(), 4);
        EXPECT_EQUAL(file.line(2), "two");
        EXPECT_EQUAL(file.line(3), "three");
        EXPECT_EQUAL(file.line(4), "four");
        EXPECT_EQUAL(file.line(5), "");
    });
    suite.run("columns count code points", [] {
        SourceFile file("a.py", "\xc3\xa4\xc3\xb6 x");
        EXPECT_EQUAL(file.position(5).column, 4);
    });
    suite.run("an offset past the end is the end", [] {
        SourceFile file("a.py", "ab\n");
        EXPECT_EQUAL(file.position(99).line, 2);
        EXPECT_EQUAL(file.position(99).column, 1);
    });
    suite.run("an empty file has one empty line", [] {
        SourceFile file("a.py", "");
        EXPECT_EQUAL(file.line_count(), 1);
        EXPECT_EQUAL(file.position(0).line, 1);
    });
    suite.run("the cover of two spans is the smallest that holds both", [] {
        EXPECT(cover({1, 2, 4}, {1, 3, 9}) == (Span{1, 2, 9}));
        EXPECT(cover({}, {1, 3, 9}) == (Span{1, 3, 9}));
        EXPECT(cover({1, 2, 4}, {2, 3, 9}) == (Span{1, 2, 4}));
    });
}

void pictures(test::Suite& suite) {
    suite.run("a caret stands under each character of the place, not under each byte", [] {
        SourceMap sources;
        FileId file = sources.add("a.py", "\xc3\xa4 = caf\xc3\xa9 + 1\n");
        EXPECT_EQUAL(render(at(file, 5, 10), sources), "a.py:1:5: error: internal error while a: b [internal-error]\n"
                                                       "    \xc3\xa4 = caf\xc3\xa9 + 1\n"
                                                       "        ^~~~\n");
    });
    suite.run("tabs before the place are kept, so that the caret stays below it", [] {
        SourceMap sources;
        FileId file = sources.add("a.py", "\tx\n");
        EXPECT_EQUAL(render(at(file, 1, 2), sources), "a.py:1:2: error: internal error while a: b [internal-error]\n"
                                                      "    \tx\n"
                                                      "    \t^\n");
    });
    suite.run("a long line is cut to a window around the place", [] {
        SourceMap sources;
        FileId file = sources.add("a.py", std::string(5000, 'a') + "b" + std::string(5000, 'c'));
        std::string text = render(at(file, 5000, 5001), sources);
        EXPECT(text.size() < 500);
        EXPECT(text.find("ab") != std::string::npos);
        std::size_t shown = text.find("ab") - text.find("\n    ") - 1;
        std::size_t caret = text.find('^') - text.rfind('\n', text.find('^')) - 1;
        EXPECT_EQUAL(caret, shown + 1);
    });
    suite.run("control characters show as question marks", [] {
        SourceMap sources;
        FileId file = sources.add("a.py", std::string("a\0\x1b[31mb", 8));
        EXPECT(render(at(file, 1, 2), sources).find("    a??[31mb\n") != std::string::npos);
    });
    suite.run("a span of several lines is marked to the end of its first line", [] {
        SourceMap sources;
        FileId file = sources.add("a.py", "ab\ncd\n");
        EXPECT(render(at(file, 1, 5), sources).find("    ab\n     ^\n") != std::string::npos);
    });
    suite.run("an unknown place has neither heading nor picture", [] {
        EXPECT_EQUAL(render(at(0, 0, 0), SourceMap()), "error: internal error while a: b [internal-error]\n");
    });
    suite.run("notes follow with places of their own", [] {
        SourceMap sources;
        FileId file = sources.add("a.py", "x\ny\n");
        Diagnostic diagnostic = at(file, 2, 3).note({file, 0, 1}, "it began here");
        EXPECT_EQUAL(render(diagnostic, sources), "a.py:2:1: error: internal error while a: b [internal-error]\n"
                                                  "    y\n    ^\n"
                                                  "a.py:1:1: note: it began here\n"
                                                  "    x\n    ^\n");
    });
}

void sinks(test::Suite& suite) {
    suite.run("an exact repeat is dropped, the same message elsewhere is not", [] {
        DiagnosticSink sink;
        sink.report(at(1, 0, 1));
        sink.report(at(1, 0, 1));
        sink.report(at(1, 2, 3));
        EXPECT_EQUAL(sink.all().size(), 2u);
        EXPECT_EQUAL(sink.error_count(), 2);
    });
    suite.run("a flood is counted, not stored", [] {
        DiagnosticSink sink;
        for (std::uint32_t i = 0; i < 2000; ++i)
            sink.report(at(1, i, i + 1));
        EXPECT_EQUAL(sink.error_count(), 2000);
        EXPECT(sink.all().size() < 1000);
    });
    suite.run("sorting goes by file and place and keeps the order of equal places", [] {
        DiagnosticSink sink;
        sink.report(at(2, 0, 1));
        sink.report(at(1, 5, 6));
        sink.report(at(1, 5, 9));
        sink.sort();
        EXPECT(sink.all()[0].span == (Span{1, 5, 6}));
        EXPECT(sink.all()[1].span == (Span{1, 5, 9}));
        EXPECT(sink.all()[2].span == (Span{2, 0, 1}));
    });
    suite.run("a suggestion carries its fix", [] {
        Diagnostic diagnostic = at(1, 0, 6).suggest({1, 0, 6}, "spatal", {"repeat", "spatial"});
        EXPECT_EQUAL(diagnostic.fixes.size(), 1u);
        EXPECT_EQUAL(diagnostic.fixes[0].text, "spatial");
        EXPECT(diagnostic.message.ends_with("; did you mean 'spatial'?"));
    });
    suite.run("no two kinds share an id, and every message keeps to the style", [] {
        std::string seen = "|";
        for (const DiagnosticInfo& row : all_diagnostics()) {
            EXPECT(seen.find(std::string("|") + row.id + "|") == std::string::npos);
            seen += std::string(row.id) + "|";
            std::string_view format = row.format;
            EXPECT(!format.empty() && !format.ends_with('.'));
            bool is_acronym = format.size() > 1 && format[1] >= 'A' && format[1] <= 'Z';
            if (format[0] >= 'A' && format[0] <= 'Z' && !is_acronym)
                throw test::Failure{std::string(row.id) + ": a message starts in lower case: " + row.format};
        }
    });
}

} // namespace

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    places(suite);
    pictures(suite);
    sinks(suite);
    return suite.result();
}
