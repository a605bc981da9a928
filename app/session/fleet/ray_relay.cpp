// SPDX-License-Identifier: Apache-2.0
#include "app/session/fleet/ray_relay.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/session/fleet/fleet.h"
#include "app/session/fleet/ray_jobs.h"
#include "app/session/worker/call.h"
#include "app/session/worker/serve.h"
#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/descriptor.h"

namespace hidet::session {

namespace {

using process::Descriptor;

constexpr const char* token_variable = "HIDET_FLEET_TOKEN";
constexpr std::size_t token_bytes = 32;
constexpr int between_looks_ms = 1000; // at the state of a job that has not called
constexpr int to_show_token_s = 10;

Error no_line(const std::string& what) {
    return {"no-line", what};
}

struct FreeResolved {
    void operator()(addrinfo* first) const { freeaddrinfo(first); }
};
using Resolved = std::unique_ptr<addrinfo, FreeResolved>;

Result<Resolved> resolve(const std::string& host, const std::string& port, int kind) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = kind;
    addrinfo* first = nullptr;
    if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &first); error != 0)
        return no_line(cat("there is no host ", quote(host), ": ", gai_strerror(error)));
    return Resolved(first);
}

std::string without_brackets(std::string host) {
    return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

// The first of a host's addresses that takes us.
Result<Descriptor> connected(const std::string& host, const std::string& port, int kind) {
    HIDET_TRY(const Resolved all, resolve(without_brackets(host), port, kind));
    int error = 0;
    for (const addrinfo* each = all.get(); each; each = each->ai_next) {
        Descriptor line(socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol));
        if (line.is_open() && connect(line.get(), each->ai_addr, each->ai_addrlen) == 0)
            return line;
        error = errno;
    }
    return no_line(cat(host, " port ", port, " cannot be reached: ", std::strerror(error)));
}

// "host", "8265" of "http://host:8265/path".
std::pair<std::string, std::string> host_of(const std::string& address) {
    std::string rest = address.substr(address.find("://") + 3);
    rest = rest.substr(0, rest.find('/'));
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string::npos || rest.ends_with(']'))
        return {rest, address.starts_with("https://") ? "443" : "80"};
    return {rest.substr(0, colon), rest.substr(colon + 1)};
}

std::string in_brackets(const std::string& host) {
    return host.find(':') == std::string::npos ? host : cat("[", host, "]");
}

std::string numbers_of(const sockaddr_storage& address, socklen_t bytes, int which) {
    char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
    getnameinfo(reinterpret_cast<const sockaddr*>(&address), bytes, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    return which == NI_NUMERICHOST ? host : port;
}

std::string own_number(const Descriptor& socket, int which) {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes);
    return numbers_of(address, bytes, which);
}

// The address of this machine that faces the other one: no byte is sent to find out.
Result<std::string> own_address_before(const std::string& address) {
    const auto [host, port] = host_of(address);
    HIDET_TRY(const Descriptor towards, connected(host, port, SOCK_DGRAM));
    return own_number(towards, NI_NUMERICHOST);
}

