// SPDX-License-Identifier: Apache-2.0
// What the environment of a process says of its group.
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <string>

#include "runtime/distributed/rendezvous.h"
#include "tests/unit/distributed/processes.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::distributed;
using hidet::test::in_processes;
using hidet::test::Scratch;

namespace {

Variable variables(std::map<std::string, std::string> values) {
    return [values](const char* name) {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

} // namespace

TEST_CASE("a process that nobody has started as one of several is alone") {
    CHECK_FALSE(membership_of(variables({})).value().has_value());
}

TEST_CASE("the environment says which process this is") {
    const auto member = membership_of(variables({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}})).value();
    CHECK(member->rank == 5);
    CHECK(member->size == 8);
    CHECK(member->local_rank == 1);
}

TEST_CASE("an environment that makes no sense is refused by the variable's name") {
    const auto why = [](std::map<std::string, std::string> values) {
        return membership_of(variables(std::move(values))).error().message;
    };
    CHECK(why({{"RANK", "0"}}).starts_with("WORLD_SIZE is not set"));
    CHECK(why({{"RANK", "2"}, {"WORLD_SIZE", "2"}}) == "RANK is '2', and no number from 0 to 1");
    CHECK(why({{"RANK", "0"}, {"WORLD_SIZE", "2x"}}).starts_with("WORLD_SIZE is '2x'"));
    CHECK(open_store("env://", {0, 2}, 1, variables({})).error().message.starts_with("MASTER_PORT is not set"));
    CHECK(open_store("mpi://", {}, 1, variables({})).error().message.starts_with("there is no init_method 'mpi://'"));
}

TEST_CASE("a process that is alone needs no address") {
    auto store = open_store("", {}, 1, variables({})).value();
    CHECK(store->add("count", 2).value() == 2);
    CHECK(store->find("count").value() == "2");
    CHECK_FALSE(store->find("other").value().has_value());
}

TEST_CASE("processes find each other by a file that an address names, and it is gone behind them") {
    Scratch scratch;
    const std::string path = scratch.path("store");
    const auto said = in_processes(2, [&](int rank) {
        auto store = open_store("file://" + path, {rank, 2, rank}, 10, variables({})).value();
        if (!store->set(std::to_string(rank), "here"))
            return std::string("set failed");
        const std::string other = store->get(std::to_string(1 - rank)).value();
        store->add("done", 1).value();
        while (store->add("done", 0).value() < 2) {
        }
        return other;
    });
    CHECK(said == std::vector<std::string>(2, "here"));
    CHECK_FALSE(std::filesystem::exists(path));
}
