// SPDX-License-Identifier: Apache-2.0
#include "app/session/fleet/ray_jobs.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/session/fleet/fleet.h"
#include "app/session/fleet/ray_relay.h"
#include "app/session/worker/link.h"
#include "lang/base/text.h"
#include "runtime/toolchain/user_folder.h"

namespace hidet::session {

namespace {

using Json = nlohmann::ordered_json;

constexpr int http_seconds = 20;
constexpr std::size_t most_http_bytes = std::size_t{64} << 20;

Error mistake(const std::string& what) {
    return {"fleet-unusable", cat("'--fleet ray': ", what)};
}

Result<void> read_count(std::string_view text, double& into) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (error != std::errc() || end != text.data() + text.size() || !(into >= 0))
        return mistake(cat(quote(text), " is no number of GPUs or processors"));
    return {};
}

Result<void> read_word(const std::string& word, RaySettings& settings) {
    for (const auto& [option, into] : {std::pair("--gpus=", &settings.gpus), std::pair("--cpus=", &settings.cpus)})
        if (word.starts_with(option))
            return read_count(std::string_view(word).substr(std::strlen(option)), *into);
    if (constexpr std::string_view listen = "--listen="; word.starts_with(listen))
        settings.listen = word.substr(listen.size());
    else if (word.starts_with('-') || !settings.address.empty())
        return mistake(cat("the line 'fleet.ray' of the user's settings has ", quote(word),
                           ", and is 'ADDRESS --gpus=N --cpus=N --listen=HOST -- WORKER'"));
    else
        settings.address = word;
    return {};
}

struct HttpAnswer {
    int status = 0;
    std::string body;
};

bool send_whole(const process::Descriptor& line, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(line.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    }
    return true;
}

// Nothing: what came is no answer, or not all of one.
std::optional<HttpAnswer> http_answer(const std::string& text) {
    HttpAnswer answer;
    const std::size_t space = text.find(' '), end = text.find("\r\n\r\n");
    if (!text.starts_with("HTTP/") || end == std::string::npos || space > end ||
        std::from_chars(text.data() + space + 1, text.data() + end, answer.status).ec != std::errc())
        return std::nullopt;
    answer.body = text.substr(end + 4);
    for (const std::string& line : split(text.substr(0, end), '\n')) {
        const std::size_t colon = line.find(':');
        const auto is_named = [&](const char* name) { return ::strncasecmp(line.c_str(), name, colon) == 0; };
        std::size_t length = 0;
        if (colon != std::strlen("Content-Length") || !is_named("Content-Length"))
            continue;
        const std::string_view value = trimmed(std::string_view(line).substr(colon + 1));
        if (std::from_chars(value.data(), value.data() + value.size(), length).ec != std::errc() ||
            answer.body.size() < length)
            return std::nullopt;
        answer.body.resize(length);
    }
    return answer;
}

// By HTTP/1.0, whose answers come as they are and end with the line.
Result<HttpAnswer> http(const std::string& address, const std::string& request) {
    const auto [host, port] = host_of(address);
    HIDET_TRY(const process::Descriptor line, connected(host, port, SOCK_STREAM, http_seconds));
    std::string text;
    if (!send_whole(line, request))
        return Error{"no-line", std::strerror(errno)};
    for (;;) {
        char bytes[64 * 1024];
        const ssize_t count = ::recv(line.get(), bytes, sizeof bytes, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return Error{"no-line",
                         errno == EAGAIN ? cat("nothing came for ", http_seconds, " s") : std::strerror(errno)};
        if (count == 0)
            break;
        text.append(bytes, static_cast<std::size_t>(count));
        if (text.size() > most_http_bytes)
            return Error{"no-line", "it sends without an end"};
    }
    std::optional<HttpAnswer> answer = http_answer(text);
    if (!answer)
        return Error{"no-line", "what it sends is no HTTP"};
    return std::move(*answer);
}

// Empty: there is none of this kind.
std::string text_of(const Json& object, const char* name) {
    return object.is_object() && object.contains(name) && object[name].is_string() ? object[name].get<std::string>()
                                                                                   : "";
}

} // namespace

bool has_ended(const std::string& state) {
    return state == "SUCCEEDED" || state == "FAILED" || state == "STOPPED";
}

Result<RaySettings> ray_settings() {
    HIDET_TRY(const FleetSettings line, fleet_settings("ray"));
    RaySettings settings;
    settings.worker = line.worker;
    for (const std::string& word : line.words)
        if (Result<void> read = read_word(word, settings); !read)
            return read.error();
    if (settings.address.empty())
        settings.address = toolchain::environment_variables()("RAY_ADDRESS");
    if (settings.address.empty())
        return mistake("no address of Ray's dashboard is known; a line 'fleet.ray = http://HOST:8265' of "
                       "~/.config/hidet/workers.conf names it, or RAY_ADDRESS");
    if (settings.address.starts_with("https://"))
        return mistake(cat(quote(settings.address),
                           " asks for TLS, which this program does not speak; a tunnel of ssh does: http://HOST:8265"));
    if (!settings.address.starts_with("http://"))
        return mistake(cat(quote(settings.address), " is no address of Ray's dashboard, such as http://HOST:8265"));
    while (settings.address.ends_with('/'))
        settings.address.pop_back();
    return settings;
}

Error RayJobs::unusable(const std::string& what) const {
    return mistake(cat("Ray at ", m_settings.address, " ", what));
}

Result<std::string> RayJobs::ask(const std::string& path, const std::string* body) const {
    const std::string& address = m_settings.address;
    const std::size_t host = address.find("://") + 3, slash = address.find('/', host);
    const std::string before = slash == std::string::npos ? "" : address.substr(slash);
    std::string request = cat(body ? "POST " : "GET ", before, path,
                              " HTTP/1.0\r\nHost: ", address.substr(host, slash - host), "\r\nConnection: close\r\n");
    if (const std::string token = toolchain::environment_variables()("RAY_AUTH_TOKEN");
        !token.empty() && token.find_first_of("\r\n") == std::string::npos)
        request += cat("Authorization: Bearer ", token, "\r\n");
    if (body)
        request += cat("Content-Type: application/json\r\nContent-Length: ", body->size(), "\r\n");
    const Result<HttpAnswer> answer = http(address, cat(request, "\r\n", body ? *body : ""));
    if (!answer)
        return unusable(cat("does not answer: ", answer.error().message));
    if (answer.value().status / 100 != 2)
        return unusable(
            cat("refuses '", path, "' with ", answer.value().status, ": ", last_line_of(answer.value().body)));
    return answer.value().body;
}

Result<void> RayJobs::look() const {
    HIDET_TRY(const std::string body, ask("/api/version", nullptr));
    if (text_of(Json::parse(body, nullptr, false), "ray_version").empty())
        return unusable("is no dashboard of Ray");
    return {};
}

Result<void> RayJobs::submit(const RayJob& job) const {
    const Json posted = {{"entrypoint", job.entrypoint},
                         {"submission_id", job.id},
                         {"runtime_env", {{"env_vars", {{"HIDET_FLEET_TOKEN", job.token}}}}},
                         {"entrypoint_num_cpus", m_settings.cpus},
                         {"entrypoint_num_gpus", m_settings.gpus}};
    const std::string body = posted.dump();
    HIDET_TRY([[maybe_unused]] const std::string answer, ask("/api/jobs/", &body));
    return {};
}

Result<std::string> RayJobs::state(const std::string& id) const {
    HIDET_TRY(const std::string body, ask("/api/jobs/" + id, nullptr));
    return text_of(Json::parse(body, nullptr, false), "status");
}

std::string RayJobs::last_words(const std::string& id) const {
    const Result<std::string> body = ask("/api/jobs/" + id + "/logs", nullptr);
    return body ? last_line_of(text_of(Json::parse(body.value(), nullptr, false), "logs")) : "";
}

void RayJobs::stop(const std::string& id) const {
    const std::string nothing;
    static_cast<void>(ask("/api/jobs/" + id + "/stop", &nothing));
}

std::vector<std::string> RayJobs::running(const std::string& prefix) const {
    const Result<std::string> body = ask("/api/jobs/", nullptr);
    std::vector<std::string> found;
    const Json jobs = body ? Json::parse(body.value(), nullptr, false) : Json();
    for (const Json& job : jobs.is_array() ? jobs : Json::array())
        if (const std::string id = text_of(job, "submission_id");
            id.starts_with(prefix) && !has_ended(text_of(job, "status")))
            found.push_back(id);
    return found;
}

} // namespace hidet::session
