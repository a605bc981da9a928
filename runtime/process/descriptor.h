// SPDX-License-Identifier: Apache-2.0
// File descriptors with an owner. None of them is 0, 1 or 2, where a program that we start has its own, and none survives
// exec.
#pragma once

#include <utility>

namespace hidet::process {

class Descriptor {
public:
    explicit Descriptor(int number = -1) : m_number(number) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        reset(std::exchange(other.m_number, -1));
        return *this;
    }
    int get() const { return m_number; } // -1: none
    bool is_open() const { return m_number >= 0; }
    void reset(int number) {
        close();
        m_number = number;
    }
    void close();
    int release() { return std::exchange(m_number, -1); } // the caller closes it

private:
    int m_number;
};

// The same file under a number above those of the standard streams.
Descriptor above_standard_streams(Descriptor file);
void stop_blocking(const Descriptor& file);

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
    bool open(); // false: errno says why
};

} // namespace hidet::process
