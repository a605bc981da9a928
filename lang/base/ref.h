// SPDX-License-Identifier: Apache-2.0
// Ref<T>: an intrusive, atomically counted handle to an immutable object.
//
// Intrusive, because a rewriter that is handed `const For&` must be able to return "this same node". Atomic, because
// compilations on several threads share nodes (types, layouts, cached modules). Destruction is iterative: a chain of a
// million nodes is freed by a loop, not by a recursion that would overflow the stack.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace hidet {

class RefCounted {
public:
    RefCounted() = default;
    RefCounted(const RefCounted&) noexcept {} // a copy is a new object, which nobody holds yet
    RefCounted& operator=(const RefCounted&) noexcept { return *this; }
    virtual ~RefCounted() = default;
    // For the few objects that every thread uses all the time (the scalar types): nobody counts them any more, so their
    // cache line is only ever read. Call it before the object is shared.
    void make_immortal() const noexcept { m_count.store(immortal, std::memory_order_relaxed); }

private:
    template <class T>
    friend class Ref;
    static constexpr std::uint32_t immortal = 0x80000000u;
    [[gnu::always_inline]] void retain() const noexcept {
        if (m_count.load(std::memory_order_relaxed) < immortal)
            m_count.fetch_add(1, std::memory_order_relaxed);
    }
    [[gnu::always_inline]] void release() const noexcept {
        if (m_count.load(std::memory_order_relaxed) >= immortal)
            return;
        if (m_count.fetch_sub(1, std::memory_order_acq_rel) == 1)
            destroy_later(this);
    }
    static void destroy_later(const RefCounted* object) noexcept;

    mutable std::atomic<std::uint32_t> m_count{0};
    mutable const RefCounted* m_next_dead = nullptr;
};

template <class T>
class Ref {
public:
    Ref() = default;
    Ref(std::nullptr_t) {}
    explicit Ref(T* object) : m_object(object) {
        if (m_object)
            m_object->RefCounted::retain();
    }
    Ref(const Ref& other) : Ref(other.m_object) {}
    Ref(Ref&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
    template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
    Ref(const Ref<U>& other) : Ref(static_cast<T*>(other.get())) {}
    template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
    Ref(Ref<U>&& other) noexcept : m_object(other.detach()) {}
    ~Ref() { reset(); }
    Ref& operator=(const Ref& other) {
        Ref copy(other);
        std::swap(m_object, copy.m_object);
        return *this;
    }
    Ref& operator=(Ref&& other) noexcept {
        Ref moved(std::move(other));
        std::swap(m_object, moved.m_object);
        return *this;
    }

    T* get() const { return m_object; }
    T& operator*() const { return *m_object; }
    T* operator->() const { return m_object; }
    explicit operator bool() const { return m_object != nullptr; }
    void reset() {
        if (T* object = std::exchange(m_object, nullptr))
            object->RefCounted::release();
    }
    T* detach() noexcept { return std::exchange(m_object, nullptr); }
    // Identity, not structure: structural_equal() compares meaning.
    friend bool operator==(const Ref& a, const Ref& b) { return a.m_object == b.m_object; }
    friend bool operator==(const Ref& a, std::nullptr_t) { return a.m_object == nullptr; }

private:
    T* m_object = nullptr;
};

template <class T, class... Args>
Ref<const T> make_ref(Args&&... args) {
    return Ref<const T>(new T(std::forward<Args>(args)...));
}

} // namespace hidet

template <class T>
struct std::hash<hidet::Ref<T>> {
    std::size_t operator()(const hidet::Ref<T>& ref) const noexcept { return std::hash<const void*>{}(ref.get()); }
};
