// SPDX-License-Identifier: Apache-2.0
// Writes SVG: rectangles, lines and texts by classes, whose colours follow the reader's light or dark scheme. What is drawn
// with the same calls is the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/session/drawing/flat.h"

namespace hidet::session {

enum class TextAnchor : std::uint8_t { Start, Middle, End };

class Svg {
public:
    Svg(double width, double height, std::string title) : m_width(width), m_height(height), m_title(std::move(title)) {}

    // `style`: words of the palette: "ink", "faint", "grid", "paper", "bad", "good", "hue0" to "hue11"; of a rectangle also
    // "outline" for its border, "frame" where others stand in it; of a text "small".
    void rect(double x, double y, double width, double height, std::string_view style, std::string_view tip = {});
    void line(double x1, double y1, double x2, double y2, std::string_view style);
    // An edge of a drawing: from point to point, bent where it goes to the side.
    void way(std::span<const drawing::Point> points, std::string_view style);
    void circle(double x, double y, double radius, std::string_view style, std::string_view tip = {});
    void text(double x, double y, std::string_view text, std::string_view style = "ink",
              TextAnchor anchor = TextAnchor::Start);

    void inset(double x, double y, const Svg& picture);

    double width() const { return m_width; }
    double height() const { return m_height; }
    std::string element() const;  // for a page that has the palette
    std::string document() const; // a file of its own

private:
    const double m_width, m_height;
    const std::string m_title;
    std::string m_body;
};

constexpr int picture_hues = 12;
std::string hue_class(std::int64_t number); // "hue3": neighbours in number are far apart in colour
std::string picture_style();                // the palette, as CSS
std::string escaped(std::string_view text); // for SVG and HTML

} // namespace hidet::session
