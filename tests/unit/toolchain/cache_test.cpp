// SPDX-License-Identifier: Apache-2.0
// The cache under many threads and processes, kills, damage, and disks that are full.
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/toolchain/cache_entry.h"
#include "runtime/toolchain/cached.h"
#include "tests/harness/compile_all.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::toolchain;
using hidet::test::Scratch;

namespace {

namespace fs = std::filesystem;

// Takes a while, and leaves a mark for each compilation in a file that all processes see.
class SlowCompiler : public Compiler {
public:
    explicit SlowCompiler(std::string marks) : m_marks(std::move(marks)) {}
    Result<CompileResult> compile(const CompileRequest& request) override {
        std::ofstream(m_marks, std::ios::app) << "x";
        int running = ++m_running;
        for (int most = most_at_once; running > most && !most_at_once.compare_exchange_weak(most, running);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        --m_running;
        if (request.text == "wrong")
            return Error{"compile-failed", "it is wrong"};
        if (request.text == "deadly")
            kill(getpid(), SIGKILL);
        CompileResult result;
        result.bytes = "code of " + request.text + std::string(1000, '\0');
        result.log = "a warning\n";
        result.compiler = "slow 1.0";
        result.figures = {{"kernel", 32, 16, 8, 4, 1024, 360}, {"other", 1, 0, 0, 0, 0, 0}};
        return result;
    }
    Result<std::string> recipe(const CompileRequest& request) override { return version + join(request.options, " "); }
    std::size_t count() const { return fs::exists(m_marks) ? fs::file_size(m_marks) : 0; }
    std::string version = "slow 1.0";
    std::atomic<int> most_at_once{0};

private:
    std::atomic<int> m_running{0};
    std::string m_marks;
};

CompileRequest request(std::string text) {
    return {.text = std::move(text), .arch = "sm_90"};
}

struct Fixture {
    Scratch scratch;
    SlowCompiler slow{scratch.path("marks")};
    Cache cache{{.folder = scratch.path("cache")}};
    CachedCompiler compiler{slow, cache};
};

pid_t in_process(const std::function<int()>& body) {
    pid_t child = fork();
    if (child == 0)
        _exit(body());
    return child;
}

int exit_code(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> entries_in(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code ignored;
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder, ignored))
        if (file.is_regular_file() && file.path().filename().string().size() == 30)
            files.push_back(file.path());
    return files;
}

std::string key_in(const std::string& path) {
    return path.substr(path.size() - 33, 2) + path.substr(path.size() - 30);
}

std::string key_for(int number) {
    return cache_key({"test", std::to_string(number)});
}

// What belongs to a key, so that any reader can tell it from anything else.
std::string bytes_for(int number, std::size_t size) {
    std::string bytes = "entry " + std::to_string(number) + " ";
    while (bytes.size() < size)
        bytes += bytes;
    return bytes;
}

TEST_CASE("what was compiled comes back whole") {
    Fixture f;
    auto first = f.compiler.compile(request("a"));
    auto second = f.compiler.compile(request("a"));
    REQUIRE((!first.value().from_cache && second.value().from_cache));
    REQUIRE(first.value().bytes == second.value().bytes);
    REQUIRE(second.value().log == "a warning\n");
    REQUIRE(second.value().compiler == "slow 1.0");
    REQUIRE(first.value().figures == second.value().figures);
    REQUIRE(first.value().key == second.value().key);
    REQUIRE(!first.value().not_stored);
    REQUIRE(f.slow.count() == 1u);
}

TEST_CASE("another text, option, architecture, product, language or compiler is another entry") {
    Fixture f;
    CompileRequest plain = request("a");
    (void)f.compiler.compile(plain);
    std::vector<CompileRequest> others(6, plain);
    others[0].text = "b";
    others[1].options = {"-G"};
    others[2].arch = "sm_80";
    others[3].product = Product::Ptx;
    others[4].language = artifact::Language::Cxx;
    others[5].objects = {"o"};
    for (const CompileRequest& other : others)
        REQUIRE(!f.compiler.compile(other).value().from_cache);
    f.slow.version = "slow 1.1";
    REQUIRE(!f.compiler.compile(plain).value().from_cache);
}

TEST_CASE("the parts of a key do not run into each other") {
    REQUIRE(cache_key({"ab", "c"}) != cache_key({"a", "bc"}));
    REQUIRE(cache_key({"ab"}) != cache_key({"ab", ""}));
    REQUIRE(cache_key({"ab"}).size() == 32u);
}

TEST_CASE("a failure is not kept") {
    Fixture f;
    REQUIRE(f.compiler.compile(request("wrong")).error().message == "it is wrong");
    REQUIRE(f.compiler.compile(request("wrong")).error().message == "it is wrong");
    REQUIRE(f.slow.count() == 2u);
}

TEST_CASE("statistics count, and clearing removes what they counted") {
    Fixture f;
    for (const char* text : {"a", "b", "a"})
        (void)f.compiler.compile(request(text));
    CacheStatistics before = f.cache.statistics();
    REQUIRE(before.entries == 2);
    REQUIRE(before.hits == 1);
    REQUIRE(before.bytes > 2000);
    auto removed = f.cache.clear();
    REQUIRE(removed.value().entries == 2);
    REQUIRE(removed.value().bytes == before.bytes);
    REQUIRE(f.cache.statistics().entries == 0);
    REQUIRE(!f.compiler.compile(request("a")).value().from_cache);
}

TEST_CASE("clearing leaves alone what is not ours") {
    Fixture f;
    (void)f.compiler.compile(request("a"));
    std::string mine = f.scratch.write("cache/mine.txt", "precious");
    std::string inside = f.scratch.write("cache/compiled-2/ab/mine.txt", "precious");
    REQUIRE(f.cache.clear().ok());
    REQUIRE((fs::exists(mine) && fs::exists(inside)));
}

TEST_CASE("a damaged entry is compiled again, whatever the damage") {
    using Damage = std::function<std::string(std::string)>;
    std::vector<Damage> damages = {
        [](std::string) { return std::string(); },
        [](std::string file) { return file.substr(0, 20); },
        [](std::string file) { return file.substr(0, file.size() - 1); },
        [](std::string file) { return file + "x"; },
        [](std::string file) { return file.replace(file.size() / 2, 1, "!"); },
        [](std::string file) { return file.replace(10, 1, "!"); },
        [](std::string file) { return std::string(file.size(), '\0'); },
    };
    for (const Damage& damage : damages) {
        Fixture f;
        auto first = f.compiler.compile(request("a"));
        std::string path = entries_in(f.scratch.path("cache")).at(0);
        std::string text = damage(read_file(path).value());
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
        auto second = f.compiler.compile(request("a"));
        REQUIRE(!second.value().from_cache);
        REQUIRE(second.value().bytes == first.value().bytes);
        REQUIRE(f.cache.statistics().dropped == 1);
        REQUIRE(f.compiler.compile(request("a")).value().from_cache);
    }
}

TEST_CASE("the entry of another key is no entry, whole as it is") {
    Fixture f;
    auto a = f.compiler.compile(request("a")), b = f.compiler.compile(request("b"));
    std::vector<std::string> files = entries_in(f.scratch.path("cache"));
    REQUIRE(files.size() == 2u);
    std::string between = f.scratch.path("between");
    fs::rename(files[0], between);
    fs::rename(files[1], files[0]);
    fs::rename(between, files[1]);
    for (const auto& [text, first] : {std::pair("a", &a), std::pair("b", &b)}) {
        auto again = f.compiler.compile(request(text));
        REQUIRE(!again.value().from_cache);
        REQUIRE(again.value().bytes == first->value().bytes);
        REQUIRE(f.compiler.compile(request(text)).value().from_cache);
    }
    REQUIRE(f.cache.statistics().dropped == 2);
}

TEST_CASE("writers that are killed at any moment leave no broken entry") {
    Scratch scratch;
    CacheOptions options{.folder = scratch.path("cache"), .limit = 8 << 20};
    std::mt19937 random(7);
    for (int round = 0; round < 25; ++round) {
        std::vector<pid_t> writers;
        for (int writer = 0; writer < 3; ++writer)
            writers.push_back(in_process([&] {
                Cache cache(options);
                for (int i = 0;; ++i) {
                    int number = (round * 17 + writer * 5 + i) % 60;
                    (void)cache.store(key_for(number), bytes_for(number, 1000 << (number % 9)));
                }
                return 0;
            }));
        std::this_thread::sleep_for(std::chrono::microseconds(2000 + random() % 20000));
        for (pid_t writer : writers)
            kill(writer, SIGKILL);
        for (pid_t writer : writers)
            REQUIRE(exit_code(writer) == 128 + SIGKILL);
    }
    std::vector<std::string> files = entries_in(options.folder);
    REQUIRE(files.size() > 5);
    for (const std::string& file : files)
        REQUIRE(entry_bytes(key_in(file), read_file(file).value()).has_value());
    Cache cache(options);
    int found = 0;
    for (int number = 0; number < 60; ++number)
        if (auto bytes = cache.load(key_for(number))) {
            REQUIRE(*bytes == bytes_for(number, 1000 << (number % 9)));
            ++found;
        }
    REQUIRE(found == static_cast<int>(files.size()));
    REQUIRE(cache.store(key_for(1), "still writable").ok());
}

TEST_CASE("eight processes that want the same compile it once") {
    Fixture f;
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i)
        children.push_back(in_process([&] {
            auto result = f.compiler.compile(request("shared"));
            return result && result.value().bytes.starts_with("code of shared") ? 0 : 1;
        }));
    for (pid_t child : children)
        REQUIRE(exit_code(child) == 0);
    REQUIRE(f.slow.count() == 1u);
}

