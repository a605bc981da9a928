// SPDX-License-Identifier: Apache-2.0
// Runs a function in several processes, each with its rank; what each says at its end, or that it was killed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace hidet::test {

inline std::vector<std::string> in_processes(int count, const std::function<std::string(int rank)>& body) {
    std::vector<std::pair<pid_t, int>> children;
    for (int rank = 0; rank < count; ++rank) {
        int ends[2];
        if (pipe(ends) != 0)
            return {};
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            const std::string said = body(rank);
            const ssize_t written = write(ends[1], said.data(), said.size());
            _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
        }
        close(ends[1]);
        children.emplace_back(child, ends[0]);
    }
    std::vector<std::string> out;
    for (auto [child, end] : children) {
        std::string said;
        char some[512];
        for (ssize_t got; (got = read(end, some, sizeof some)) > 0;)
            said.append(some, static_cast<std::size_t>(got));
        close(end);
        int status = 0;
        waitpid(child, &status, 0);
        out.push_back(WIFSIGNALED(status) ? "killed" : said);
    }
    return out;
}

} // namespace hidet::test
