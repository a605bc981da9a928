// SPDX-License-Identifier: Apache-2.0
// The GPUs of a program that runs once for each.

//> peers
// Which of them this one is, and how far from its own symmetric memory that of each lies. Whoever loads the module sets it.
struct Peers {
    int rank;
    int count;
    long long distance[16];
};
extern "C" __constant__ Peers hidet_peers = {0, 1, {}};

//> peer_address: peers
// Where the GPU of that rank has what lies at an address of symmetric memory here.
template <class T>
inline __device__ T* peer_address(T* address, int rank) {
    return (T*)((char*)address + hidet_peers.distance[rank]);
}
