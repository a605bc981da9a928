// SPDX-License-Identifier: Apache-2.0
#include "app/session/figure/json.h"

#include <nlohmann/json.hpp>

namespace hidet::session {

namespace {

using nlohmann::json;

void put_text(json& out, const char* name, const std::string& text) {
    if (!text.empty())
        out[name] = text;
}

json json_of_mark(const RectMark& mark) {
    json out = {{"mark", "rect"},      {"x", mark.x},           {"y", mark.y},
                {"width", mark.width}, {"height", mark.height}, {"style", mark.style}};
    put_text(out, "tip", mark.tip);
    return out;
}

json json_of_mark(const LineMark& mark) {
    return {{"mark", "line"}, {"x1", mark.x1}, {"y1", mark.y1},
            {"x2", mark.x2},  {"y2", mark.y2}, {"style", mark.style}};
}

json json_of_mark(const EdgeMark& mark) {
    json points = json::array();
    for (const drawing::Point& point : mark.points)
        points.push_back({point.x, point.y});
    return {{"mark", "edge"}, {"points", std::move(points)}, {"style", mark.style}};
}

json json_of_mark(const CircleMark& mark) {
    json out = {{"mark", "circle"}, {"x", mark.x}, {"y", mark.y}, {"radius", mark.radius}, {"style", mark.style}};
    put_text(out, "tip", mark.tip);
    return out;
}

json json_of_mark(const TextMark& mark) {
    static constexpr const char* anchors[] = {"start", "middle", "end"};
    return {{"mark", "text"},    {"x", mark.x},         {"y", mark.y},
            {"text", mark.text}, {"style", mark.style}, {"anchor", anchors[static_cast<std::size_t>(mark.anchor)]}};
}

json json_of_mark(const InsetMark& mark) {
    return {{"mark", "scene"}, {"x", mark.x}, {"y", mark.y}, {"scene", json_of(*mark.scene)}};
}

json json_of(const Cell& cell) {
    json out = {{"text", cell.text}};
    if (cell.number)
        out["number"] = *cell.number;
    put_text(out, "tone", tone_name(cell.tone));
    return out;
}

} // namespace

json json_of(const Table& table) {
    json columns = json::array(), rows = json::array();
    for (const Column& column : table.columns) {
        json& out = columns.emplace_back(json{{"name", column.name}});
        put_text(out, "unit", column.unit);
    }
    for (const Row& row : table.rows) {
        json cells = json::array();
        for (const Cell& cell : row.cells)
            cells.push_back(json_of(cell));
        json& out = rows.emplace_back(json{{"cells", std::move(cells)}});
        if (row.place.known()) {
            out["file"] = row.place.file;
            out["line"] = row.place.line;
        }
    }
    return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

json json_of(const Scene& scene) {
    json marks = json::array();
    for (const Mark& mark : scene.marks())
        marks.push_back(std::visit([](const auto& each) { return json_of_mark(each); }, mark));
    return {
        {"title", scene.title()}, {"width", scene.width()}, {"height", scene.height()}, {"marks", std::move(marks)}};
}

} // namespace hidet::session
