// SPDX-License-Identifier: Apache-2.0
#include "lang/base/files.h"

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include <doctest/doctest.h>

namespace hidet {

namespace fs = std::filesystem;

namespace {

struct Folder {
    Folder() {
        std::string name = (fs::temp_directory_path() / "hidet-files-XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
    std::string at(const char* name) const { return (path / name).string(); }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
    fs::path path;
};

} // namespace

TEST_CASE("a file is read as it was written") {
    Folder folder;
    REQUIRE(replace_file(folder.at("a"), std::string("one\0two", 7)).ok());
    CHECK(read_file(folder.at("a")).value() == std::string("one\0two", 7));
    REQUIRE(replace_file(folder.at("a"), "").ok());
    CHECK(read_file(folder.at("a")).value().empty());
    CHECK(folder.entries() == 1);
}

TEST_CASE("a FIFO, a device and a folder are refused at once") {
    Folder folder;
    REQUIRE(::mkfifo(folder.at("fifo").c_str(), 0600) == 0);
    for (const std::string& path : {folder.at("fifo"), std::string("/dev/zero"), folder.path.string()}) {
        const Result<std::string> read = read_file(path);
        REQUIRE_FALSE(read.ok());
        CHECK(read.error().code == "file-unreadable");
    }
    CHECK(read_file(folder.at("nothing")).error().code == "file-not-found");
}

TEST_CASE("what is larger than the limit is not read") {
    Folder folder;
    REQUIRE(replace_file(folder.at("a"), "12345").ok());
    CHECK(read_file(folder.at("a"), 4).error().code == "file-too-large");
    CHECK(read_file(folder.at("a"), 5).ok());
}

TEST_CASE("a replacement that is not committed leaves the old file, and nothing beside it") {
    Folder folder;
    REQUIRE(replace_file(folder.at("a"), "old").ok());
    {
        Result<FileReplacement> file = FileReplacement::begin(folder.at("a"));
        REQUIRE(file.ok());
        FileReplacement kept = std::move(file).value();
        REQUIRE(kept.write("new").ok());
    }
    CHECK(read_file(folder.at("a")).value() == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a file that cannot be written to its end leaves the old one") {
    Folder folder;
    REQUIRE(replace_file(folder.at("a"), "old").ok());
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit small{1000, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const Result<void> written = replace_file(folder.at("a"), std::string(5000, 'x'));
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().code == "disk-full");
    CHECK(read_file(folder.at("a")).value() == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a link stays a link, and rights stay") {
    Folder folder;
    REQUIRE(replace_file(folder.at("a"), "old").ok());
    REQUIRE(::chmod(folder.at("a").c_str(), 0640) == 0);
    fs::create_symlink("a", folder.at("link"));
    REQUIRE(replace_file(folder.at("link"), "new").ok());
    CHECK(fs::is_symlink(folder.at("link")));
    CHECK(read_file(folder.at("a")).value() == "new");
    struct stat facts {};
    REQUIRE(::stat(folder.at("a").c_str(), &facts) == 0);
    CHECK((facts.st_mode & 07777) == 0640);
}

TEST_CASE("a process with a door opens and stores by it alone") {
    struct Door final : FileDoor {
        Result<int> open_input(const std::string& path) override {
            return ::open(path == "asked" ? there.c_str() : "", O_RDONLY);
        }
        Result<void> store(const std::string& path, int content) override {
            char bytes[16] = "";
            const ssize_t count = ::pread(content, bytes, sizeof bytes, 0);
            stored = path + ":" + std::string(bytes, static_cast<std::size_t>(count));
            return {};
        }
        Result<void> make_folders(const std::string& path) override {
            made = path;
            return {};
        }
        std::string there, stored, made;
    };
    Folder folder;
    REQUIRE(replace_file(folder.at("a"), "inside").ok());
    Door door;
    door.there = folder.at("a");
    set_file_door(&door);
    const Result<std::string> read = read_file("asked");
    const Result<void> written = replace_file(folder.at("b"), "bytes");
    CHECK(make_folders(folder.at("new")).ok());
    set_file_door(nullptr);
    REQUIRE(read.ok());
    CHECK(read.value() == "inside");
    CHECK(written.ok());
    CHECK(door.stored == folder.at("b") + ":bytes");
    CHECK(door.made == folder.at("new"));
    CHECK(folder.entries() == 1);
}

} // namespace hidet
