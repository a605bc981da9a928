// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/session/worker/fields.h"
#include "app/session/worker/messages.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using Json = nlohmann::json;

constexpr const char* message_names[] = {"hello", "submit", "cancel", "shutdown", "ping", "pong", "happened", "done"};
static_assert(std::size(message_names) == std::variant_size_v<Message>);

std::string job_name(std::size_t kind) {
    return row_of(static_cast<JobKind>(kind)).name;
}

template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept Enumeration = std::is_enum_v<T>;
// clang-format off
template <class T>
concept Struct = requires { wire::Fields<T>::list; };
// clang-format on

struct Writer {
    static Json of(bool value) { return value; }
    static Json of(double value) { return value; }
    static Json of(Integer auto value) { return value; }
    static Json of(Enumeration auto value) { return static_cast<int>(value); }
    static Json of(const std::string& value) {
        if (is_valid_utf8(value))
            return value;
        return Json::binary({value.begin(), value.end()}); // machine code
    }
    template <class T, std::size_t N>
    static Json of(const std::array<T, N>& values) {
        return list(values);
    }
    template <class T>
    static Json of(const std::vector<T>& values) {
        return list(values);
    }
    template <class First, class Second>
    static Json of(const std::pair<First, Second>& values) {
        return Json::array({of(values.first), of(values.second)});
    }
    template <class T>
    static Json of(const std::optional<T>& value) {
        return value ? of(*value) : Json(nullptr);
    }
    static Json of(const JobRequest& request) {
        Json value = std::visit([](const auto& alternative) { return of(alternative); }, request);
        return {{"job", job_name(request.index())}, {"value", std::move(value)}};
    }
    static Json of(const JobResult& result) {
        if (result.index() == 0)
            return nullptr;
        Json value = std::visit([](const auto& alternative) { return of(alternative); }, result);
        return {{"job", job_name(result.index() - 1)}, {"value", std::move(value)}};
    }
    static Json of(std::monostate) { return nullptr; }
    static Json of(const Struct auto& value) {
        Json out = Json::object();
        wire::for_each_field(value, [&](const char* name, const auto& member) { out[name] = of(member); });
        return out;
    }

private:
    template <class Range>
    static Json list(const Range& values) {
        Json out = Json::array();
        for (const auto& value : values)
            out.push_back(of(value));
        return out;
    }
};

// Leaves the decoder; the place is a path, such as "answer.result.rows".
struct Malformed {
    std::string place;
    std::string what;
};

const Json& member_of(const Json& from, const char* name) {
    auto found = from.is_object() ? from.find(name) : from.end();
    if (found == from.end())
        throw Malformed{"", cat("has no '", name, "'")};
    return *found;
}

struct Reader {
    static void into(bool& value, const Json& from) {
        demand(from.is_boolean(), "is not true or false");
        value = from.get<bool>();
    }
    static void into(double& value, const Json& from) {
        demand(from.is_number(), "is no number");
        value = from.get<double>();
    }
    template <Integer T>
    static void into(T& value, const Json& from) {
        bool fits = from.is_number_unsigned()  ? std::in_range<T>(from.get<std::uint64_t>())
                    : from.is_number_integer() ? std::in_range<T>(from.get<std::int64_t>())
                                               : false;
        demand(fits, "is no number of this size");
        value = from.get<T>();
    }
    template <Enumeration T>
    static void into(T& value, const Json& from) {
        std::underlying_type_t<T> number{};
        into(number, from);
        demand(wire::is_known(static_cast<T>(number)), "is a choice that is not known");
        value = static_cast<T>(number);
    }
    static void into(std::string& value, const Json& from) {
        demand(from.is_string() || from.is_binary(), "is no text");
        if (from.is_string())
            value = from.get_ref<const std::string&>();
        else
            value.assign(from.get_binary().begin(), from.get_binary().end());
    }
    template <class T, std::size_t N>
    static void into(std::array<T, N>& values, const Json& from) {
        demand(from.is_array() && from.size() == N, "is a list of another length");
        elements(values, from);
    }
    template <class T>
    static void into(std::vector<T>& values, const Json& from) {
        demand(from.is_array(), "is no list");
        values.assign(from.size(), T{});
        elements(values, from);
    }
    template <class First, class Second>
    static void into(std::pair<First, Second>& values, const Json& from) {
        demand(from.is_array() && from.size() == 2, "is no pair");
        into(values.first, from[0]);
        into(values.second, from[1]);
    }
    template <class T>
    static void into(std::optional<T>& value, const Json& from) {
        value.reset();
        if (!from.is_null())
            into(value.emplace(), from);
    }
    static void into(JobRequest& request, const Json& from) { job<0>(request, from, all_jobs); }
    static void into(JobResult& result, const Json& from) {
        if (from.is_null())
            result = std::monostate();
        else
            job<1>(result, from, all_jobs);
    }
    template <Struct T>
    static void into(T& value, const Json& from) {
        demand(from.is_object(), "has no fields");
        wire::for_each_field(value, [&](const char* name, auto& field) {
            auto found = from.find(name);
            if (found == from.end())
                return;
            try {
                into(field, *found);
            } catch (Malformed& malformed) {
                malformed.place = malformed.place.empty() ? name : cat(name, ".", malformed.place);
                throw;
            }
        });
    }

private:
    static constexpr auto all_jobs = std::make_index_sequence<std::variant_size_v<JobRequest>>();

