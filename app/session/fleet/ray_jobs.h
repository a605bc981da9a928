// SPDX-License-Identifier: Apache-2.0
// Ray's Jobs interface: HTTP and JSON at the address of its dashboard.
#pragma once

#include <string>
#include <vector>

#include "lang/base/result.h"

namespace hidet::session {

// Of the line 'fleet.ray = ADDRESS --gpus=N --cpus=N --listen=HOST -- WORKER', or of RAY_ADDRESS.
struct RaySettings {
    std::string address; // "http://head:8265"
    double gpus = 0, cpus = 1;
    std::string listen; // what nodes call this machine; empty: the address that it reaches Ray from
    std::vector<std::string> worker;
};
Result<RaySettings> ray_settings(); // "fleet-unusable"

struct RayJob {
    std::string id;
    std::string entrypoint; // a command line of a shell
    std::string token;      // in its environment, as HIDET_FLEET_TOKEN
};

// Errors are "fleet-unusable".
class RayJobs {
public:
    explicit RayJobs(const RaySettings& settings) : m_settings(settings) {}
    Result<void> look() const; // whether it is there
    Result<void> submit(const RayJob& job) const;
    Result<std::string> state(const std::string& id) const; // "RUNNING"
    std::string last_words(const std::string& id) const;    // the last line of its output; empty: there is none
    void stop(const std::string& id) const;
    std::vector<std::string> running(const std::string& prefix) const; // jobs that have not ended
private:
    Error unusable(const std::string& what) const;
    Result<std::string> ask(const std::string& path,
                            const std::string* body) const; // body: what is posted; null: nothing is

    const RaySettings m_settings;
};

bool has_ended(const std::string& state); // that of a job

} // namespace hidet::session
