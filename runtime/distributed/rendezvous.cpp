// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/rendezvous.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/distributed/file_store.h"
#include "runtime/distributed/tcp_store.h"

namespace hidet::distributed {

namespace {

constexpr int most_processes = 1024;
constexpr int most_port = 65535;

std::optional<int> number_in(std::string_view text, int least, int most) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    return is_number && number >= least && number <= most ? std::optional(number) : std::nullopt;
}

Result<int> number_of(const Variable& variable, const char* name, int least, int most) {
    const std::optional<std::string> text = variable(name);
    if (!text)
        return Error{"environment",
                     cat(name, " is not set: torchrun sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT")};
    if (const std::optional<int> number = number_in(*text, least, most))
        return *number;
    return Error{"environment", cat(name, " is '", *text, "', and no number from ", least, " to ", most)};
}

Result<std::unique_ptr<Store>> of_file(const std::string& path, const Patience& patience) {
    HIDET_TRY(std::unique_ptr<FileStore> store, FileStore::open(path, patience));
    return std::unique_ptr<Store>(std::move(store));
}

Result<std::unique_ptr<Store>> of_address(const TcpAddress& address, const Membership& member,
                                          const Patience& patience) {
    HIDET_TRY(std::unique_ptr<TcpStore> store,
              member.rank == 0 ? TcpStore::serve(address, patience) : TcpStore::connect(address, patience));
    return std::unique_ptr<Store>(std::move(store));
}

// Of one process, which needs no others to find it.
class OwnStore final : public Store {
public:
    using Store::Store;
    Result<void> set(const std::string& key, const std::string& value) override {
        m_values[key] = value;
        return {};
    }
    Result<std::optional<std::string>> find(const std::string& key) override {
        const auto found = m_values.find(key);
        return found == m_values.end() ? std::nullopt : std::optional(found->second);
    }
    Result<std::int64_t> add(const std::string& key, std::int64_t amount) override {
        HIDET_TRY(const std::optional<std::string> before, find(key));
        HIDET_TRY(const std::int64_t sum, added(key, before, amount));
        m_values[key] = cat(sum);
        return sum;
    }

private:
    std::map<std::string, std::string> m_values;
};

Result<std::unique_ptr<Store>> of_environment(const Membership& member, const Patience& patience,
                                              const Variable& variable) {
    if (member.size == 1)
        return std::unique_ptr<Store>(std::make_unique<OwnStore>(patience));
    HIDET_TRY(const int port, number_of(variable, "MASTER_PORT", 1, most_port));
    // torchrun itself serves a store of PyTorch's at the port then, and a restart has another number.
    if (variable("TORCHELASTIC_USE_AGENT_STORE") == "True") {
        const std::string name =
            cat("hidet-", getuid(), "-", port, "-", variable("TORCHELASTIC_RESTART_COUNT").value_or("0"));
        return of_file((std::filesystem::temp_directory_path() / name).string(), patience);
    }
    return of_address({variable("MASTER_ADDR").value_or("127.0.0.1"), port}, member, patience);
}

} // namespace

std::optional<std::string> variable_of_process(const char* name) {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
}

Result<std::optional<Membership>> membership_of(const Variable& variable) {
    if (!variable("RANK") && !variable("WORLD_SIZE"))
        return std::optional<Membership>();
    Membership out;
    HIDET_TRY(out.size, number_of(variable, "WORLD_SIZE", 1, most_processes));
    HIDET_TRY(out.rank, number_of(variable, "RANK", 0, out.size - 1));
    out.local_rank = out.rank;
    if (variable("LOCAL_RANK")) {
        HIDET_TRY(out.local_rank, number_of(variable, "LOCAL_RANK", 0, out.size - 1));
    }
    return std::optional(out);
}

Result<std::unique_ptr<Store>> open_store(const std::string& method, const Membership& member, const Patience& patience,
                                          const Variable& variable) {
    constexpr std::string_view file = "file://", tcp = "tcp://";
    if (method.empty() || method == "env://")
        return of_environment(member, patience, variable);
    if (method.starts_with(file))
        return of_file(method.substr(file.size()), patience);
    const std::size_t colon = method.rfind(':');
    if (method.starts_with(tcp) && colon >= tcp.size())
        if (const std::optional<int> port = number_in(std::string_view(method).substr(colon + 1), 1, most_port))
            return of_address({method.substr(tcp.size(), colon - tcp.size()), *port}, member, patience);
    return Error{"environment",
                 cat("there is no init_method '", method, "': it is env://, file:///path or tcp://host:port")};
}

} // namespace hidet::distributed
