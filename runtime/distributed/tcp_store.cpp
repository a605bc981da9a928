// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/tcp_store.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/distributed/pause.h"
#include "runtime/distributed/tcp_server.h"

namespace hidet::distributed {

namespace {

struct FreeAddresses {
    void operator()(addrinfo* first) const { freeaddrinfo(first); }
};

Result<std::unique_ptr<addrinfo, FreeAddresses>> resolved(const TcpAddress& address) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    const int error = getaddrinfo(address.host.c_str(), cat(address.port).c_str(), &hints, &first);
    if (error != 0)
        return Error{"store", cat("there is no host ", address.host, " for the store: ", gai_strerror(error))};
    return std::unique_ptr<addrinfo, FreeAddresses>(first);
}

process::Descriptor socket_for(const addrinfo& address) {
    return process::above_standard_streams(
        process::Descriptor(socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol)));
}

int port_of(const process::Descriptor& listening) {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &bytes);
    const auto* of_ip4 = reinterpret_cast<const sockaddr_in*>(&address);
    const auto* of_ip6 = reinterpret_cast<const sockaddr_in6*>(&address);
    return ntohs(address.ss_family == AF_INET6 ? of_ip6->sin6_port : of_ip4->sin_port);
}

bool receive_all(int connection, char* bytes, std::size_t count, Clock::time_point deadline) {
    while (count > 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd file{connection, POLLIN, 0};
        if (left <= 0 || poll(&file, 1, static_cast<int>(left)) == 0)
            return false;
        const ssize_t got = recv(connection, bytes, count, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0)
            bytes += got, count -= static_cast<std::size_t>(got);
    }
    return true;
}

bool send_all(int connection, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    }
    return true;
}

} // namespace

TcpStore::TcpStore(TcpAddress address, double timeout) : Store(timeout), m_address(std::move(address)) {}
TcpStore::~TcpStore() = default;

Error TcpStore::lost() const {
    return {"store",
            cat("the store at ", m_address.host, ":", m_address.port, " does not answer: who serves it has ended")};
}

Result<std::unique_ptr<TcpStore>> TcpStore::serve(TcpAddress address, double timeout) {
    HIDET_TRY(const auto places, resolved(address));
    process::Descriptor listening = socket_for(*places);
    const int yes = 1;
    setsockopt(listening.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    process::Pipe stop;
    if (bind(listening.get(), places->ai_addr, places->ai_addrlen) != 0 || listen(listening.get(), SOMAXCONN) != 0 ||
        !stop.open())
        return Error{"store", cat("the store cannot be served at ", address.host, ":", address.port, ": ",
                                  std::strerror(errno))};
    process::stop_blocking(listening);
    address.port = port_of(listening);
    auto server = std::make_unique<TcpServer>(std::move(listening), std::move(stop));
    HIDET_TRY(std::unique_ptr<TcpStore> out, connect(address, timeout));
    out->m_server = std::move(server);
    return out;
}

Result<std::unique_ptr<TcpStore>> TcpStore::connect(const TcpAddress& address, double timeout) {
    HIDET_TRY(const auto places, resolved(address));
    Pause pause(timeout);
    do {
        process::Descriptor connection = socket_for(*places);
        if (::connect(connection.get(), places->ai_addr, places->ai_addrlen) != 0)
            continue;
        const int yes = 1;
        setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        std::unique_ptr<TcpStore> out(new TcpStore(address, timeout));
        out->m_connection = std::move(connection);
        return out;
    } while (pause.again());
    return Error{"timeout",
                 cat("nobody serves a store at ", address.host, ":", address.port, " within ", timeout, " s")};
}

Result<TcpStore::Answer> TcpStore::ask(char what, const std::string& key, const std::string& value) {
    const auto key_bytes = static_cast<std::uint32_t>(key.size());
    std::string question(1, what);
    question.append(reinterpret_cast<const char*>(&key_bytes), sizeof key_bytes).append(key).append(value);
    if (question.size() > most_message_bytes)
        return Error{"store", cat("'", key.substr(0, 40), "' has more bytes than a store keeps")};
    const Clock::time_point deadline = after(timeout());
    std::uint32_t bytes = 0;
    if (!send_all(m_connection.get(), framed(question)) ||
        !receive_all(m_connection.get(), reinterpret_cast<char*>(&bytes), sizeof bytes, deadline) || bytes == 0 ||
        bytes > most_message_bytes)
        return lost();
    char kind = 0;
    std::string text(bytes - 1, '\0');
    if (!receive_all(m_connection.get(), &kind, 1, deadline) ||
        !receive_all(m_connection.get(), text.data(), text.size(), deadline))
        return lost();
    if (kind == '!')
        return Error{"store", text};
    return Answer{kind == '=', std::move(text)};
}

Result<void> TcpStore::set(const std::string& key, const std::string& value) {
    if (auto answer = ask('s', key, value); !answer)
        return answer.error();
    return {};
}

Result<std::optional<std::string>> TcpStore::find(const std::string& key) {
    HIDET_TRY(Answer answer, ask('g', key, ""));
    return answer.is_value ? std::optional(std::move(answer.text)) : std::nullopt;
}

Result<std::int64_t> TcpStore::add(const std::string& key, std::int64_t amount) {
    HIDET_TRY(const Answer answer, ask('a', key, cat(amount)));
    std::int64_t sum = 0;
    std::from_chars(answer.text.data(), answer.text.data() + answer.text.size(), sum);
    return sum;
}

} // namespace hidet::distributed
