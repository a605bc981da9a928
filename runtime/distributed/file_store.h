// SPDX-License-Identifier: Apache-2.0
// A store in a file, for processes of one machine. What an earlier program has left there is forgotten by the first that
// opens it, and the last one that closes it removes it.
#pragma once

#include <map>
#include <memory>

#include "runtime/distributed/store.h"
#include "runtime/process/descriptor.h"

namespace hidet::distributed {

class FileStore : public Store {
public:
    static Result<std::unique_ptr<FileStore>> open(const std::string& path, const Patience& patience);
    ~FileStore() override;

    Result<void> set(const std::string& key, const std::string& value) override;
    Result<std::optional<std::string>> find(const std::string& key) override;
    Result<std::int64_t> add(const std::string& key, std::int64_t amount) override;
    void all_are_here() override;

private:
    FileStore(std::string path, process::Descriptor file, Patience patience);
    Result<void> read_news();
    Result<void> append(const std::string& key, const std::string& value);

    std::string m_path;
    process::Descriptor m_file;
    std::map<std::string, std::string> m_values;
    std::size_t m_read; // bytes: the mark, and whole records only
};

} // namespace hidet::distributed