    static void demand(bool condition, const char* otherwise) {
        if (!condition)
            throw Malformed{"", otherwise};
    }
    template <class Range>
    static void elements(Range& values, const Json& from) {
        std::size_t index = 0;
        for (auto& value : values)
            into(value, from[index++]);
    }
    // The alternative whose job has this name; jobs begin with alternative `First`.
    template <std::size_t First, class Variant, std::size_t... Kind>
    static void job(Variant& value, const Json& from, std::index_sequence<Kind...>) {
        std::string name;
        into(name, member_of(from, "job"));
        const Json& inner = member_of(from, "value");
        bool known = ((name == job_name(Kind) && (into(value.template emplace<First + Kind>(), inner), true)) || ...);
        if (!known)
            throw Malformed{"", cat("is a job that is not known, ", quote(name))};
    }
};

template <std::size_t... Index>
bool read_message(Message& message, const std::string& name, const Json& from, std::index_sequence<Index...>) {
    return ((name == message_names[Index] && (Reader::into(message.emplace<Index>(), from), true)) || ...);
}

// The library's reader recurses, and takes some sixteen bytes for an item that one byte can stand for. So what nests
// deeper than any message of ours, or has more items than the largest, is refused before it comes to that.
class Census {
public:
    explicit Census(std::string_view bytes) : m_rest(bytes) {}
    bool is_modest() {
        std::size_t items = 0;
        while (!m_rest.empty()) {
            if (!take_item() || m_open.size() > deepest || ++items > most_items)
                return false;
            while (!m_open.empty() && m_open.back() == 0)
                m_open.pop_back();
        }
        return true;
    }

private:
    static constexpr std::size_t deepest = 64;
    static constexpr std::size_t most_items = 20'000'000;
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
        if (!m_open.empty() && m_open.back() != until_break)
            --m_open.back();
        if ((type == 2 || type == 3) && !endless)
            return skip(argument);
        if (type < 2 || type > 5)
            return type != 6; // tags
        if (!endless && argument > m_rest.size())
            return false; // every item takes a byte at least
        m_open.push_back(endless ? until_break : type == 5 ? 2 * argument : argument);
        return true;
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
        if (m_open.empty() || m_open.back() != until_break)
            return false;
        m_open.pop_back();
        return true;
    }

    std::string_view m_rest;
    std::vector<std::uint64_t> m_open; // items that each open container still waits for
};

Result<Message> read_all(std::string_view bytes) {
    Json document = Json::from_cbor(bytes.begin(), bytes.end(), true, false);
    if (document.is_discarded())
        return Error{"bad-message", "a message is no CBOR"};
    std::string name;
    Message message;
    try {
        Reader::into(name, member_of(document, "message"));
        if (!read_message(message, name, document, std::make_index_sequence<std::variant_size_v<Message>>()))
            return Error{"bad-message", cat("a message ", quote(name), " is not known")};
    } catch (const Malformed& malformed) {
        std::string place = malformed.place.empty() ? "it" : cat("its '", malformed.place, "'");
        return Error{"bad-message", cat("a message ", quote(name), " makes no sense: ", place, " ", malformed.what)};
    }
    return message;
}

} // namespace

std::string encode(const Message& message) {
    Json out = std::visit([](const auto& alternative) { return Writer::of(alternative); }, message);
    out["message"] = message_names[message.index()];
    std::string bytes;
    Json::to_cbor(out, bytes);
    return bytes;
}

Result<Message> decode(std::string_view bytes) {
    if (!Census(bytes).is_modest())
        return Error{"bad-message", "a message is no CBOR"};
    try {
        return read_all(bytes);
    } catch (const std::exception& error) {
        return Error{"bad-message", cat("a message cannot be read: ", error.what())};
    }
}

} // namespace hidet::session
