// SPDX-License-Identifier: Apache-2.0
// What programs of the system reach that try: the shell's own words are system calls as any.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/confine.h"
#include "runtime/process/run.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using hidet::test::Scratch;

namespace {

process::Confinement programs() {
    process::Confinement out = process::system_confinement();
    out.starts_programs = true;
    return out;
}

process::Outcome run(const std::string& script, process::Confinement confinement) {
    return process::run_to_end({.words = {"/bin/sh", "-c", script}, .confinement = std::move(confinement)}).value();
}

bool keeps_files() {
    return process::protection().landlock > 0;
}

} // namespace

TEST_CASE("a confined program reads the system's files and none of the user's") {
    Scratch scratch;
    REQUIRE(replace_file(scratch.path("secret"), "s3cret").ok());
    if (!keeps_files())
        return;
    CHECK(run("cat /usr/include/stdio.h | head -c 2; ls /usr/bin >/dev/null", programs()).succeeded());
    for (const std::string& path : {scratch.path("secret"), std::string("/etc/passwd"), std::string("/etc/shadow")}) {
        const process::Outcome outcome = run(cat("cat ", path), programs());
        CHECK_MESSAGE(!outcome.succeeded(), path);
        CHECK(outcome.output.empty());
    }
    CHECK_FALSE(
        run(cat("ls ", std::filesystem::path(scratch.path("secret")).parent_path().string()), programs()).succeeded());
}

TEST_CASE("a confined program writes into its folder alone") {
    Scratch scratch;
    if (!keeps_files())
        return;
    std::filesystem::create_directory(scratch.path("own"));
    process::Confinement confinement = programs();
    confinement.writable.push_back(scratch.path("own"));
    CHECK(run(cat("echo 1 > ", scratch.path("own"), "/a; mkdir ", scratch.path("own"), "/b; mv ", scratch.path("own"),
                  "/a ", scratch.path("own"), "/c"),
              confinement)
              .succeeded());
    CHECK(std::filesystem::exists(scratch.path("own") + "/c"));
    run(cat("echo 1 > ", scratch.path("other"), "; mkdir ", scratch.path("folder")), confinement);
    CHECK_FALSE(std::filesystem::exists(scratch.path("other")));
    CHECK_FALSE(std::filesystem::exists(scratch.path("folder")));
}

TEST_CASE("a confined program changes no rights and no times, also of files that it can see") {
    Scratch scratch;
    REQUIRE(replace_file(scratch.path("file"), "x").ok());
    if (!process::protection().filters)
        return;
    CHECK_FALSE(run(cat("chmod 777 ", scratch.path("file")), programs()).succeeded());
    CHECK_FALSE(run(cat("touch -d 2001-01-01 ", scratch.path("file")), programs()).succeeded());
}

TEST_CASE("a confined program has no network and ends no other process") {
    if (!process::protection().filters)
        return;
    const char* python = "import socket\ntry:\n    socket.socket()\nexcept PermissionError:\n    print('refused')\n";
    const process::Outcome outcome = run(cat("/usr/bin/python3 -I -c \"", python, "\""), programs());
    if (outcome.code != 127)
        CHECK(outcome.output == "refused\n");
    if (process::protection().landlock >= 6)
        CHECK_FALSE(run(cat("kill -CONT ", ::getpid()), programs()).succeeded());
}

TEST_CASE("a confined program has the memory that it was given") {
    process::Confinement confinement = programs();
    confinement.memory_bytes = std::uint64_t{256} << 20;
    CHECK_FALSE(run("head -c 1000000000 /dev/zero | tail -c 900000000 | wc -c >/dev/null; exit $((0$PIPESTATUS + 1))",
                    confinement)
                    .succeeded());
    confinement.file_bytes = 1000;
    Scratch scratch;
    confinement.writable.push_back(std::filesystem::path(scratch.path("big")).parent_path());
    run(cat("head -c 5000 /dev/zero > ", scratch.path("big")), confinement);
    CHECK(std::filesystem::file_size(scratch.path("big")) <= 1000);
}

TEST_CASE("who starts no programs starts none") {
    if (!process::protection().filters)
        return;
    process::Confinement confinement = process::system_confinement();
    const Result<process::Outcome> outcome = process::run_to_end({.words = {"/bin/true"}, .confinement = confinement});
    CHECK_FALSE((outcome.ok() && outcome.value().succeeded()));
}
