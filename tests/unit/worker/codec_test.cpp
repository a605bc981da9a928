// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "app/session/fields/kind.h"
#include "app/session/worker/messages.h"

using namespace hidet;
using namespace hidet::session;

namespace {

using fields::Field;
using fields::Kind;
using fields::member_of;
using Sort = Kind::Sort;

// Gives every member a value of its own that differs from its default, and writes down what it did.
struct Filler {
    int count = 0;
    std::string log;

    void fill(const Kind& kind, void* value) {
        switch (kind.sort) {
        case Sort::Nothing: return;
        case Sort::Bool:
            *static_cast<bool*>(value) = !*static_cast<bool*>(value);
            return note(*static_cast<bool*>(value) ? "true" : "false");
        case Sort::Number:
            *static_cast<double*>(value) = ++count + 0.25;
            return note(cat(*static_cast<double*>(value)));
        case Sort::Integer: kind.set_integer(value, ++count); return note(cat(kind.integer(value)));
        case Sort::Choice: kind.set_integer(value, 1); return note("1");
        case Sort::Text:
            *static_cast<std::string*>(value) = cat("text ", ++count);
            return note(*static_cast<std::string*>(value));
        case Sort::List: return fill_elements(kind, value, 2);
        case Sort::Maybe: return fill_elements(kind, value, 1);
        case Sort::Pair:
        case Sort::Struct: return fill_members(kind, value);
        case Sort::OneOf:
            return fill(*kind.alternatives[kind.index(value)].kind, const_cast<void*>(kind.current(value)));
        }
    }
    void fill_elements(const Kind& kind, void* list, std::size_t size) {
        if (!kind.resize(list, size))
            size = kind.size(list); // the type says how many there are
        for (std::size_t i = 0; i < size; ++i)
            fill(*kind.inner, const_cast<void*>(kind.at(list, i)));
    }
    void fill_members(const Kind& kind, void* value) {
        std::set<std::string> names;
        for (const Field& row : kind.rows) {
            REQUIRE(names.insert(row.name).second);
            fill(*row.kind, member_of(value, row));
        }
    }
    void note(const std::string& text) { log += text + ";"; }
};

// Writes down what is there, as the filler did.
struct Lister {
    std::string log;

    void list(const Kind& kind, const void* value) {
        switch (kind.sort) {
        case Sort::Nothing: return;
        case Sort::Bool: return note(*static_cast<const bool*>(value) ? "true" : "false");
        case Sort::Number: return note(cat(*static_cast<const double*>(value)));
        case Sort::Integer:
        case Sort::Choice: return note(cat(kind.integer(value)));
        case Sort::Text: return note(*static_cast<const std::string*>(value));
        case Sort::List:
        case Sort::Maybe:
            for (std::size_t i = 0; i < kind.size(value); ++i)
                list(*kind.inner, kind.at(value, i));
            return;
        case Sort::Pair:
        case Sort::Struct:
            for (const Field& row : kind.rows)
                list(*row.kind, member_of(value, row));
            return;
        case Sort::OneOf: return list(*kind.alternatives[kind.index(value)].kind, kind.current(value));
        }
    }
    void note(const std::string& text) { log += text + ";"; }
};

// Of a message as a whole, whose alternative is T.
template <class T>
const Kind& kind_in_messages() {
    return *fields::kind_of<Message>().alternatives[Message(T()).index()].kind;
}
template <class T>
void fill(T& message) {
    Filler().fill(kind_in_messages<T>(), &message);
}

// What arrives of a message whose every member was filled.
template <class T>
T travelled(T message) {
    Filler filler;
    filler.fill(kind_in_messages<T>(), &message);
    Result<Message> arrived = decode(encode(Message(message)));
    if (!arrived)
        FAIL(arrived.error().message);
    Lister lister;
    lister.list(kind_in_messages<T>(), &std::get<T>(arrived.value()));
    REQUIRE(lister.log == filler.log);
    return std::get<T>(arrived.value());
}

template <std::size_t... Kind>
void send_all_requests(std::index_sequence<Kind...>) {
    (travelled(Submit{1, JobRequest(std::in_place_index<Kind>)}), ...);
}
template <std::size_t... Index>
void send_all_results(std::index_sequence<Index...>) {
    (travelled(Done{1, Answer{Ended::Answered, JobResult(std::in_place_index<Index>), {}, {}}, ""}), ...);
}

std::string refusal(std::string_view bytes) {
    Result<Message> message = decode(bytes);
    return message ? "" : message.error().message;
}

} // namespace

