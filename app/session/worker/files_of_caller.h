// SPDX-License-Identifier: Apache-2.0
// Files that lie where a job was asked for, while it is done on another machine: both ends of a door between them, whose messages
// are Ask and Told. A file comes whole before it is read, so that it is the same one from its first byte to its last.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "app/session/worker/file_rights.h"
#include "app/session/worker/messages.h"
#include "lang/base/files.h"

namespace hidet::session {

// In the worker, for any of its threads.
class CallerFiles final : public FileDoor {
public:
    // What begins like one of `own_places` lies here, behind the door `own`.
    CallerFiles(FileDoor& own, std::vector<std::string> own_places, std::function<void(const Ask&)> ask)
        : m_own(own), m_own_places(std::move(own_places)), m_ask(std::move(ask)) {}

    Result<int> open_input(const std::string& path) override;
    Result<void> store(const std::string& path, int content) override;
    Result<void> make_folders(const std::string& path) override;
    FilePlace look(const std::string& path);
    void hear(Told told); // from the thread that reads

private:
    bool is_own(const std::string& path) const;
    std::uint64_t next_number();
    Told answer_to(const Ask& ask); // waits for it

    FileDoor& m_own;
    const std::vector<std::string> m_own_places;
    const std::function<void(const Ask&)> m_ask;
    std::mutex m_mutex; // of what follows
    std::condition_variable m_told;
    std::uint64_t m_last = 0;
    std::map<std::uint64_t, Told> m_answers; // nobody has taken yet
};

// Where the job was asked for. Whatever the other side wants, it gets what its jobs are about.
class FilesForWorker {
public:
    void begin(const JobRequest& request); // from now on the files of this job, and of no other
    Told answer(const Ask& ask);

private:
    Told open(const Ask& ask);
    Told store(const Ask& ask);

    FileRights m_rights;
    std::map<std::uint64_t, InputFile> m_read;
    std::map<std::uint64_t, FileReplacement> m_written;
};

} // namespace hidet::session
