// SPDX-License-Identifier: Apache-2.0
#include "app/session/figure/html.h"

#include <algorithm>

#include "app/session/figure/svg.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr const char* style =
    ":root{color-scheme:light "
    "dark;--paper:#ffffff;--ink:#1b1f24;--faint:#57606a;--grid:#d8dee4;--soft:#f3f5f8;--bad:#cf222e;"
    "--good:#1a7f37}\n"
    "@media (prefers-color-scheme: "
    "dark){:root{--paper:#15181d;--ink:#e6edf3;--faint:#8b949e;--grid:#30363d;--soft:#1d2127;"
    "--bad:#ff7b72;--good:#56d364}}\n"
    "body{background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:78rem;"
    "padding:0 1rem}\n"
    "h1{font-size:1.6rem}h2{font-size:1.25rem;border-bottom:1px solid "
    "var(--grid);margin-top:2rem}h3{font-size:1.05rem}\n"
    "pre,td.code,summary{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12.5px}pre{background:var(--soft);"
    "padding:.75rem;overflow:auto;max-height:40rem}\n"
    "table{border-collapse:collapse;margin:.5rem "
    "0;font-size:13.5px}th{text-align:left;color:var(--faint);font-weight:600}"
    "th,td{padding:.1rem .8rem .1rem 0;vertical-align:top}\n"
    "table.source{width:100%;background:var(--soft)}table.source td{padding:0 .6rem;white-space:pre}table.source "
    "td.note{"
    "min-width:20rem;white-space:normal;font-size:12.5px;color:var(--faint)}td.number{text-align:right;color:var(--"
    "faint);user-select:"
    "none}\n"
    ".bad{color:var(--bad)}.good{color:var(--good)}.faint{color:var(--faint)}figure{margin:.5rem 0;overflow:auto}"
    "figure.tall{max-height:60rem}\n";

std::string heading_of(const Column& column) {
    return cat("<th>", escaped(column.name), column.unit.empty() ? "" : cat(" [", escaped(column.unit), "]"), "</th>");
}

std::string html_of(const Cell& cell) {
    const std::string tone = tone_name(cell.tone);
    return cat(tone.empty() ? "<td>" : cat("<td class=\"", tone, "\">"), escaped(cell.text), "</td>");
}

} // namespace

std::string html_of(const Table& table) {
    std::string out = "<table>\n";
    if (std::ranges::any_of(table.columns, [](const Column& column) { return !column.name.empty(); })) {
        out += "<tr>";
        for (const Column& column : table.columns)
            out += heading_of(column);
        out += "</tr>\n";
    }
    for (const Row& row : table.rows) {
        out += "<tr>";
        for (const Cell& cell : row.cells)
            out += html_of(cell);
        out += "</tr>\n";
    }
    return out + "</table>\n";
}

void Page::heading(std::string_view text) {
    m_body += cat("<h2>", escaped(text), "</h2>\n");
}

void Page::subheading(std::string_view text) {
    m_body += cat("<h3>", escaped(text), "</h3>\n");
}

void Page::paragraph(std::string_view text, std::string_view style_class) {
    m_body += style_class.empty() ? cat("<p>", escaped(text), "</p>\n")
                                  : cat("<p class=\"", style_class, "\">", escaped(text), "</p>\n");
}

void Page::figure(const Scene& scene, std::string_view style_class) {
    m_body += cat("<figure", style_class.empty() ? "" : cat(" class=\"", style_class, "\""), ">", svg_element(scene),
                  "</figure>\n");
}

void Page::folded(std::string_view summary, std::string_view text) {
    m_body += cat("<details><summary>", escaped(summary), "</summary><pre>", escaped(text), "</pre></details>\n");
}

std::string Page::text() const {
    return cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
               escaped(m_title), "</title>\n<style>\n", style, palette_css(), "</style>\n</head>\n<body>\n<h1>",
               escaped(m_title), "</h1>\n", m_body, "</body>\n</html>\n");
}

} // namespace hidet::session
