// SPDX-License-Identifier: Apache-2.0
// The times of a run's steps.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace hidet::tool {

class Profile {
public:
    std::function<void(const std::string&, double)> callback() {
        return [this](const std::string& name, double microseconds) { m_steps.push_back({name, microseconds}); };
    }
    void clear() { m_steps.clear(); }
    void print() const;
    nlohmann::json json() const;

private:
    struct Step {
        std::string name;
        double microseconds;
    };
    std::vector<Step> m_steps;
};

} // namespace hidet::tool
