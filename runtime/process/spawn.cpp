// SPDX-License-Identifier: Apache-2.0
#include "runtime/process/spawn.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <spawn.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::process {

namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (std::string& word : words)
        list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

// posix_spawn rather than fork: it copies no page tables, and what it does in the child is safe beside other threads.
struct Files {
    posix_spawn_file_actions_t actions;
    explicit Files(const SpawnRequest& request) {
        posix_spawn_file_actions_init(&actions);
        for (int stream = 0; stream < 3; ++stream)
            posix_spawn_file_actions_adddup2(&actions, request.streams[stream], stream);
        posix_spawn_file_actions_addclosefrom_np(&actions, 3); // what others opened carelessly is none of its business
        if (!request.folder.empty())
            posix_spawn_file_actions_addchdir_np(&actions, request.folder.c_str());
    }
    ~Files() { posix_spawn_file_actions_destroy(&actions); }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
};

struct Attributes {
    posix_spawnattr_t attributes;
    explicit Attributes(pid_t group) {
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&attributes, group);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
    }
    ~Attributes() { posix_spawnattr_destroy(&attributes); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
};

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

} // namespace

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
    std::vector<std::string> all = variables;
    for (char** variable = environ; *variable; ++variable)
        if (std::none_of(variables.begin(), variables.end(),
                         [&](const std::string& own) { return name_of(own) == name_of(*variable); }))
            all.emplace_back(*variable);
    return all;
}

Result<pid_t> spawn(SpawnRequest request) {
    HIDET_CHECK(!request.words.empty());
    Files files(request);
    Attributes attributes(request.group);
    std::vector<char*> words = pointers(request.words), environment = pointers(request.environment);
    pid_t process = 0;
    int failed =
        posix_spawnp(&process, words[0], &files.actions, &attributes.attributes, words.data(), environment.data());
    if (failed != 0)
        return Error{"process-not-started", cat("'", request.words[0], "' cannot be started: ", std::strerror(failed))};
    return process;
}

} // namespace hidet::process