Result<Descriptor> listening() {
    Descriptor line(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int off = 0;
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    if (line.is_open() && setsockopt(line.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0 &&
        bind(line.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 && listen(line.get(), 8) == 0)
        return line;
    sockaddr_in any_ip4{}; // a machine without IPv6
    any_ip4.sin_family = AF_INET;
    line = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (line.is_open() && bind(line.get(), reinterpret_cast<const sockaddr*>(&any_ip4), sizeof any_ip4) == 0 &&
        listen(line.get(), 8) == 0)
        return line;
    return no_line(cat("no port can be opened: ", std::strerror(errno)));
}

bool has_shown(const Descriptor& line, const std::string& token) {
    const timeval patience{to_show_token_s, 0};
    setsockopt(line.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string shown(token.size(), ' ');
    if (!read_all(line.get(), shown.data(), shown.size()))
        return false;
    unsigned difference = 0; // found in the same time wherever it is
    for (std::size_t i = 0; i < token.size(); ++i)
        difference |= static_cast<unsigned>(shown[i] ^ token[i]);
    const timeval for_ever{0, 0};
    setsockopt(line.get(), SOL_SOCKET, SO_RCVTIMEO, &for_ever, sizeof for_ever);
    return difference == 0;
}

bool is_input_over() {
    pollfd input{0, 0, 0}; // what waits there is for the worker
    return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR)) != 0;
}

// None: the job has ended, or nobody wants it any more.
Descriptor called(const Descriptor& port, const RayJobs& ray, const std::string& id, const std::string& token) {
    for (;;) {
        pollfd call{port.get(), POLLIN, 0};
        if (poll(&call, 1, between_looks_ms) > 0) {
            Descriptor line(accept4(port.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (line.is_open() && has_shown(line, token))
                return line;
            continue;
        }
        const Result<std::string> state = ray.state(id);
        if (is_input_over() || (state && has_ended(state.value())))
            return Descriptor();
    }
}

void pass_on(int from, int to) {
    char bytes[64 * 1024];
    for (;;) {
        const ssize_t count = ::read(from, bytes, sizeof bytes);
        if (count == 0 || (count < 0 && errno != EINTR))
            return;
        if (count > 0 && !write_all(to, {bytes, static_cast<std::size_t>(count)}))
            return;
    }
}

std::string quoted_for_shell(const std::string& word) {
    std::string out = "'";
    for (const char c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

Result<RayJob> job_for(const std::string& name, const RaySettings& settings, const Descriptor& port) {
    std::string host = settings.listen;
    if (host.empty()) {
        HIDET_TRY(host, own_address_before(settings.address));
    }
    RayJob job{cat(name, "-", random_hex(4)), "exec", random_hex(token_bytes)};
    for (const std::string& word : settings.worker)
        job.entrypoint += " " + quoted_for_shell(word);
    job.entrypoint += cat(" --call-back=", in_brackets(host), ":", own_number(port, NI_NUMERICSERV));
    return job;
}

Result<int> relayed(const std::string& name) {
    HIDET_TRY(const RaySettings settings, ray_settings());
    const RayJobs ray(settings);
    HIDET_TRY(const Descriptor port, listening());
    HIDET_TRY(const RayJob job, job_for(name, settings, port));
    HIDET_TRY_TO(ray.submit(job));
    const Descriptor line = called(port, ray, job.id, job.token);
    if (line.is_open()) {
        std::thread([&line] {
            pass_on(0, line.get());
            shutdown(line.get(), SHUT_WR);
        }).detach(); // it ends with the process
        pass_on(line.get(), 1);
    }
    const bool is_wanted = !is_input_over();
    const std::string words = is_wanted ? ray.last_words(job.id) : "";
    ray.stop(job.id);
    if (!is_wanted)
        return exit_fine;
    return no_line(words.empty() ? "the job of the worker has ended" : words);
}

} // namespace

int relay_ray_job(const std::string& name) {
    std::signal(SIGPIPE, SIG_IGN);
    const Result<int> code = relayed(name);
    if (code)
        return code.value();
    std::fprintf(stderr, "hidetc worker: %s\n", code.error().message.c_str());
    return exit_environment;
}

Result<void> call_back(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    const char* token = std::getenv(token_variable);
    if (colon == std::string::npos || !token)
        return no_line(cat("the worker was not started by a fleet: ",
                           token ? quote(address) + " is not HOST:PORT" : cat(token_variable, " is not set")));
    HIDET_TRY(const Descriptor line, connected(address.substr(0, colon), address.substr(colon + 1), SOCK_STREAM));
    if (!write_all(line.get(), token))
        return no_line("the line broke at once");
    unsetenv(token_variable);
    if (dup2(line.get(), 0) < 0 || dup2(line.get(), 1) < 0)
        return no_line(std::strerror(errno));
    return {};
}

} // namespace hidet::session
