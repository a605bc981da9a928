// SPDX-License-Identifier: Apache-2.0
// Stores: one file, or one process that serves the others.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>

#include <signal.h>

#include "runtime/distributed/file_store.h"
#include "runtime/distributed/tcp_store.h"
#include "tests/unit/distributed/processes.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::distributed;
using hidet::test::in_processes;
using hidet::test::Scratch;

namespace {

std::string counted(Store& store, int rank) {
    for (int i = 0; i < 100; ++i)
        if (!store.add("count", 1))
            return "add failed";
    if (!store.set("rank/" + std::to_string(rank), std::string("v\0w", 3)))
        return "set failed";
    for (int other = 0; other < 4; ++other)
        if (store.get("rank/" + std::to_string(other)).value() != std::string("v\0w", 3))
            return "another value";
    return std::to_string(store.add("count", 0).value());
}

} // namespace

TEST_CASE("processes count together in a file, and the last one removes it") {
    Scratch scratch;
    const std::string path = scratch.path("store");
    const auto said = in_processes(4, [&](int rank) {
        auto store = FileStore::open(path, 10).value();
        store->add("here", 1).value();
        while (store->add("here", 0).value() < 4) {
        }
        return counted(*store, rank);
    });
    CHECK(said == std::vector<std::string>(4, "400"));
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("what a killed program has left in a file is forgotten") {
    Scratch scratch;
    const std::string path = scratch.path("store");
    const auto said = in_processes(1, [&](int) -> std::string {
        auto store = FileStore::open(path, 10).value();
        if (!store->set("old", "value"))
            return "set failed";
        kill(getpid(), SIGKILL);
        return "";
    });
    CHECK(said[0] == "killed");
    CHECK(std::filesystem::file_size(path) > 0);
    auto store = FileStore::open(path, 0.05).value();
    CHECK_FALSE(store->find("old").value().has_value());
    CHECK(store->get("old").error().message == "nobody has set 'old' in the store within 0.05 s");
}

TEST_CASE("a file that is no store is refused, and stays as it is") {
    Scratch scratch;
    const std::string path = scratch.path("thesis"), link = scratch.path("link");
    std::ofstream(path) << "a year of work";
    std::filesystem::create_symlink(path, link);
    CHECK(FileStore::open(path, 10).error().message == "the file " + path + " is no store: it is left as it is");
    CHECK_FALSE(FileStore::open(link, 10));
    CHECK(std::filesystem::file_size(path) == 14);
}

TEST_CASE("a file whose processes are all here has no name, and is no other file's end") {
    Scratch scratch;
    const std::string path = scratch.path("store");
    auto store = FileStore::open(path, 10).value();
    store->all_are_here();
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(store->add("count", 2).value() == 2);
    auto other = FileStore::open(path, 10).value();
    CHECK(other->add("count", 5).value() == 5);
    store.reset();
    CHECK(std::filesystem::exists(path));
    other.reset();
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("processes count together by TCP") {
    auto server = TcpStore::serve({}, 10).value();
    const auto said = in_processes(4, [&](int rank) {
        return counted(*TcpStore::connect({"127.0.0.1", server->port()}, 10).value(), rank);
    });
    for (const std::string& each : said)
        CHECK(each.ends_with("00"));
    CHECK(server->add("count", 0).value() == 400);
    CHECK(server->add("rank/0", 1).error().message == "'rank/0' is no number in the store: nothing can be added to it");
}

TEST_CASE("a store whose server has ended says so") {
    auto server = TcpStore::serve({}, 10).value();
    const int port = server->port();
    auto client = TcpStore::connect({"127.0.0.1", port}, 10).value();
    server.reset();
    CHECK(client->find("key").error().message.find("does not answer") != std::string::npos);
    CHECK(TcpStore::connect({"127.0.0.1", port}, 0.05).error().message.find("nobody serves") == 0);
}
