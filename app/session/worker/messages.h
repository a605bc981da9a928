// SPDX-License-Identifier: Apache-2.0
// What goes over the wire, and its encoding as CBOR: a map with the message's name and its fields. A field that is not
// there keeps its default and one that is not known is passed over, so that two versions understand each other as far as
// they can; where they cannot, `protocol` is raised.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "app/session/worker/service.h"

namespace hidet::session {

inline constexpr int protocol = 1;

struct Hello { // from both sides, first
    int protocol = session::protocol;
    std::string host; // from the worker
};
struct Submit {
    Ticket id = 0;
    JobRequest request;
};
struct Cancel {
    Ticket id = 0;
};
struct Shutdown {};
struct Ping {
    std::uint64_t number = 0;
};
struct Pong { // answers a ping, from a thread that does nothing else
    std::uint64_t number = 0;
};
struct Happened {
    Ticket id = 0;
    JobEvent event;
};
struct Done {
    Ticket id = 0;
    Answer answer;
    std::string leaving; // why the worker leaves after this answer; empty: it stays
};

// What a confined process asks whoever started it (outside.h), and the answer.
struct Ask {
    enum class What : std::uint8_t { OpenFile, StoreFile, MakeFolders };
    What what = What::OpenFile;
    std::string path;
};
struct Told {
    Error error; // without a code: it was done
};

using Message = std::variant<Hello, Submit, Cancel, Shutdown, Ping, Pong, Happened, Done, Ask, Told>;

std::string encode(const Message& message);
Result<Message> decode(std::string_view bytes); // "bad-message"

} // namespace hidet::session
