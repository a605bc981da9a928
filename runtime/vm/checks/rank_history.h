// SPDX-License-Identifier: Apache-2.0
// What launches of several ranks did to symmetric memory, to find what two of them do to one place in two launches with nothing
// between. The launches of a rank follow each other; those of two ranks are in no order until one hears of the other: by a flag
// that a kernel reads, of this launch or of one before, or where their hosts meet. To have heard of a rank is to be behind all
// that it launched before; what one thread heard counts for its rank, so nothing is found that is in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace hidet::vm {

class RankHistory {
public:
    using Number = std::uint32_t; // of a launch, from 1 on
    explicit RankHistory(int ranks);

    void add_part(const std::byte* begin, std::size_t bytes); // those that are too large are left out
    void meet(std::span<const int> ranks);                    // their hosts

    struct Earlier {
        int rank = -1; // -1: nothing is in the way
        bool writes = false;
        std::string kernel;
    };

    // A launch of one rank, or of all together. Any thread.
    class Launch {
    public:
        Launch(RankHistory& history, std::string kernel);
        // Bytes of a part, by `rank`: what another rank did to one of them in an earlier launch, of which this one has not heard.
        Earlier touch(const std::byte* at, std::size_t count, int rank, bool writes);
        // A flag, by accesses of the system's scope.
        void release(const std::byte* at, int rank);
        void acquire(const std::byte* at, int rank);
        void end(); // what it did counts for those that begin later

    private:
        struct Part {
            std::vector<std::uint64_t> reads, writes; // of each byte: bits of ranks
        };
        RankHistory& m_history;
        const std::string m_kernel;
        const Number m_number;
        std::map<const std::byte*, Part> m_parts;
    };

private:
    struct Access {
        Number launch = 0; // 0: none
        std::uint16_t rank = 0, kernel = 0;
    };
    struct Cell {
        Access read, write;
    };
    struct Place {
        const std::byte* begin = nullptr;
        std::vector<Cell>* cells = nullptr; // null: no part
    };
    Place find(const std::byte* at);
    Number begin_launch();
    Number& met(int rank, int of) { return m_met[static_cast<std::size_t>(rank * m_ranks + of)]; }
    bool is_open(const Access& access, int rank) {
        return access.launch != 0 && access.rank != rank && met(rank, access.rank) < access.launch;
    }

    std::mutex m_mutex;
    const int m_ranks;
    Number m_last = 0;
    std::vector<Number> m_met; // by rank, and of whom: the last launch of him that is over
    std::map<const std::byte*, std::vector<Number>> m_flags; // by rank: likewise, of whoever reads it
    std::map<const std::byte*, std::vector<Cell>> m_parts;
    std::vector<std::string> m_kernels;
};

} // namespace hidet::vm
