// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/session/fields/kind.h"
#include "app/session/worker/messages.h"
#include "lang/base/printable.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

class Census {
public:
    explicit Census(std::string_view bytes) : m_rest(bytes) {}
    bool is_modest() {
        while (!m_rest.empty()) {
            if (!take_item() || m_open.size() > deepest || m_bytes > most_bytes)
                return false;
            while (!m_open.empty() && m_open.back().left == 0)
                m_open.pop_back();
        }
        return true;
    }

private:
    static constexpr std::size_t deepest = 64;
    // What a tree of the items takes, about: a byte of a message can become an empty container, or a field of one.
    static constexpr std::uint64_t most_bytes = std::uint64_t{768} << 20;
    static constexpr std::uint64_t bytes_of_item = 24, bytes_of_text = 32, bytes_of_container = 136, bytes_of_key = 72;
    static constexpr std::uint64_t until_break = ~std::uint64_t{0};

    // false: the bytes are no CBOR, or not all there.
    bool take_item() {
        auto first = static_cast<unsigned char>(m_rest.front());
        m_rest.remove_prefix(1);
        unsigned type = first >> 5, info = first & 31;
        bool endless = info == 31;
        std::uint64_t argument = info;
        if (info >= 24 && !endless && !take_number(std::size_t{1} << (info - 24), argument))
            return false;
        if (type == 7 && endless)
            return end_container();
        charge(type);
        if (!m_open.empty() && m_open.back().left != until_break)
            --m_open.back().left;
        if ((type == 2 || type == 3) && !endless)
            return skip(argument);
        if (type < 2 || type > 5)
            return type != 6; // tags
        if (!endless && argument > m_rest.size())
            return false; // every item takes a byte at least
        m_open.push_back({endless ? until_break : type == 5 ? 2 * argument : argument, type == 5, type == 5});
        return true;
    }
    void charge(unsigned type) {
        m_bytes += bytes_of_item;
        if (type == 2 || type == 3)
            m_bytes += bytes_of_text;
        if (type == 4 || type == 5)
            m_bytes += bytes_of_container;
        if (m_open.empty() || !m_open.back().is_map)
            return;
        if (m_open.back().is_key)
            m_bytes += bytes_of_key;
        m_open.back().is_key = !m_open.back().is_key;
    }
    bool take_number(std::size_t size, std::uint64_t& number) {
        if (size > 8 || m_rest.size() < size)
            return false;
        number = 0;
        for (char c : m_rest.substr(0, size))
            number = number << 8 | static_cast<unsigned char>(c);
        m_rest.remove_prefix(size);
        return true;
    }
    bool skip(std::uint64_t count) {
        if (count > m_rest.size())
            return false;
        m_rest.remove_prefix(count);
        return true;
    }
    bool end_container() {
        if (m_open.empty() || m_open.back().left != until_break)
            return false;
        m_open.pop_back();
        return true;
    }

    struct Open {
        std::uint64_t left; // items that it still waits for
        bool is_map;
        bool is_key; // the next item of a map
    };
    std::string_view m_rest;
    std::vector<Open> m_open;
    std::uint64_t m_bytes = 0;
};

// The library's reader recurses, and takes up to two hundred bytes for an item that one byte can stand for. So what nests
// deeper than any message of ours, or would take more memory than the largest, is refused before it comes to that; and so
// is what is no CBOR, or not all there.
bool is_modest_cbor(std::string_view bytes) {
    return Census(bytes).is_modest();
}

using Json = nlohmann::json;
using fields::Field;
using fields::Kind;
using fields::member_of;
using Sort = Kind::Sort;

Json written(const Kind& kind, const void* value);

Json written_text(const std::string& text) {
    if (is_valid_utf8(text))
        return text;
    return Json::binary({text.begin(), text.end()}); // machine code
}

Json written_integer(const Kind& kind, std::int64_t value) {
    if (kind.is_signed)
        return value;
    return static_cast<std::uint64_t>(value);
}

Json written_list(const Kind& kind, const void* list) {
    Json::array_t out;
    const std::size_t size = kind.size(list);
    out.reserve(size);
    for (std::size_t i = 0; i < size; ++i)
        out.push_back(written(*kind.inner, kind.at(list, i)));
    return out;
}

