// SPDX-License-Identifier: Apache-2.0
#include "app/session/picture/svg.h"

#include <charconv>
#include <cmath>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

// With at most two digits behind the point.
std::string number(double value) {
    char digits[40];
    const double rounded = std::round(value * 100) / 100;
    const auto end = std::to_chars(digits, digits + sizeof digits, rounded == 0 ? 0 : rounded).ptr;
    return {digits, end};
}

std::string tip_element(std::string_view tip) {
    return tip.empty() ? "/>\n" : cat("><title>", escaped(tip), "</title></rect>\n");
}

} // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text)
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: // control characters are none of XML
            if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
                out += c;
        }
    return out;
}

std::string hue_class(std::int64_t number) {
    return cat("hue", (number * 5) % picture_hues);
}

std::string picture_style() {
    std::string out =
        ".picture{--paper:#ffffff;--ink:#1b1f24;--faint:#6a737d;--grid:#d8dee4;--bad:#cf222e;--good:#1a7f37;"
        "--light:72%;background:var(--paper);font:11px ui-monospace,Menlo,Consolas,monospace}\n"
        "@media (prefers-color-scheme: dark){.picture{--paper:#15181d;--ink:#e6edf3;--faint:#8b949e;"
        "--grid:#30363d;--bad:#ff7b72;--good:#56d364;--light:38%}}\n"
        ".picture text{fill:var(--ink)}.picture text.faint{fill:var(--faint)}.picture text.bad{fill:var(--bad)}"
        ".picture text.good{fill:var(--good)}\n"
        ".picture line.ink{stroke:var(--ink)}.picture line.faint{stroke:var(--faint)}.picture "
        "line.grid{stroke:var(--grid)}"
        ".picture line.bad{stroke:var(--bad)}.picture line.good{stroke:var(--good)}\n"
        ".picture text{stroke:none}.picture rect,.picture circle{stroke:none}.picture line{fill:none}\n"
        ".picture rect.ink,.picture circle.ink{fill:var(--ink)}.picture rect.faint{fill:var(--faint)}"
        ".picture rect.grid{fill:var(--grid)}.picture rect.bad,.picture circle.bad{fill:var(--bad)}"
        ".picture rect.good,.picture circle.good{fill:var(--good)}.picture rect.paper{fill:var(--paper)}\n";
    out += ".picture rect.outline{stroke:var(--faint);stroke-width:0.8}.picture rect.frame{fill-opacity:0.3}"
           ".picture path{fill:none;stroke:var(--faint)}.picture text.small{font-size:10px}\n";
    for (int hue = 0; hue < picture_hues; ++hue)
        out += cat(".picture .hue", hue, "{fill:hsl(", hue * 360 / picture_hues, ",60%,var(--light))}\n");
    return out;
}

void Svg::rect(double x, double y, double width, double height, std::string_view style, std::string_view tip) {
    m_body += cat("<rect class=\"", style, "\" x=\"", number(x), "\" y=\"", number(y), "\" width=\"", number(width),
                  "\" height=\"", number(height), "\"", tip_element(tip));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
    m_body += cat("<line class=\"", style, "\" x1=\"", number(x1), "\" y1=\"", number(y1), "\" x2=\"", number(x2),
                  "\" y2=\"", number(y2), "\"/>\n");
}

void Svg::way(std::span<const drawing::Point> points, std::string_view style) {
    if (points.size() < 2)
        return;
    std::string data = cat("M", number(points[0].x), " ", number(points[0].y));
    for (std::size_t i = 1; i < points.size(); ++i) {
        const drawing::Point from = points[i - 1], to = points[i];
        const std::string middle = number((from.y + to.y) / 2);
        data += from.x == to.x ? cat("V", number(to.y))
                               : cat("C", number(from.x), " ", middle, " ", number(to.x), " ", middle, " ",
                                     number(to.x), " ", number(to.y));
    }
    m_body += cat("<path class=\"", style, "\" d=\"", data, "\"/>\n");
}

void Svg::circle(double x, double y, double radius, std::string_view style, std::string_view tip) {
    m_body += cat("<circle class=\"", style, "\" cx=\"", number(x), "\" cy=\"", number(y), "\" r=\"", number(radius),
                  "\"", tip.empty() ? "/>\n" : cat("><title>", escaped(tip), "</title></circle>\n"));
}

void Svg::text(double x, double y, std::string_view text, std::string_view style, TextAnchor anchor) {
    static constexpr const char* anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    m_body += cat("<text class=\"", style, "\" x=\"", number(x), "\" y=\"", number(y), "\"",
                  anchors[static_cast<std::size_t>(anchor)], ">", escaped(text), "</text>\n");
}

void Svg::inset(double x, double y, const Svg& picture) {
    m_body += cat("<g transform=\"translate(", number(x), " ", number(y), ")\"><title>", escaped(picture.m_title),
                  "</title>\n", picture.m_body, "</g>\n");
}

std::string Svg::element() const {
    return cat("<svg class=\"picture\" role=\"img\" width=\"", number(m_width), "\" height=\"", number(m_height),
               "\" viewBox=\"0 0 ", number(m_width), " ", number(m_height), "\"><title>", escaped(m_title),
               "</title>\n", m_body, "</svg>\n");
}

std::string Svg::document() const {
    return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" width=\"", number(m_width), "\" height=\"",
               number(m_height), "\" viewBox=\"0 0 ", number(m_width), " ", number(m_height), "\">\n<title>",
               escaped(m_title), "</title>\n<style>\n", picture_style(), "</style>\n<rect class=\"paper\" width=\"",
               number(m_width), "\" height=\"", number(m_height), "\"/>\n", m_body, "</svg>\n");
}

} // namespace hidet::session
