// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "runtime/tool/arguments.h"
#include "runtime/tool/stop.h"
#include "runtime/tool/verbs.h"

namespace hidet::tool {

void print(const std::string& text) {
    std::printf("%s\n", text.c_str());
}
void print(const nlohmann::json& document) {
    print(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

static int run_verb(int argc, char** argv) {
    int exit = exit_fine;
    const std::optional<Arguments> arguments = read_arguments(argc, argv, exit);
    if (!arguments)
        return exit;
    switch (arguments->verb) {
    case Verb::Describe: describe(*arguments); break;
    case Verb::Verify: verify(*arguments); break;
    case Verb::Run: run(*arguments); break;
    case Verb::Time: time(*arguments); break;
    }
    return exit;
}

static int guarded(int argc, char** argv) {
    try {
        return run_verb(argc, argv);
    } catch (const Stop& stop) {
        std::fprintf(stderr, "hidet-run: %s\n", stop.message.c_str());
        return stop.exit;
    } catch (const std::bad_alloc&) {
        std::fputs("hidet-run: there is not enough memory\n", stderr);
        return exit_environment;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "hidet-run: a bug of ours: %s\n", error.what());
        return exit_internal;
    }
}

} // namespace hidet::tool

int main(int argc, char** argv) {
    const int exit = hidet::tool::guarded(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        std::fputs("hidet-run: standard output cannot be written\n", stderr);
        return exit ? exit : hidet::tool::exit_environment;
    }
    return exit;
}
