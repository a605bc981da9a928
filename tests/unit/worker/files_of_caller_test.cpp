// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/files_of_caller.h"

#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/toolchain/files.h"

using namespace hidet;
using namespace hidet::session;

namespace {

// Both ends, as if a line was between them: a thread answers what is asked.
struct Line {
    Line() : folder(toolchain::TemporaryFolder::make().value()) {
        RunRequest request;
        request.source.folder = at("script");
        request.output = at("out");
        CHECK(make_folders(at("script")).ok());
        here.begin(request);
    }
    std::string at(const std::string& name) const { return cat(folder->path(), "/", name); }
    void answer(const Ask& ask) {
        asked.push_back(cat(static_cast<int>(ask.what), "+", ask.from));
        std::thread([this, ask] { there.hear(here.answer(ask)); }).detach();
    }
    Result<std::string> read(const std::string& path) {
        HIDET_TRY(const int file, there.open_input(path));
        return InputFile(file).start(20 << 20, path);
    }
    Result<void> write(const std::string& path, const std::string& bytes) {
        const std::string draft = at("draft");
        CHECK(replace_file(draft, bytes).ok());
        const InputFile file = InputFile::open(draft).value();
        return there.store(path, file.descriptor());
    }

    struct None final : FileDoor {
        Result<int> open_input(const std::string& path) override { return Error{"own", path}; }
        Result<void> store(const std::string& path, int) override { return Error{"own", path}; }
        Result<void> make_folders(const std::string& path) override { return Error{"own", path}; }
    };
    std::unique_ptr<toolchain::TemporaryFolder> folder;
    std::vector<std::string> asked;
    FilesForWorker here;
    None own;
    CallerFiles there{own, {"/own/"}, [this](const Ask& ask) { answer(ask); }};
};

} // namespace

TEST_CASE("a file of several pieces arrives whole, and an empty one too") {
    Line line;
    const std::string large = std::string(9 << 20, 'x') + "end", even = std::string(4 << 20, 'y');
    for (const auto& [name, text] :
         {std::pair<std::string, std::string>{"script/large", large}, {"script/even", even}, {"script/none", ""}}) {
        REQUIRE(replace_file(line.at(name), text).ok());
        const Result<std::string> read = line.read(line.at(name));
        REQUIRE(read.ok());
        CHECK(read.value() == text);
    }
    char first = 0;
    const InputFile file(line.there.open_input(line.at("script/large")).value());
    CHECK(::read(file.descriptor(), &first, 1) == 1); // it begins at its beginning
    line.asked.resize(6);
    CHECK(join(line.asked, " ") == "0+0 0+4194304 0+8388608 0+0 0+4194304 0+0");
}

TEST_CASE("a file that is stored there is here when it is whole") {
    Line line;
    const std::string text = std::string(5 << 20, 'z') + "end";
    REQUIRE(line.there.make_folders(line.at("out/deep")).ok());
    REQUIRE(line.write(line.at("out/deep/a"), text).ok());
    CHECK(read_file(line.at("out/deep/a")).value() == text);
}

TEST_CASE("what a job is not about is neither read, nor written, nor seen") {
    Line line;
    REQUIRE(replace_file(line.at("secret"), "password").ok());
    REQUIRE(::symlink(line.at("secret").c_str(), line.at("script/link").c_str()) == 0);
    for (const char* name : {"secret", "script/../secret", "script/link"}) {
        CHECK(line.read(line.at(name)).error().code == "file-unreadable");
        CHECK(line.there.look(line.at(name)).kind == FilePlace::Kind::Missing);
        CHECK(line.write(line.at(name), "gone").error().code == "file-unreadable");
    }
    CHECK(line.write(line.at("script/new"), "no").error().code == "file-unreadable");
    CHECK(line.there.make_folders(line.at("new")).error().code == "file-unreadable");
    CHECK(read_file(line.at("secret")).value() == "password");
}

TEST_CASE("the files of the job before are nobody's any more") {
    Line line;
    REQUIRE(replace_file(line.at("script/a"), "text").ok());
    CHECK(line.read(line.at("script/a")).ok());
    line.here.begin(FactsRequest{});
    CHECK(line.read(line.at("script/a")).error().code == "file-unreadable");
}

TEST_CASE("who does a job sees what lies at a path here, and its own files where they are") {
    Line line;
    REQUIRE(replace_file(line.at("script/a"), "text").ok());
    CHECK(line.there.look(line.at("script/a")).kind == FilePlace::Kind::File);
    CHECK(line.there.look(line.at("script")).kind == FilePlace::Kind::Folder);
    CHECK(line.there.look(line.at("script/b")).kind == FilePlace::Kind::Missing);
    CHECK(line.read("/own/records").error().code == "own");
    CHECK(line.read(line.at("script/b")).error().code == "file-not-found");
}
