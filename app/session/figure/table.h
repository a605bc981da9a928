// SPDX-License-Identifier: Apache-2.0
// Figures in rows and columns, as data: an analysis makes one, and every face renders it. A cell has its text, which people read,
// and the number behind it, which programs compare; a row may be about a place in a text.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

enum class Tone : std::uint8_t { Plain, Faint, Good, Bad };
const char* tone_name(Tone tone); // "faint"; "" of a plain one

struct Cell {
    Cell(std::string text) : text(std::move(text)) {} // NOLINT(google-explicit-constructor): rows are lists of texts
    Cell(const char* text) : text(text) {}            // NOLINT(google-explicit-constructor)
    Cell(std::integral auto value)                    // NOLINT(google-explicit-constructor)
        : text(std::to_string(value)), number(static_cast<double>(value)) {}
    Cell(std::string text, double number) : text(std::move(text)), number(number) {} // in the unit of its column

    std::string text;
    std::optional<double> number;
    Tone tone = Tone::Plain;
};

struct Column {
    Column(const char* name, const char* unit = "") : name(name), unit(unit) {} // NOLINT(google-explicit-constructor)
    std::string name;
    std::string unit; // of the cells' numbers: "s", "B"; empty: they have none, or the text says it
};

struct Row {
    std::vector<Cell> cells; // one of each column
    Place place = {};
};

struct Table {
    std::vector<Column> columns; // all without a name: the table has no heading
    std::vector<Row> rows = {};
    void add(std::vector<Cell> cells, Place place = {}) { rows.push_back({std::move(cells), std::move(place)}); }
};

} // namespace hidet::session
