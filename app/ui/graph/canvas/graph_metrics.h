// SPDX-License-Identifier: GPL-3.0-only
// How wide texts of the picture are, as plain numbers: captured from fonts on the GUI thread, used on any other.
#pragma once

#include <array>

#include <QFont>
#include <QString>

namespace hidet::ui {

// The two sizes of text in a picture.
enum class GraphFace : quint8 {
    Label, // operators and groups
    Detail // shapes, constants, what is at edges
};

class GraphMetrics {
public:
    static GraphMetrics ofFonts(const QFont& label, const QFont& detail);
    static GraphMetrics fixed(); // the same on every machine: for tests

    double width(QStringView text, GraphFace face) const; // never less than it is drawn
    double height(GraphFace face) const { return m_faces[std::size_t(face)].height; }
    // The text, or as much of its beginning as fits, with an ellipsis.
    QString elided(const QString& text, GraphFace face, double width) const;

    friend bool operator==(const GraphMetrics&, const GraphMetrics&) = default;

private:
    struct Face {
        std::array<float, 128> ascii{};
        float other = 0; // the widest of other letters
        float height = 0;
        friend bool operator==(const Face&, const Face&) = default;
    };
    std::array<Face, 2> m_faces;
};

} // namespace hidet::ui