TEST_CASE("eight threads that want the same compile it once") {
    Fixture f;
    auto results = compile_all(f.compiler, std::vector<CompileRequest>(8, request("shared")), 8);
    for (const auto& result : results)
        REQUIRE(result.value().bytes.starts_with("code of shared"));
    REQUIRE(f.slow.count() == 1u);
}

TEST_CASE("different texts do not wait for each other") {
    Fixture f;
    std::vector<CompileRequest> requests;
    for (int i = 0; i < 8; ++i)
        requests.push_back(request("text " + std::to_string(i)));
    (void)compile_all(f.compiler, requests, 8);
    REQUIRE(f.slow.most_at_once > 1);
    REQUIRE(f.slow.count() == 8u);
}

TEST_CASE("a process that dies while it compiles leaves its turn to others") {
    Fixture f;
    REQUIRE(exit_code(in_process([&] {
                (void)f.compiler.compile(request("deadly"));
                return 0;
            })) == 128 + SIGKILL);
    auto turn = f.cache.lock(key_for(1), nullptr, 1);
    REQUIRE(turn.ok());
    pid_t child = in_process([&] { return f.compiler.compile(request("a")) ? 0 : 1; });
    REQUIRE(exit_code(child) == 0);
}

TEST_CASE("who waits for another process can be cancelled, and does not wait for ever") {
    Fixture f;
    auto held = f.cache.lock(key_for(1), nullptr);
    std::atomic<bool> cancelled{true};
    REQUIRE(f.cache.lock(key_for(1), &cancelled).error().code == "cancelled");
    REQUIRE(f.cache.lock(key_for(1), nullptr, 0.05).error().code == "lock-timeout");
    REQUIRE(f.cache.lock(key_for(2), nullptr, 0.05).ok());
}

