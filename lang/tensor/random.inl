// SPDX-License-Identifier: Apache-2.0
// The class Random of random.h: its functions. This text is included in namespaces that have such a class: by random.cpp, and by
// the runtime of packages, which links nothing of this folder. What includes it has included <bit> and <cmath>.

void Random::reseed(std::uint64_t seed) {
    for (std::uint64_t& word : m_state) { // splitmix64
        seed += 0x9E3779B97F4A7C15ull;
        std::uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        word = z ^ (z >> 31);
    }
    m_has_spare = false;
}

std::uint64_t Random::next() {
    std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
    std::uint64_t t = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= t;
    m_state[3] = std::rotl(m_state[3], 45);
    return result;
}

double Random::uniform() {
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() {
    if (m_has_spare) {
        m_has_spare = false;
        return m_spare;
    }
    double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    double angle = 2.0 * 3.14159265358979323846 * uniform();
    m_spare = radius * std::sin(angle);
    m_has_spare = true;
    return radius * std::cos(angle);
}
