// SPDX-License-Identifier: Apache-2.0
// Confinement: what a process that handles a stranger's text may touch. Compilers see the system's libraries and a folder of
// their own, compiled code sees no file at all; neither has a network. The kernel enforces it from then on, for the thread
// that asked and for all that it starts: nothing in that process can take it back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hidet::process {

struct Confinement {
    // Files, and folders with all below; those that are not there are passed over.
    std::vector<std::string> readable = {};
    std::vector<std::string> runnable = {}; // read, and started where programs may be
    std::vector<std::string> writable = {}; // folders: files below are made, changed and removed
    std::vector<std::string> devices = {};  // read, written, controlled
    bool starts_programs = false;
    bool listens_locally = false;   // makes sockets that others may connect to, of the kind that NVIDIA's driver uses
    std::uint64_t memory_bytes = 0; // of addresses; 0: as many as now
    std::uint64_t file_bytes = 0;   // the longest file it may write; 0: as long as now
    double cpu_seconds = 0;         // of processor time; 0: no limit
};

// The system's own libraries and programs: what any program needs to start.
Confinement system_confinement();

// "off" leaves processes as they are, but for limits: for compilers that need more than confinement lets them have, such as those
// that work over a network.
inline constexpr const char* sandbox_variable = "HIDET_SANDBOX";

// What the kernel offers for it, unless it is off.
struct Protection {
    int landlock = 0;     // the version of its interface; 0: files cannot be kept from a process
    bool filters = false; // system calls can be refused: programs, networks, other processes
};
Protection protection();
// "files by Landlock 7, system calls by seccomp, limits of memory and time": for people.
std::string text_of(const Protection& protection);

// For good, with what the kernel offers. Limits of memory and time are the whole process's; see limit_process(). Neither keeps memory that it took.
void confine_this_thread(const Confinement& confinement);
void limit_process(const Confinement& confinement);
void limit_addresses(
    std::uint64_t bytes); // of this process; 0: they stay as they are, as in a build with AddressSanitizer

} // namespace hidet::process
