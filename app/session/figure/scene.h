// SPDX-License-Identifier: Apache-2.0
// A drawing as data: marks in the order in which they are painted, in pixels from the top left corner. An analysis makes one, and
// every face renders it: a file of SVG (svg.h), a page (html.h), another program (json.h). Colours are names of a palette, which
// a renderer gives its own values, so that a drawing follows the reader's light or dark scheme.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/session/drawing/flat.h"

namespace hidet::session {

enum class TextAnchor : std::uint8_t { Start, Middle, End };

class Scene;

// `style`: words of the palette: "ink", "faint", "grid", "paper", "bad", "good", "hue0" to "hue11"; of a rectangle also
// "outline" for its border, "frame" where others stand in it; of a text "small". `tip` is said of a mark that is pointed at.
struct RectMark {
    double x = 0, y = 0, width = 0, height = 0;
    std::string style, tip;
};
struct LineMark {
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    std::string style;
};
struct EdgeMark { // from point to point, bent where it goes to the side
    std::vector<drawing::Point> points;
    std::string style;
};
struct CircleMark {
    double x = 0, y = 0, radius = 0;
    std::string style, tip;
};
struct TextMark {
    double x = 0, y = 0; // of the baseline
    std::string text, style;
    TextAnchor anchor = TextAnchor::Start;
};
struct InsetMark { // a scene within the scene
    double x = 0, y = 0;
    std::shared_ptr<const Scene> scene;
};
using Mark = std::variant<RectMark, LineMark, EdgeMark, CircleMark, TextMark, InsetMark>;

class Scene {
public:
    // The title is what a reader hears who does not see it.
    Scene(double width, double height, std::string title)
        : m_width(width), m_height(height), m_title(std::move(title)) {}

    void rect(double x, double y, double width, double height, std::string_view style, std::string_view tip = {});
    void line(double x1, double y1, double x2, double y2, std::string_view style);
    void edge(std::span<const drawing::Point> points, std::string_view style); // of fewer than two points: nothing
    void circle(double x, double y, double radius, std::string_view style, std::string_view tip = {});
    void text(double x, double y, std::string_view text, std::string_view style = "ink",
              TextAnchor anchor = TextAnchor::Start);
    void inset(double x, double y, Scene scene);

    double width() const { return m_width; }
    double height() const { return m_height; }
    const std::string& title() const { return m_title; }
    const std::vector<Mark>& marks() const { return m_marks; }

private:
    double m_width, m_height;
    std::string m_title;
    std::vector<Mark> m_marks;
};

constexpr int palette_hues = 12;
std::string hue_style(std::int64_t number); // "hue3": neighbours in number are far apart in colour

Scene stacked(std::vector<Scene> scenes, double gap); // below each other

} // namespace hidet::session