Json written_struct(const Kind& kind, const void* value) {
    Json out = Json::object();
    for (const Field& row : kind.rows)
        out[row.name] = written(*row.kind, member_of(value, row));
    return out;
}

Json written_job(const Kind& kind, const void* variant) {
    const Kind::Alternative& job = kind.alternatives[kind.index(variant)];
    if (job.kind->sort == Sort::Nothing)
        return nullptr;
    return {{"job", job.name}, {"value", written(*job.kind, kind.current(variant))}};
}

Json written(const Kind& kind, const void* value) {
    switch (kind.sort) {
    case Sort::Nothing: return nullptr;
    case Sort::Bool: return *static_cast<const bool*>(value);
    case Sort::Number: return *static_cast<const double*>(value);
    case Sort::Integer:
    case Sort::Choice: return written_integer(kind, kind.integer(value));
    case Sort::Text: return written_text(*static_cast<const std::string*>(value));
    case Sort::List: return written_list(kind, value);
    case Sort::Maybe: return kind.size(value) == 0 ? Json(nullptr) : written(*kind.inner, kind.at(value, 0));
    case Sort::Pair:
        return Json::array({written(*kind.rows[0].kind, member_of(value, kind.rows[0])),
                            written(*kind.rows[1].kind, member_of(value, kind.rows[1]))});
    case Sort::Struct: return written_struct(kind, value);
    case Sort::OneOf: return written_job(kind, value);
    }
    return nullptr;
}

// Leaves the reader where what was read is of another kind than what is wanted.
struct Malformed {
    std::string what; // "is no list"
};

void demand(bool condition, const char* otherwise) {
    if (!condition)
        throw Malformed{otherwise};
}

const Json& need_member(const Json& from, const char* name) {
    const auto found = from.is_object() ? from.find(name) : from.end();
    if (found == from.end())
        throw Malformed{cat("has no '", name, "'")};
    return *found;
}

class Reader {
public:
    // Where it was when it left: "answer.result.rows".
    std::string place() const { return join(m_path, "."); }

    void read(const Kind& kind, void* value, const Json& from) {
        switch (kind.sort) {
        case Sort::Nothing: return;
        case Sort::Bool:
            demand(from.is_boolean(), "is not true or false");
            *static_cast<bool*>(value) = from.get<bool>();
            return;
        case Sort::Number:
            demand(from.is_number(), "is not a number");
            *static_cast<double*>(value) = from.get<double>();
            return;
        case Sort::Integer: return kind.set_integer(value, integer(kind, from));
        case Sort::Choice: {
            const std::int64_t number = integer(kind, from);
            demand(kind.is_known(number), "is a choice that is not known");
            return kind.set_integer(value, number);
        }
        case Sort::Text: return read_text(*static_cast<std::string*>(value), from);
        case Sort::List: return read_list(kind, value, from);
        case Sort::Maybe:
            demand(kind.resize(value, from.is_null() ? 0 : 1), "cannot be read");
            if (!from.is_null())
                read(*kind.inner, element(kind, value, 0), from);
            return;
        case Sort::Pair:
            demand(from.is_array() && from.size() == 2, "is not a pair");
            for (std::size_t i = 0; i < 2; ++i)
                read(*kind.rows[i].kind, member_of(value, kind.rows[i]), from[i]);
            return;
        case Sort::Struct: return read_struct(kind, value, from);
        case Sort::OneOf: return read_job(kind, value, from);
        }
    }

    // A message tells its name among its own fields.
    void read_message(Message& message, const std::string& name, const Json& from) {
        const Kind& kind = fields::kind_of<Message>();
        for (std::size_t i = 0; i < kind.alternatives.size(); ++i)
            if (kind.alternatives[i].name == name)
                return read(*kind.alternatives[i].kind, kind.emplace(&message, i), from);
    }

private:
    // The object that holds the list is no constant.
    static void* element(const Kind& kind, void* list, std::size_t index) {
        return const_cast<void*>(kind.at(list, index));
    }

