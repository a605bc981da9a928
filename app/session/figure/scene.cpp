// SPDX-License-Identifier: Apache-2.0
#include "app/session/figure/scene.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::session {

void Scene::rect(double x, double y, double width, double height, std::string_view style, std::string_view tip) {
    m_marks.emplace_back(RectMark{x, y, width, height, std::string(style), std::string(tip)});
}

void Scene::line(double x1, double y1, double x2, double y2, std::string_view style) {
    m_marks.emplace_back(LineMark{x1, y1, x2, y2, std::string(style)});
}

void Scene::edge(std::span<const drawing::Point> points, std::string_view style) {
    if (points.size() >= 2)
        m_marks.emplace_back(EdgeMark{{points.begin(), points.end()}, std::string(style)});
}

void Scene::circle(double x, double y, double radius, std::string_view style, std::string_view tip) {
    m_marks.emplace_back(CircleMark{x, y, radius, std::string(style), std::string(tip)});
}

void Scene::text(double x, double y, std::string_view text, std::string_view style, TextAnchor anchor) {
    m_marks.emplace_back(TextMark{x, y, std::string(text), std::string(style), anchor});
}

void Scene::inset(double x, double y, Scene scene) {
    m_marks.emplace_back(InsetMark{x, y, std::make_shared<const Scene>(std::move(scene))});
}

std::string hue_style(std::int64_t number) {
    return cat("hue", (number * 5) % palette_hues);
}

Scene stacked(std::vector<Scene> scenes, double gap) {
    double width = 0, height = 0;
    for (const Scene& scene : scenes)
        width = std::max(width, scene.width()), height += scene.height() + gap;
    Scene out(width, height, scenes.empty() ? "" : "pictures");
    double y = 0;
    for (Scene& scene : scenes) {
        const double next = y + scene.height() + gap;
        out.inset(0, y, std::move(scene));
        y = next;
    }
    return out;
}

} // namespace hidet::session
