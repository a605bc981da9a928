// SPDX-License-Identifier: Apache-2.0
#include "app/session/figure/svg.h"

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

std::string end_of(const char* element, const std::string& tip) {
    return tip.empty() ? "/>\n" : cat("><title>", escaped(tip), "</title></", element, ">\n");
}

std::string body_of(const Scene& scene);

std::string element_of(const RectMark& mark) {
    return cat("<rect class=\"", mark.style, "\" x=\"", number(mark.x), "\" y=\"", number(mark.y), "\" width=\"",
               number(mark.width), "\" height=\"", number(mark.height), "\"", end_of("rect", mark.tip));
}

std::string element_of(const LineMark& mark) {
    return cat("<line class=\"", mark.style, "\" x1=\"", number(mark.x1), "\" y1=\"", number(mark.y1), "\" x2=\"",
               number(mark.x2), "\" y2=\"", number(mark.y2), "\"/>\n");
}

std::string element_of(const EdgeMark& mark) {
    std::string data = cat("M", number(mark.points[0].x), " ", number(mark.points[0].y));
    for (std::size_t i = 1; i < mark.points.size(); ++i) {
        const drawing::Point from = mark.points[i - 1], to = mark.points[i];
        const std::string middle = number((from.y + to.y) / 2);
        data += from.x == to.x ? cat("V", number(to.y))
                               : cat("C", number(from.x), " ", middle, " ", number(to.x), " ", middle, " ",
                                     number(to.x), " ", number(to.y));
    }
    return cat("<path class=\"", mark.style, "\" d=\"", data, "\"/>\n");
}

std::string element_of(const CircleMark& mark) {
    return cat("<circle class=\"", mark.style, "\" cx=\"", number(mark.x), "\" cy=\"", number(mark.y), "\" r=\"",
               number(mark.radius), "\"", end_of("circle", mark.tip));
}

std::string element_of(const TextMark& mark) {
    static constexpr const char* anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    return cat("<text class=\"", mark.style, "\" x=\"", number(mark.x), "\" y=\"", number(mark.y), "\"",
               anchors[static_cast<std::size_t>(mark.anchor)], ">", escaped(mark.text), "</text>\n");
}

std::string element_of(const InsetMark& mark) {
    return cat("<g transform=\"translate(", number(mark.x), " ", number(mark.y), ")\"><title>",
               escaped(mark.scene->title()), "</title>\n", body_of(*mark.scene), "</g>\n");
}

std::string body_of(const Scene& scene) {
    std::string out;
    for (const Mark& mark : scene.marks())
        out += std::visit([](const auto& each) { return element_of(each); }, mark);
    return out;
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

std::string palette_css() {
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
    for (int hue = 0; hue < palette_hues; ++hue)
        out += cat(".picture .hue", hue, "{fill:hsl(", hue * 360 / palette_hues, ",60%,var(--light))}\n");
    return out;
}

std::string svg_element(const Scene& scene) {
    return cat("<svg class=\"picture\" role=\"img\" width=\"", number(scene.width()), "\" height=\"",
               number(scene.height()), "\" viewBox=\"0 0 ", number(scene.width()), " ", number(scene.height()),
               "\"><title>", escaped(scene.title()), "</title>\n", body_of(scene), "</svg>\n");
}

std::string svg_document(const Scene& scene) {
    const std::string width = number(scene.width()), height = number(scene.height());
    return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" width=\"", width, "\" height=\"", height,
               "\" viewBox=\"0 0 ", width, " ", height, "\">\n<title>", escaped(scene.title()), "</title>\n<style>\n",
               palette_css(), "</style>\n<rect class=\"paper\" width=\"", width, "\" height=\"", height, "\"/>\n",
               body_of(scene), "</svg>\n");
}

} // namespace hidet::session
