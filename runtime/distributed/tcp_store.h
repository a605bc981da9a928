// SPDX-License-Identifier: Apache-2.0
// A store that one process serves to the others by TCP.
#pragma once

#include <memory>
#include <string>

#include "runtime/distributed/store.h"
#include "runtime/process/descriptor.h"

namespace hidet::distributed {

struct TcpAddress {
    std::string host = "127.0.0.1";
    int port = 0; // 0, for who serves: any that is free
};

class TcpServer;

class TcpStore : public Store {
public:
    // Who serves listens at the address and nowhere else; the others try until somebody does.
    static Result<std::unique_ptr<TcpStore>> serve(TcpAddress address, const Patience& patience);
    static Result<std::unique_ptr<TcpStore>> connect(const TcpAddress& address, const Patience& patience);
    ~TcpStore() override;

    int port() const { return m_address.port; }
    Result<void> set(const std::string& key, const std::string& value) override;
    Result<std::optional<std::string>> find(const std::string& key) override;
    Result<std::int64_t> add(const std::string& key, std::int64_t amount) override;

private:
    TcpStore(TcpAddress address, Patience patience);
    struct Answer {
        bool is_value = false;
        std::string text;
    };
    Result<Answer> ask(char what, const std::string& key, const std::string& value);
    Error lost() const;

    TcpAddress m_address;
    process::Descriptor m_connection;
    std::unique_ptr<TcpServer> m_server; // of who serves
};

} // namespace hidet::distributed