    static std::int64_t integer(const Kind& kind, const Json& from) {
        const int bits = 8 * kind.bytes;
        const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits + (kind.is_signed ? 1 : 0));
        demand(from.is_number_integer(), "is not a number of this size");
        const bool is_negative = !from.is_number_unsigned() && from.get<std::int64_t>() < 0;
        const std::int64_t value =
            from.is_number_unsigned() ? static_cast<std::int64_t>(from.get<std::uint64_t>()) : from.get<std::int64_t>();
        const bool fits = is_negative ? kind.is_signed && value >= -static_cast<std::int64_t>(most) - 1
                                      : static_cast<std::uint64_t>(value) <= most;
        demand(fits, "is not a number of this size");
        return value;
    }

    static void read_text(std::string& text, const Json& from) {
        demand(from.is_string() || from.is_binary(), "is not text");
        if (from.is_string())
            text = from.get_ref<const std::string&>();
        else
            text.assign(from.get_binary().begin(), from.get_binary().end());
    }

    void read_list(const Kind& kind, void* list, const Json& from) {
        demand(from.is_array(), "is not a list");
        demand(kind.resize(list, from.size()), "is a list of another length");
        for (std::size_t i = 0; i < from.size(); ++i)
            read(*kind.inner, element(kind, list, i), from[i]);
    }

    void read_struct(const Kind& kind, void* value, const Json& from) {
        demand(from.is_object(), "has no fields");
        for (const Field& row : kind.rows) {
            const auto found = from.find(row.name);
            if (found == from.end())
                continue;
            m_path.emplace_back(row.name);
            read(*row.kind, member_of(value, row), *found);
            m_path.pop_back();
        }
    }

    void read_job(const Kind& kind, void* variant, const Json& from) {
        const bool has_none = kind.alternatives.front().kind->sort == Sort::Nothing;
        if (has_none && from.is_null()) {
            kind.emplace(variant, 0);
            return;
        }
        std::string name;
        read_text(name, need_member(from, "job"));
        const Json& value = need_member(from, "value");
        for (std::size_t i = has_none ? 1 : 0; i < kind.alternatives.size(); ++i)
            if (kind.alternatives[i].name == name)
                return read(*kind.alternatives[i].kind, kind.emplace(variant, i), value);
        throw Malformed{cat("is a job that is not known, ", quote(printable(name, 100)))};
    }

    std::vector<std::string> m_path;
};

bool is_message(const std::string& name) {
    for (const Kind::Alternative& each : fields::kind_of<Message>().alternatives)
        if (each.name == name)
            return true;
    return false;
}

Result<Message> read_all(const Json& document) {
    std::string name;
    Message message;
    Reader reader;
    try {
        const Json& named = need_member(document, "message");
        demand(named.is_string(), "is not text");
        name = named.get_ref<const std::string&>();
        if (!is_message(name))
            return Error{"bad-message", cat("a message ", quote(printable(name, 100)), " is not known")};
        reader.read_message(message, name, document);
    } catch (const Malformed& malformed) {
        const std::string place = reader.place();
        return Error{"bad-message", cat("a message ", quote(name), " makes no sense: ",
                                        place.empty() ? "it" : cat("its '", place, "'"), " ", malformed.what)};
    }
    return message;
}

} // namespace

std::string encode(const Message& message) {
    const Kind& kind = fields::kind_of<Message>();
    const Kind::Alternative& alternative = kind.alternatives[message.index()];
    Json out = written(*alternative.kind, kind.current(&message));
    out["message"] = alternative.name;
    std::string bytes;
    Json::to_cbor(out, bytes);
    return bytes;
}

Result<Message> decode(std::string_view bytes) {
    const Error no_cbor{"bad-message", "a message is not CBOR"};
    if (!is_modest_cbor(bytes))
        return no_cbor;
    try {
        const Json document = Json::from_cbor(bytes.begin(), bytes.end(), true, false);
        return document.is_discarded() ? Result<Message>(no_cbor) : read_all(document);
    } catch (const std::exception& error) {
        return Error{"bad-message", cat("a message cannot be read: ", error.what())};
    }
}

} // namespace hidet::session
