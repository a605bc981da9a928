// SPDX-License-Identifier: Apache-2.0
#include "app/session/fleet/ray_jobs.h"

#include <charconv>
#include <cstring>

#include <nlohmann/json.hpp>

#include "app/session/fleet/fleet.h"
#include "app/session/worker/link.h"
#include "lang/base/text.h"
#include "runtime/toolchain/http.h"
#include "runtime/toolchain/user_folder.h"

namespace hidet::session {

namespace {

using Json = nlohmann::ordered_json;

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
        HIDET_TRY_TO(read_word(word, settings));
    if (settings.address.empty())
        settings.address = toolchain::environment_variables()("RAY_ADDRESS");
    if (settings.address.empty())
        return mistake("no address of Ray's dashboard is known; a line 'fleet.ray = http://HOST:8265' of "
                       "~/.config/hidet/workers.conf names it, or RAY_ADDRESS");
    if (!settings.address.starts_with("http://") && !settings.address.starts_with("https://"))
        return mistake(cat(quote(settings.address), " is no address of Ray's dashboard, such as http://HOST:8265"));
    while (settings.address.ends_with('/'))
        settings.address.pop_back();
    return settings;
}

Error RayJobs::unusable(const std::string& what) const {
    return mistake(cat("Ray at ", m_settings.address, " ", what));
}

Result<std::string> RayJobs::ask(const std::string& path, const std::string* body) const {
    toolchain::HttpRequest request{.url = m_settings.address + path,
                                   .token = toolchain::environment_variables()("RAY_AUTH_TOKEN")};
    if (body) {
        request.method = "POST";
        request.body = *body;
        request.type = "application/json";
    }
    const Result<toolchain::HttpAnswer> answer = toolchain::http(request);
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
