// SPDX-License-Identifier: Apache-2.0
// Tables and scenes as other programs and browsers get them.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/session/figure/html.h"
#include "app/session/figure/json.h"
#include "app/session/figure/svg.h"

using namespace hidet;
using namespace hidet::session;

namespace {

Table table_of_accesses() {
    Table table{{"line", {"moves", "sectors"}, ""}};
    table.add({12, Cell("64 k", 65536), "a < b"}, Place{"kernel.py", 12, 5, 12, 9});
    Cell bad("none");
    bad.tone = Tone::Bad;
    table.add({3, bad, ""});
    return table;
}

Scene scene_of_lanes() {
    Scene scene(100, 40.126, "lanes & sectors");
    scene.rect(1, 2.5, 10, 4, "hue3", "lane \"0\"");
    scene.line(0, 0, 5, 5, "grid");
    const drawing::Point points[] = {{0, 0}, {0, 10}, {4, 20}};
    scene.edge(points, "faint");
    scene.edge(std::span<const drawing::Point>(points).first(1), "faint");
    scene.circle(3, 4, 1, "bad");
    scene.text(9, 9, "a<b", "ink", TextAnchor::End);
    return scene;
}

} // namespace

TEST_CASE("a table in a page has a heading with units, and escapes what its cells say") {
    CHECK(html_of(table_of_accesses()) == "<table>\n<tr><th>line</th><th>moves [sectors]</th><th></th></tr>\n"
                                          "<tr><td>12</td><td>64 k</td><td>a &lt; b</td></tr>\n"
                                          "<tr><td>3</td><td class=\"bad\">none</td><td></td></tr>\n</table>\n");
    Table plain{{"", ""}};
    plain.add({"blocks", 132});
    CHECK(html_of(plain) == "<table>\n<tr><td>blocks</td><td>132</td></tr>\n</table>\n");
}

TEST_CASE("a table for programs has the numbers behind the texts, and the places of its rows") {
    CHECK(json_of(table_of_accesses()) == nlohmann::json::parse(R"({
        "columns": [{"name": "line"}, {"name": "moves", "unit": "sectors"}, {"name": ""}],
        "rows": [{"cells": [{"text": "12", "number": 12.0}, {"text": "64 k", "number": 65536.0}, {"text": "a < b"}],
                  "file": "kernel.py", "line": 12},
                 {"cells": [{"text": "3", "number": 3.0}, {"text": "none", "tone": "bad"}, {"text": ""}]}]})"));
}

TEST_CASE("a scene as SVG is its marks in order, with at most two digits behind the point") {
    CHECK(svg_element(scene_of_lanes()) ==
          "<svg class=\"picture\" role=\"img\" width=\"100\" height=\"40.13\" viewBox=\"0 0 100 40.13\">"
          "<title>lanes &amp; sectors</title>\n"
          "<rect class=\"hue3\" x=\"1\" y=\"2.5\" width=\"10\" height=\"4\"><title>lane &quot;0&quot;</title></rect>\n"
          "<line class=\"grid\" x1=\"0\" y1=\"0\" x2=\"5\" y2=\"5\"/>\n"
          "<path class=\"faint\" d=\"M0 0V10C0 15 4 15 4 20\"/>\n"
          "<circle class=\"bad\" cx=\"3\" cy=\"4\" r=\"1\"/>\n"
          "<text class=\"ink\" x=\"9\" y=\"9\" text-anchor=\"end\">a&lt;b</text>\n</svg>\n");
}

TEST_CASE("scenes below each other are one scene, and keep their titles") {
    std::vector<Scene> scenes;
    scenes.push_back(scene_of_lanes());
    scenes.emplace_back(200, 10, "second");
    const Scene all = stacked(std::move(scenes), 8);
    CHECK(all.width() == 200);
    CHECK(all.height() == doctest::Approx(40.126 + 8 + 10 + 8));
    const nlohmann::json document = json_of(all);
    CHECK(document["marks"].size() == 2);
    CHECK(document["marks"][0]["scene"]["title"] == "lanes & sectors");
    CHECK(document["marks"][0]["scene"]["marks"].size() == 5);
    CHECK(document["marks"][1]["y"] == doctest::Approx(48.126));
    CHECK(svg_document(all).find("<title>second</title>") != std::string::npos);
}

TEST_CASE("a scene for programs names its marks, and says nothing of what is not there") {
    CHECK(json_of(scene_of_lanes()) == nlohmann::json::parse(R"({
        "title": "lanes & sectors", "width": 100.0, "height": 40.126, "marks": [
        {"mark": "rect", "x": 1.0, "y": 2.5, "width": 10.0, "height": 4.0, "style": "hue3", "tip": "lane \"0\""},
        {"mark": "line", "x1": 0.0, "y1": 0.0, "x2": 5.0, "y2": 5.0, "style": "grid"},
        {"mark": "edge", "points": [[0.0, 0.0], [0.0, 10.0], [4.0, 20.0]], "style": "faint"},
        {"mark": "circle", "x": 3.0, "y": 4.0, "radius": 1.0, "style": "bad"},
        {"mark": "text", "x": 9.0, "y": 9.0, "text": "a<b", "style": "ink", "anchor": "end"}]})"));
}
