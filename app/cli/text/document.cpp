// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/document.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "app/cli/text/computed_members.h"

namespace hidet::cli {

namespace {

using session::fields::Field;
using session::fields::Kind;
using session::fields::kind_of;
using session::fields::member_of;
using session::fields::Show;
using Sort = Kind::Sort;

// "end_line" is "endLine" in a document.
std::string title_of(const Field& row) {
    if (row.title)
        return row.title;
    std::string title;
    for (const char* c = row.name; *c; ++c) {
        if (*c != '_')
            title += *c;
        else
            title += static_cast<char>(std::toupper(static_cast<unsigned char>(*++c)));
    }
    return title;
}

Json json_of_value(const Kind& kind, const void* value);
void put_members(Json& out, const Kind& kind, const void* value);

void put_place(Json& out, const session::Place& place, bool with_file) {
    if (with_file)
        out["file"] = place.known() ? Json(place.file) : Json(nullptr);
    out["line"] = place.known() ? Json(place.line) : Json(nullptr);
    out["column"] = place.known() ? Json(place.column) : Json(nullptr);
    out["endLine"] = place.known() ? Json(place.end_line) : Json(nullptr);
    out["endColumn"] = place.known() ? Json(place.end_column) : Json(nullptr);
}

void put_flat(Json& out, const Field& row, const void* value) {
    if (row.kind == &kind_of<session::Place>())
        return put_place(out, *static_cast<const session::Place*>(value), row.show == Show::Flat);
    if (row.kind->sort != Sort::Maybe)
        return put_members(out, *row.kind, value);
    if (!row.kind->is_empty(value))
        put_members(out, *row.kind->inner, row.kind->at(value, 0));
}

void put_row(Json& out, const Field& row, const void* value) {
    switch (row.show) {
    case Show::Hidden: return;
    case Show::Flat:
    case Show::Range: return put_flat(out, row, value);
    case Show::IfAny:
        if (row.kind->is_empty(value))
            return;
        break;
    case Show::OrNull:
        if (row.kind->is_empty(value)) {
            out[title_of(row)] = nullptr;
            return;
        }
        break;
    case Show::Member: break;
    }
    out[title_of(row)] = json_of_value(*row.kind, value);
}

void put_members(Json& out, const Kind& kind, const void* value) {
    for (const Field& row : kind.rows)
        put_row(out, row, member_of(value, row));
    put_computed_members(out, kind, value);
}

Json json_of_list(const Kind& kind, const void* list) {
    Json out = Json::array();
    const std::size_t size = kind.size(list);
    for (std::size_t i = 0; i < size; ++i)
        out.push_back(json_of_value(*kind.inner, kind.at(list, i)));
    return out;
}

Json json_of_integer(const Kind& kind, std::int64_t value) {
    if (kind.choice)
        return kind.choice(value);
    if (kind.is_signed)
        return value;
    return static_cast<std::uint64_t>(value);
}

Json json_of_value(const Kind& kind, const void* value) {
    switch (kind.sort) {
    case Sort::Nothing:
    case Sort::OneOf: return nullptr;
    case Sort::Bool: return *static_cast<const bool*>(value);
    case Sort::Number: return *static_cast<const double*>(value);
    case Sort::Integer:
    case Sort::Choice: return json_of_integer(kind, kind.integer(value));
    case Sort::Text: return *static_cast<const std::string*>(value);
    case Sort::List: return json_of_list(kind, value);
    case Sort::Maybe: return kind.is_empty(value) ? Json(nullptr) : json_of_value(*kind.inner, kind.at(value, 0));
    case Sort::Pair:
    case Sort::Struct: break;
    }
    Json out = Json::object();
    put_members(out, kind, value);
    return out;
}

} // namespace

Json json_tree(const Kind& kind, const void* value) {
    return json_of_value(kind, value);
}

struct Document::Tree {
    Json root = Json::object();
};

Document::Document() : m_tree(std::make_unique<Tree>()) {}
Document::~Document() = default;

Document& Document::add(const char* name, const std::string& value) {
    m_tree->root[name] = value;
    return *this;
}

Document& Document::add(const char* name, const Kind& kind, const void* value) {
    m_tree->root[name] = json_of_value(kind, value);
    return *this;
}

Document& Document::add_members(const Kind& kind, const void* value) {
    put_members(m_tree->root, kind, value);
    return *this;
}

// A script may print bytes that are no UTF-8: they are replaced, a document is always valid.
std::string Document::text() const {
    return m_tree->root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_of_refusal(const session::Outcome& outcome) {
    Document out;
    return out.add("output", std::string()).add("diagnostics", outcome.diagnostics).text();
}

} // namespace hidet::cli
