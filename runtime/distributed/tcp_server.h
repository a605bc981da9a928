// SPDX-License-Identifier: Apache-2.0
// The thread that serves a TcpStore. A message is its length (32 bits) and its bytes: of a question a letter, the length of
// the key, the key and a value; of an answer a letter ('=' a value, '-' none, '!' an error) and a text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/process/descriptor.h"

namespace hidet::distributed {

inline constexpr std::uint32_t most_message_bytes = 1u << 20;

std::string framed(std::string_view message);

class TcpServer {
public:
    TcpServer(process::Descriptor listening, process::Pipe stop);
    ~TcpServer();
    TcpServer(const TcpServer&) = delete;
    TcpServer& operator=(const TcpServer&) = delete;

private:
    struct Client {
        process::Descriptor connection;
        std::string received, unsent;
    };
    void serve();
    void accept_client();
    bool advance(Client& client); // false: it is gone, or talks nonsense
    std::optional<std::string> answer(std::string_view question);

    process::Descriptor m_listening;
    process::Pipe m_stop;
    std::vector<Client> m_clients;
    std::map<std::string, std::string, std::less<>> m_values;
    std::thread m_thread;
};

} // namespace hidet::distributed
