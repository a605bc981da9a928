// SPDX-License-Identifier: Apache-2.0
#include "runtime/process/passing.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace hidet::process {

namespace {

// One byte, which files travel beside.
struct Parcel {
    char byte = 0;
    iovec bytes{&byte, 1};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    Parcel() {
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        message.msg_control = room;
        message.msg_controllen = sizeof room;
    }
};

} // namespace

bool SocketPair::open() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    ours = above_standard_streams(Descriptor(ends[0]));
    theirs = above_standard_streams(Descriptor(ends[1]));
    return ours.is_open() && theirs.is_open();
}

bool pass(int socket, int file) {
    Parcel parcel;
    cmsghdr* head = CMSG_FIRSTHDR(&parcel.message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(head), &file, sizeof file);
    ssize_t sent = 0;
    while ((sent = ::sendmsg(socket, &parcel.message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return sent == 1;
}

Descriptor take_passed(int socket) {
    Parcel parcel;
    ssize_t count = 0;
    while ((count = ::recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    const cmsghdr* head = count == 1 ? CMSG_FIRSTHDR(&parcel.message) : nullptr;
    if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len < CMSG_LEN(sizeof(int)))
        return Descriptor();
    int file = -1;
    std::memcpy(&file, CMSG_DATA(head), sizeof file);
    return above_standard_streams(Descriptor(file));
}

} // namespace hidet::process