TEST_CASE("every member of every request arrives") {
    send_all_requests(std::make_index_sequence<std::variant_size_v<JobRequest>>());
}

TEST_CASE("every member of every result arrives") {
    send_all_results(std::make_index_sequence<std::variant_size_v<JobResult>>());
}

TEST_CASE("every member of the other messages arrives") {
    travelled(Hello{});
    travelled(Cancel{});
    travelled(Shutdown{});
    travelled(Ping{});
    travelled(Pong{});
    travelled(Happened{});
}

TEST_CASE("machine code arrives byte for byte") {
    std::string bytes;
    for (int i = 0; i < 512; ++i)
        bytes.push_back(static_cast<char>(i));
    toolchain::CompileRequest linked;
    linked.objects = {bytes};
    auto arrived = decode(encode(Submit{1, linked})).value();
    REQUIRE(std::get<toolchain::CompileRequest>(std::get<Submit>(arrived).request).objects.front() == bytes);
}

TEST_CASE("numbers without end and no numbers at all arrive") {
    JobEvent event;
    event.fraction = std::numeric_limits<double>::infinity();
    auto arrived = decode(encode(Happened{1, event})).value();
    REQUIRE(*std::get<Happened>(arrived).event.fraction == *event.fraction);
    event.fraction = std::numeric_limits<double>::quiet_NaN();
    arrived = decode(encode(Happened{1, event})).value();
    REQUIRE(std::isnan(*std::get<Happened>(arrived).event.fraction));
}

TEST_CASE("the largest seed arrives") {
    RunRequest request;
    request.seed = std::numeric_limits<std::uint64_t>::max();
    auto arrived = decode(encode(Submit{1, request})).value();
    REQUIRE(std::get<RunRequest>(std::get<Submit>(arrived).request).seed == request.seed);
}

// The bytes: {"message": "ping", ...}
TEST_CASE("a field that is not known is passed over, and one that is missing keeps its default") {
    auto arrived = decode("\xa2\x67message\x64ping\x64news\x81\x01");
    REQUIRE(std::get<Ping>(arrived.value()).number == 0u);
}

TEST_CASE("what is wrong with a message is told with its place") {
    REQUIRE(refusal("\xa2\x67message\x64ping\x66number\x20") ==
            "a message 'ping' makes no sense: its 'number' is not a number of this size");
    REQUIRE(refusal("\xa2\x67message\x68happened\x65"
                    "event\xa1\x64kind\x18\x63") ==
            "a message 'happened' makes no sense: its 'event.kind' is a choice that is not known");
    REQUIRE(refusal("\xa2\x67message\x66submit\x67request\xa2\x63job\x65"
                    "dance\x65value\xa0") ==
            "a message 'submit' makes no sense: its 'request' is a job that is not known, 'dance'");
    REQUIRE(refusal("\x01") == "a message '' makes no sense: it has no 'message'");
}

TEST_CASE("bytes cut off anywhere are an error, never more than that") {
    Submit submit{1, BenchRequest{}};
    fill(submit);
    std::string bytes = encode(submit);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        REQUIRE(!decode(std::string_view(bytes).substr(0, length)));
}

TEST_CASE("any damaged byte gives a message or an error") {
    Submit submit{1, RunRequest{}};
    fill(submit);
    std::string bytes = encode(submit);
    int errors = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (int change : {0x01, 0x20, 0x80, 0xff}) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ change);
            errors += decode(damaged) ? 0 : 1;
        }
    REQUIRE(errors > 0);
}

TEST_CASE("lists in lists without end do not exhaust the stack") {
    REQUIRE(refusal(std::string(5'000'000, '\x81')) == "a message is not CBOR");
    REQUIRE(refusal(std::string(5'000'000, '\x9f')) == "a message is not CBOR");
}

TEST_CASE("a few bytes that would become much memory are refused") {
    const std::string head{'\x9a', '\0', '\x7f', '\xff', '\xff'}; // a list of 2^23 - 1
    REQUIRE(refusal(head + std::string((1u << 23) - 1, '\xa0')) == "a message is not CBOR");
    REQUIRE(refusal(head + std::string((1u << 23) - 1, '\x80')) == "a message is not CBOR");
    REQUIRE(refusal(head + std::string((1u << 23) - 1, '\x01')) != "a message is not CBOR"); // numbers take little
}

TEST_CASE("a list that claims to be longer than the message takes no memory") {
    REQUIRE(refusal("\x9b\x0f\xff\xff\xff\xff\xff\xff\xff\x01") == "a message is not CBOR");
}
