// SPDX-License-Identifier: Apache-2.0
// A question and its answer between a confined process and its supervisor: messages with their length before them, on a
// pair of sockets of the question's own, so that any number of threads may ask.
#pragma once

#include "app/session/worker/messages.h"
#include "runtime/process/descriptor.h"

namespace hidet::session {

bool read_all(int file, char* bytes, std::size_t count); // false: it ended before
bool send_message(int socket, const Message& message);   // false: the other side is gone
Result<Message> receive_message(int socket);             // "bad-message"
void greet(int stream);                                  // what a worker says first
[[noreturn]] void
leave_unspoken(const std::string& why); // whoever is at the other end is no program that knows workers

} // namespace hidet::session
