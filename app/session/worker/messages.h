// SPDX-License-Identifier: Apache-2.0
// What goes over the wire, and its encoding as CBOR: a map with the message's name and its fields. A field that is not
// there keeps its default and one that is not known is passed over, so that two versions understand each other as far as
// they can; where they cannot, `protocol` is raised.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/session/worker/service.h"
#include "lang/base/file_place.h"

namespace hidet::session {

inline constexpr int protocol = 1;

struct Hello { // from both sides, first
    int protocol = session::protocol;
    std::string host = {}; // from the worker
    // From the worker: what it does, by names, and by marks of what is asked and answered (job_marks).
    std::vector<std::pair<std::string, std::string>> jobs = {};
    bool keeps_files = false; // from who asks: files that jobs are about lie there, and not where the worker is
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

// What a confined process asks its supervisor (supervise.h), or a worker whoever keeps the files (files_of_caller.h), which lie
// elsewhere, and the answer. Only there the bytes of a file are in messages, in pieces.
struct Ask {
    enum class What : std::uint8_t { OpenFile, StoreFile, MakeFolders, Look };
    What what = What::OpenFile;
    std::string path;
    std::uint64_t number = 0; // the same one for all pieces of a file
    std::uint64_t from = 0;   // bytes before this piece
    std::string content = {}; // StoreFile: the piece
    bool is_last = true;      // StoreFile: the file is whole now
};
struct Told {
    Error error = {};         // without a code: it was done
    std::uint64_t number = 0; // as asked
    std::string content = {}; // of what was opened: a piece
    bool is_last = true;      // there is no more of it
    FilePlace place = {};     // what lies where it was looked
};

using Message = std::variant<Hello, Submit, Cancel, Shutdown, Ping, Pong, Happened, Done, Ask, Told>;

// Of each kind of job its name, and a text that is another one as soon as a field of its request or its result is another one: two
// programs that agree in it mean the same by that job.
std::vector<std::pair<std::string, std::string>> job_marks();

std::string encode(const Message& message);
Result<Message> decode(std::string_view bytes); // "bad-message"

} // namespace hidet::session
