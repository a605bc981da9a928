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

// Until it can be read or written, in waits so short that a cancelled one ends soon.
bool wait_until(int connection, short event, Clock::time_point deadline, const Patience& patience) {
    constexpr int milliseconds = 20;
    pollfd file{connection, event, 0};
    while (poll(&file, 1, milliseconds) <= 0)
        if (patience.is_at_end() || Clock::now() >= deadline)
            return false;
    return true;
}

// A host that does not answer would keep connect() for minutes.
bool is_connected(const process::Descriptor& connection, const addrinfo& address, const Patience& patience) {
    process::stop_blocking(connection);
    if (::connect(connection.get(), address.ai_addr, address.ai_addrlen) == 0)
        return true;
    int error = 0;
    socklen_t bytes = sizeof error;
    return errno == EINPROGRESS && wait_until(connection.get(), POLLOUT, after(patience.seconds), patience) &&
           getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0;
}

int port_of(const process::Descriptor& listening) {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &bytes);
    const auto* of_ip4 = reinterpret_cast<const sockaddr_in*>(&address);
    const auto* of_ip6 = reinterpret_cast<const sockaddr_in6*>(&address);
    return ntohs(address.ss_family == AF_INET6 ? of_ip6->sin6_port : of_ip4->sin_port);
}

bool receive_all(int connection, char* bytes, std::size_t count, Clock::time_point deadline, const Patience& patience) {
    while (count > 0) {
        if (!wait_until(connection, POLLIN, deadline, patience))
            return false;
        const ssize_t got = recv(connection, bytes, count, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        if (got > 0)
            bytes += got, count -= static_cast<std::size_t>(got);
    }
    return true;
}

bool send_all(int connection, std::string_view bytes, Clock::time_point deadline, const Patience& patience) {
    while (!bytes.empty()) {
        if (!wait_until(connection, POLLOUT, deadline, patience))
            return false;
        const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    }
    return true;
}

} // namespace

TcpStore::TcpStore(TcpAddress address, Patience patience) : Store(std::move(patience)), m_address(std::move(address)) {}
TcpStore::~TcpStore() = default;

Error TcpStore::lost() const {
    if (patience().is_at_end())
        return cancelled_wait();
    return {"store",
            cat("the store at ", m_address.host, ":", m_address.port, " does not answer: who serves it has ended")};
}

Result<std::unique_ptr<TcpStore>> TcpStore::serve(TcpAddress address, const Patience& patience) {
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
    HIDET_TRY(std::unique_ptr<TcpStore> out, connect(address, patience));
    out->m_server = std::move(server);
    return out;
}

Result<std::unique_ptr<TcpStore>> TcpStore::connect(const TcpAddress& address, const Patience& patience) {
    HIDET_TRY(const auto places, resolved(address));
    Pause pause(patience);
    do {
        process::Descriptor connection = socket_for(*places);
        if (!is_connected(connection, *places, patience))
            continue;
        const int yes = 1;
        setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        std::unique_ptr<TcpStore> out(new TcpStore(address, patience));
        out->m_connection = std::move(connection);
        return out;
    } while (pause.again());
    return pause.end(
        cat("nobody serves a store at ", address.host, ":", address.port, " within ", patience.seconds, " s"));
}

Result<TcpStore::Answer> TcpStore::ask(char what, const std::string& key, const std::string& value) {
    const auto key_bytes = static_cast<std::uint32_t>(key.size());
    std::string question(1, what);
    question.append(reinterpret_cast<const char*>(&key_bytes), sizeof key_bytes).append(key).append(value);
    if (question.size() > most_message_bytes)
        return Error{"store", cat("'", key.substr(0, 40), "' has more bytes than a store keeps")};
    const Clock::time_point deadline = after(patience().seconds);
    std::uint32_t bytes = 0;
    if (!send_all(m_connection.get(), framed(question), deadline, patience()) ||
        !receive_all(m_connection.get(), reinterpret_cast<char*>(&bytes), sizeof bytes, deadline, patience()) ||
        bytes == 0 || bytes > most_message_bytes)
        return lost();
    char kind = 0;
    std::string text(bytes - 1, '\0');
    if (!receive_all(m_connection.get(), &kind, 1, deadline, patience()) ||
        !receive_all(m_connection.get(), text.data(), text.size(), deadline, patience()))
        return lost();
    if (kind == '!')
        return Error{"store", text};
    return Answer{kind == '=', std::move(text)};
}

Result<void> TcpStore::set(const std::string& key, const std::string& value) {
    HIDET_TRY_TO(ask('s', key, value));
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
