// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "app/session/worker/frames.h"
#include "tests/harness/unit.h"

using namespace hidet;
using namespace hidet::session;
using hidet::test::Suite;

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

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    suite.run("messages come back whole, in whatever pieces their bytes arrive", [] {
        std::string bytes = greeting() + frame_of("one") + frame_of("") + frame_of(std::string(100'000, 'x'));
        for (std::size_t piece : {1u, 2u, 3u, 7u, 20u, 64u * 1024u, 1u << 20}) {
            Read read = read_from(bytes, piece);
            EXPECT_EQUAL(read.error, "");
            EXPECT_EQUAL(read.messages.size(), 3u);
            EXPECT_EQUAL(read.messages[0], "one");
            EXPECT_EQUAL(read.messages[1], "");
            EXPECT_EQUAL(read.messages[2].size(), 100'000u);
        }
    });
    suite.run("text before the greeting is kept apart, also text that looks like the beginning of one", [] {
        std::string banner = "Welcome!\n" + greeting().substr(0, 9) + greeting().substr(0, 5) + "\n";
        FrameReader reader(some_banner);
        for (char c : banner + greeting() + frame_of("hello"))
            reader.feed({&c, 1});
        Read read = read_all(reader);
        EXPECT_EQUAL(read.messages.size(), 1u);
        EXPECT_EQUAL(reader.banner(), banner);
    });
    suite.run("text without end and without a greeting is an error", [] {
        EXPECT_EQUAL(read_from(std::string(5000, 'y'), 100).error, "no greeting came, but much other text");
    });
    suite.run("where no banner is allowed the first wrong byte is an error", [] {
        FrameReader reader(0);
        reader.feed("l");
        EXPECT_EQUAL(read_all(reader).error, "what comes does not begin with a greeting");
    });
    suite.run("text between messages is an error at its first byte", [] {
        std::string bytes = greeting() + frame_of("one") + "p";
        Read read = read_from(bytes, bytes.size());
        EXPECT_EQUAL(read.messages.size(), 1u);
        EXPECT_EQUAL(read.error, "something else was written between messages");
    });
    suite.run("a message of four gigabytes is an error before one of its bytes is there", [] {
        std::string bytes = greeting() + head(0xffffffffu);
        EXPECT_EQUAL(read_from(bytes, bytes.size()).error,
                     "a message of 4294967295 bytes was announced; at most 268435456 are allowed");
    });
    suite.run("a message that was announced takes no memory before it comes", [] {
        FrameReader reader(0);
        reader.feed(greeting() + head(200u << 20) + "abc");
        EXPECT_EQUAL(read_all(reader).error, "");
        EXPECT(reader.in_a_frame());
    });
    suite.run("a reader that has read a message whole is not in a frame", [] {
        FrameReader reader(0);
        reader.feed(greeting() + frame_of("one"));
        EXPECT_EQUAL(read_all(reader).messages.size(), 1u);
        EXPECT(!reader.in_a_frame());
    });
    return suite.result();
}
