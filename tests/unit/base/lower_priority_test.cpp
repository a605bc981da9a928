// SPDX-License-Identifier: Apache-2.0
#include "lang/base/lower_priority.h"

#include <cerrno>
#include <doctest/doctest.h>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hidet;

// Of the calling thread.
static int niceness() {
    return getpriority(PRIO_PROCESS, 0);
}

TEST_CASE("a thread that steps back takes its threads and processes along, and no others") {
    const int usual = niceness();
    if (usual >= 10)
        return; // everything here has stepped back already
    int own = usual, of_thread = usual, status = 0;
    bool is_known = false;
    REQUIRE(!has_stepped_back());
    std::thread([&] {
        lower_priority();
        lower_priority(); // says nothing new
        own = niceness();
        is_known = has_stepped_back();
        std::thread([&] { of_thread = niceness(); }).join();
        const pid_t child = fork();
        if (child == 0)
            _exit(niceness());
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }).join();
    REQUIRE(own == 10);
    REQUIRE(is_known);
    REQUIRE(of_thread == 10);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 10);
    REQUIRE(niceness() == usual);
    int of_other = -1;
    std::thread([&] { of_other = niceness(); }).join();
    REQUIRE(of_other == usual);
}
