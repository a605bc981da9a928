// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/taken_file.h"

#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "lang/base/files.h"
#include "runtime/toolchain/user_folder.h"

namespace hidet::session {

namespace {

constexpr std::size_t most_bytes = 1 << 16;
constexpr std::size_t most_waiting = assist::TakenNames::most;

class TakenLock {
public:
    explicit TakenLock(const std::string& path)
        : m_file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600)) {
        m_is_held = m_file >= 0 && ::flock(m_file, LOCK_EX | LOCK_NB) == 0;
    }
    ~TakenLock() {
        if (m_file >= 0)
            ::close(m_file); // and unlocks
    }
    TakenLock(const TakenLock&) = delete;
    TakenLock& operator=(const TakenLock&) = delete;
    bool is_held() const { return m_is_held; }

private:
    const int m_file;
    bool m_is_held = false;
};

} // namespace

std::string user_state_folder() {
    const std::string base =
        toolchain::user_folder(toolchain::environment_variables(), "XDG_STATE_HOME", ".local/state");
    return base.empty() ? "" : base + "/hidet-studio";
}

assist::TakenNames TakenFile::read() const {
    const Result<InputFile> file = InputFile::open(m_path);
    const Result<std::string> text = file ? file.value().start(most_bytes, m_path) : file.error();
    return assist::TakenNames::of(text ? text.value() : "");
}

void TakenFile::add(const std::string& name) {
    if (m_path.empty())
        return;
    m_waiting.push_back(name);
    if (m_waiting.size() > most_waiting)
        m_waiting.erase(m_waiting.begin());
    if (write())
        m_waiting.clear();
}

bool TakenFile::write() const {
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(m_path).parent_path(), failed);
    const TakenLock lock(m_path + ".lock");
    if (!lock.is_held())
        return false;
    assist::TakenNames names = read();
    for (const std::string& name : m_waiting)
        names.take(name);
    return replace_file(m_path, names.text()).ok();
}

} // namespace hidet::session
