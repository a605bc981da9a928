// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/tcp_server.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/distributed/store.h"

namespace hidet::distributed {

std::string framed(std::string_view message) {
    const auto bytes = static_cast<std::uint32_t>(message.size());
    std::string out(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    return out.append(message);
}

TcpServer::TcpServer(process::Descriptor listening, process::Pipe stop)
    : m_listening(std::move(listening)), m_stop(std::move(stop)), m_thread([this] { serve(); }) {}

TcpServer::~TcpServer() {
    m_stop.write_end.close();
    m_thread.join();
}

void TcpServer::accept_client() {
    process::Descriptor connection(accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.is_open())
        m_clients.push_back({process::above_standard_streams(std::move(connection)), "", ""});
}

void TcpServer::serve() {
    while (true) {
        std::vector<pollfd> files{{m_stop.read_end.get(), POLLIN, 0}, {m_listening.get(), POLLIN, 0}};
        for (const Client& client : m_clients)
            files.push_back(
                {client.connection.get(), static_cast<short>(client.unsent.empty() ? POLLIN : POLLIN | POLLOUT), 0});
        if (poll(files.data(), files.size(), -1) < 0 && errno != EINTR)
            return;
        if (files[0].revents != 0)
            return;
        std::size_t at = 2;
        std::erase_if(m_clients, [&](Client& client) { return files[at++].revents != 0 && !advance(client); });
        if (files[1].revents != 0)
            accept_client();
    }
}

bool TcpServer::advance(Client& client) {
    char some[4096];
    const ssize_t got = recv(client.connection.get(), some, sizeof some, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        return false;
    client.received.append(some, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    std::uint32_t bytes = 0;
    while (client.received.size() >= sizeof bytes) {
        std::memcpy(&bytes, client.received.data(), sizeof bytes);
        if (bytes > most_message_bytes)
            return false;
        if (client.received.size() < sizeof bytes + bytes)
            break;
        const std::optional<std::string> text = answer(std::string_view(client.received).substr(sizeof bytes, bytes));
        if (!text)
            return false;
        client.unsent += framed(*text);
        client.received.erase(0, sizeof bytes + bytes);
    }
    const ssize_t sent = send(client.connection.get(), client.unsent.data(), client.unsent.size(), MSG_NOSIGNAL);
    client.unsent.erase(0, static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    return true;
}

std::optional<std::string> TcpServer::answer(std::string_view question) {
    std::uint32_t key_bytes = 0;
    if (question.size() < 1 + sizeof key_bytes)
        return std::nullopt;
    std::memcpy(&key_bytes, question.data() + 1, sizeof key_bytes);
    const std::string_view rest = question.substr(1 + sizeof key_bytes);
    if (key_bytes > rest.size())
        return std::nullopt;
    const std::string key(rest.substr(0, key_bytes));
    const std::string_view value = rest.substr(key_bytes);
    const auto found = m_values.find(key);
    const auto before = found == m_values.end() ? std::nullopt : std::optional(found->second);
    switch (question[0]) {
    case 'g': return before ? cat("=", *before) : "-";
    case 's': m_values[key] = value; return "=";
    case 'a': {
        std::int64_t amount = 0;
        std::from_chars(value.data(), value.data() + value.size(), amount);
        const Result<std::int64_t> sum = added(key, before, amount);
        if (!sum)
            return cat("!", sum.error().message);
        m_values[key] = cat(sum.value());
        return cat("=", sum.value());
    }
    default: return std::nullopt;
    }
}

} // namespace hidet::distributed
