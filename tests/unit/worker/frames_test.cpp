// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/worker/frames.h"

using namespace hidet;
using namespace hidet::session;

namespace {

constexpr std::size_t some_banner = 1000;

std::string greeting() {
    return std::string(frame_greeting);
}

// The messages, and what came instead of the next one: "" (more bytes are needed) or the error.
struct Read {
    std::vector<std::string> messages;
    std::string error;
};

Read read_all(FrameReader& reader) {
    Read read;
    for (;;) {
        auto next = reader.next();
        if (!next) {
            read.error = next.error().message;
            return read;
        }
        if (!next.value())
            return read;
        read.messages.push_back(*next.value());
    }
}

Read read_from(const std::string& bytes, std::size_t piece) {
    FrameReader reader(some_banner);
    Read all;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.feed(std::string_view(bytes).substr(at, piece));
        Read read = read_all(reader);
        all.messages.insert(all.messages.end(), read.messages.begin(), read.messages.end());
        all.error = read.error;
        if (!all.error.empty())
            break;
    }
    return all;
}

std::string head(std::uint32_t length) {
    std::string bytes(frame_mark);
    for (int i = 0; i < 4; ++i)
        bytes.push_back(static_cast<char>(length >> (8 * i) & 0xff));
    return bytes;
}

} // namespace

TEST_CASE("messages come back whole, in whatever pieces their bytes arrive") {
    std::string bytes = greeting() + frame_of("one") + frame_of("") + frame_of(std::string(100'000, 'x'));
    for (std::size_t piece : {1u, 2u, 3u, 7u, 20u, 64u * 1024u, 1u << 20}) {
        Read read = read_from(bytes, piece);
        REQUIRE(read.error == "");
        REQUIRE(read.messages.size() == 3u);
        REQUIRE(read.messages[0] == "one");
        REQUIRE(read.messages[1] == "");
        REQUIRE(read.messages[2].size() == 100'000u);
    }
}

TEST_CASE("text before the greeting is kept apart, also text that looks like the beginning of one") {
    std::string banner = "Welcome!\n" + greeting().substr(0, 9) + greeting().substr(0, 5) + "\n";
    FrameReader reader(some_banner);
    for (char c : banner + greeting() + frame_of("hello"))
        reader.feed({&c, 1});
    Read read = read_all(reader);
    REQUIRE(read.messages.size() == 1u);
    REQUIRE(reader.banner() == banner);
}

TEST_CASE("text without end and without a greeting is an error") {
    REQUIRE(read_from(std::string(5000, 'y'), 100).error == "no greeting came, but much other text");
}

TEST_CASE("where no banner is allowed the first wrong byte is an error") {
    FrameReader reader(0);
    reader.feed("l");
    REQUIRE(read_all(reader).error == "what comes does not begin with a greeting");
}

TEST_CASE("text between messages is an error at its first byte") {
    std::string bytes = greeting() + frame_of("one") + "p";
    Read read = read_from(bytes, bytes.size());
    REQUIRE(read.messages.size() == 1u);
    REQUIRE(read.error == "something else was written between messages");
}

TEST_CASE("a message of four gigabytes is an error before one of its bytes is there") {
    std::string bytes = greeting() + head(0xffffffffu);
    REQUIRE(read_from(bytes, bytes.size()).error ==
            "a message of 4294967295 bytes was announced; at most 268435456 are allowed");
}

TEST_CASE("a message that was announced takes no memory before it comes") {
    FrameReader reader(0);
    reader.feed(greeting() + head(200u << 20) + "abc");
    REQUIRE(read_all(reader).error == "");
    REQUIRE(reader.in_a_frame());
}

TEST_CASE("a reader that has read a message whole is not in a frame") {
    FrameReader reader(0);
    reader.feed(greeting() + frame_of("one"));
    REQUIRE(read_all(reader).messages.size() == 1u);
    REQUIRE(!reader.in_a_frame());
}