TEST_CASE("the limit holds, and what was used least recently goes first") {
    Scratch scratch;
    Cache cache({.folder = scratch.path("cache"), .limit = 1'000'000});
    for (int number = 0; number < 40; ++number) {
        REQUIRE(cache.store(key_for(number), bytes_for(number, 60'000)).ok());
        REQUIRE(cache.load(key_for(0)).has_value());
        REQUIRE(cache.load(key_for(number)).has_value());
        REQUIRE(cache.statistics().bytes <= 1'000'000);
    }
    REQUIRE(!cache.load(key_for(1)).has_value());
    REQUIRE(cache.statistics().entries >= 5);
}

TEST_CASE("an entry larger than the limit is there until the next") {
    Scratch scratch;
    Cache cache({.folder = scratch.path("cache"), .limit = 1000});
    REQUIRE(cache.store(key_for(1), bytes_for(1, 5000)).ok());
    REQUIRE(cache.load(key_for(1)).has_value());
    REQUIRE(cache.store(key_for(2), bytes_for(2, 5000)).ok());
    REQUIRE(!cache.load(key_for(1)).has_value());
}

TEST_CASE("readers get whole entries or none while others are removed") {
    Scratch scratch;
    CacheOptions options{.folder = scratch.path("cache"), .limit = 300'000};
    std::vector<pid_t> children;
    for (int child = 0; child < 4; ++child)
        children.push_back(in_process([&, child] {
            Cache cache(options);
            std::mt19937 random(static_cast<unsigned>(child));
            for (int i = 0; i < 150; ++i) {
                int number = static_cast<int>(random() % 20);
                auto bytes = cache.load(key_for(number));
                if (bytes && *bytes != bytes_for(number, 40'000))
                    return 1;
                if (!bytes && !cache.store(key_for(number), bytes_for(number, 40'000)))
                    return 2;
            }
            return cache.statistics().dropped == 0 ? 0 : 3;
        }));
    for (pid_t child : children)
        REQUIRE(exit_code(child) == 0);
}

TEST_CASE("a full disk costs the entry, not the result") {
    Fixture f;
    pid_t child = in_process([&] {
        signal(SIGXFSZ, SIG_IGN);
        rlimit few{500, 500};
        setrlimit(RLIMIT_FSIZE, &few);
        auto result = f.compiler.compile(request("a"));
        if (!result || result.value().from_cache || !result.value().not_stored)
            return 1;
        return result.value().not_stored->code == "disk-full" ? 0 : 2;
    });
    REQUIRE(exit_code(child) == 0);
    REQUIRE(f.cache.statistics().entries == 0);
    for (const fs::directory_entry& left : fs::recursive_directory_iterator(f.scratch.path("cache")))
        REQUIRE(left.path().extension() != unfinished_ending);
}

TEST_CASE("a folder that cannot be made costs the entry, not the result") {
    Fixture f;
    f.scratch.write("file", "");
    Cache nowhere({.folder = f.scratch.path("file/cache")});
    CachedCompiler compiler(f.slow, nowhere);
    auto result = compiler.compile(request("a"));
    REQUIRE(result.value().not_stored->code == "file-not-written");
    REQUIRE(!compiler.compile(request("a")).value().from_cache);
    REQUIRE(nowhere.statistics().entries == 0);
}

TEST_CASE("without a cache every request is compiled, and nothing is missed") {
    Fixture f;
    Cache none({});
    CachedCompiler compiler(f.slow, none);
    auto result = compiler.compile(request("a"));
    REQUIRE((result.ok() && !result.value().not_stored));
    REQUIRE(result.value().key.size() == 32u);
    REQUIRE(none.clear().ok());
}

TEST_CASE("the environment names folder and limit") {
    auto options = [](std::map<std::string, std::string> variables) {
        return cache_options_in([variables](const char* name) {
            auto found = variables.find(name);
            return found == variables.end() ? std::string() : found->second;
        });
    };
    REQUIRE(options({{"HOME", "/users/u"}}).folder == "/users/u/.cache/hidet-studio");
    REQUIRE(options({{"HOME", "/users/u"}, {"XDG_CACHE_HOME", "/x"}}).folder == "/x/hidet-studio");
    REQUIRE(options({{"HOME", "/users/u"}, {"XDG_CACHE_HOME", "x"}}).folder == "/users/u/.cache/hidet-studio");
    REQUIRE(options({{"HIDET_CACHE_DIR", "/c"}, {"XDG_CACHE_HOME", "/x"}}).folder == "/c");
    REQUIRE(options({}).folder == "");
    REQUIRE(options({}).limit == 1 << 30);
    REQUIRE(options({{"HIDET_CACHE_LIMIT", "500M"}}).limit == 500 << 20);
    REQUIRE(options({{"HIDET_CACHE_LIMIT", "2g"}}).limit == std::int64_t{2} << 30);
    REQUIRE(options({{"HIDET_CACHE_LIMIT", "12345"}}).limit == 12345);
    for (const char* odd : {"many", "-1", "5 MB", ""})
        REQUIRE(options({{"HIDET_CACHE_LIMIT", odd}}).limit == 1 << 30);
    REQUIRE(!Cache({.folder = "/c", .limit = 0}).is_enabled());
}

} // namespace
