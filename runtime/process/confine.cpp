// SPDX-License-Identifier: Apache-2.0
// Two mechanisms, each for what the other cannot see. Landlock refuses files by where they lie; a filter of system calls refuses
// what needs no file: programs, networks, other processes, rights and times of files, the doors of the kernel that only
// administrators use. The filter names what is refused, not what is allowed: compilers and drivers use much of the rest,
// and a list of it would be wrong on the next machine. Capabilities go as well, as root is what CI and containers run as.
#include "runtime/process/confine.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/process/descriptor.h"

namespace hidet::process {

namespace {

// Of the kernel's interface; the system's header may be older than its kernel.
namespace landlock {

struct Attributes {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scopes = 0;
};
constexpr std::uint64_t execute = 1, write_file = 1 << 1, read_file = 1 << 2, read_folder = 1 << 3;
constexpr std::uint64_t first_version = (1 << 13) - 1;
constexpr std::uint64_t refer = 1 << 13;    // since 2
constexpr std::uint64_t truncate = 1 << 14; // since 3
constexpr std::uint64_t control = 1 << 15;  // of devices; since 5
constexpr std::uint64_t network = 3;        // bind and connect of TCP; since 4
constexpr std::uint64_t scopes = 3;         // abstract sockets and signals; since 6

int version() {
    const long number = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return number < 0 ? 0 : static_cast<int>(number);
}

std::uint64_t handled(int version) {
    return first_version | (version >= 2 ? refer : 0) | (version >= 3 ? truncate : 0) | (version >= 5 ? control : 0);
}

// A file that is no folder takes fewer rights.
void allow(int rules, const std::string& path, std::uint64_t rights) {
    Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat facts {};
    if (!place.is_open() || ::fstat(place.get(), &facts) != 0)
        return;
    if (!S_ISDIR(facts.st_mode))
        rights &= execute | write_file | read_file | truncate | control;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights;
    rule.parent_fd = place.get();
    (void)::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

void restrict_this_thread(const Confinement& confinement, int version) {
    const std::uint64_t all = handled(version);
    const Attributes attributes{all, version >= 4 ? network : 0, version >= 6 ? scopes : 0};
    const std::size_t size = version >= 6   ? sizeof attributes
                             : version >= 4 ? offsetof(Attributes, scopes)
                                            : offsetof(Attributes, network);
    Descriptor rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
    if (!rules.is_open())
        return;
    const std::uint64_t read = read_file | read_folder;
    for (const std::string& path : confinement.readable)
        allow(rules.get(), path, read & all);
    for (const std::string& path : confinement.runnable)
        allow(rules.get(), path, (read | execute) & all);
    for (const std::string& path : confinement.writable)
        allow(rules.get(), path, all & ~(execute | control));
    for (const std::string& path : confinement.devices)
        allow(rules.get(), path, (read | write_file | truncate | control) & all);
    (void)::syscall(SYS_landlock_restrict_self, rules.get(), 0);
}

} // namespace landlock

#if defined(__x86_64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t this_architecture = 0;
#endif

// Numbers that have no name in older headers are the same on all architectures.
constexpr int call_fchmodat2 = 452, call_setxattrat = 463, call_removexattrat = 466, call_file_setattr = 469;

// Nobody who is confined has a use for these.
const std::initializer_list<int> refused_to_all = {
    SYS_connect,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_perf_event_open,
    SYS_bpf,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_fsopen,
    SYS_fsmount,
    SYS_open_tree,
    SYS_move_mount,
    SYS_mount_setattr,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_shmget,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_fanotify_init,
    SYS_syslog,
    SYS_vhangup,
    // What Landlock does not look at: rights, owners, times and attributes of files.
    SYS_fchmod,
    SYS_fchmodat,
    call_fchmodat2,
    SYS_fchown,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_utimensat,
    call_setxattrat,
    call_removexattrat,
    call_file_setattr,
#if defined(__x86_64__)
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};
// Nor those that start no programs for these; threads are made by clone(), with flags that say so.
const std::initializer_list<int> refused_to_the_lonely = {
    SYS_execve,
    SYS_execveat,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
#endif
};

class Filter {
public:
    explicit Filter(const Confinement& confinement) {
        constexpr std::uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
        load(offsetof(seccomp_data, arch));
        add({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, this_architecture});
        give(refuse);
        load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
        add({BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x40000000}); // the calls of x32, with numbers of their own
        give(refuse);
#endif
        for (const int call : refused_to_all)
            give_for(call, refuse);
        if (confinement.listens_locally)
            only_if(SYS_socket, [&] {
                load(offsetof(seccomp_data, args[0]));
                add({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AF_UNIX});
                give(refuse);
                load(offsetof(seccomp_data, args[1]));
                add({BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xf}); // without its flags
                add({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SOCK_SEQPACKET});
                give(refuse);
                give(SECCOMP_RET_ALLOW);
            });
        else
            give_for(SYS_socket, refuse);
        if (!confinement.starts_programs) {
            for (const int call : refused_to_the_lonely)
                give_for(call, refuse);
            give_for(SYS_clone3,
                     SECCOMP_RET_ERRNO | ENOSYS); // its flags cannot be seen; the C library goes on with clone()
            only_if(SYS_clone, [&] {
                load(offsetof(seccomp_data, args[0]));
                add({BPF_JMP | BPF_JSET | BPF_K, 1, 0, CLONE_THREAD});
                give(refuse);
                give(SECCOMP_RET_ALLOW);
            });
            for (const int call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
                only_if(call, [&] {
                    load(offsetof(seccomp_data, args[0]));
                    add({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, static_cast<std::uint32_t>(::getpid())});
                    give(refuse);
                    give(SECCOMP_RET_ALLOW);
                });
            give_for(SYS_tkill, refuse);
        }
        give(SECCOMP_RET_ALLOW);
    }
    bool install() {
        sock_fprog program{static_cast<unsigned short>(m_code.size()), m_code.data()};
        return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    }

private:
    void add(sock_filter code) {
        m_code.push_back(code);
    }
    void load(std::size_t at) {
        add({BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(at)});
    }
    void give(std::uint32_t answer) {
        add({BPF_RET | BPF_K, 0, 0, answer});
    }
    void give_for(int call, std::uint32_t answer) {
        add({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<std::uint32_t>(call)});
        give(answer);
    }
    // The body ends in answers.
    template <class Body>
    void only_if(int call, const Body& body) {
        const std::size_t jump = m_code.size();
        add({BPF_JMP | BPF_JEQ | BPF_K, 0, 0, static_cast<std::uint32_t>(call)});
        body();
        m_code[jump].jf = static_cast<unsigned char>(m_code.size() - jump - 1);
    }

    std::vector<sock_filter> m_code;
};

// A program that root starts would have all of them again, but for the first line.
void drop_capabilities() {
    (void)::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    (void)::syscall(SYS_capset, &header, none);
}

void limit(__rlimit_resource resource, rlim_t most) {
    rlimit now{};
    if (::getrlimit(resource, &now) != 0)
        return;
    most = std::min(most, now.rlim_max);
    const rlimit wanted{most, most};
    (void)::setrlimit(resource, &wanted);
}

} // namespace

Confinement system_confinement() {
    Confinement out;
    out.runnable = {"/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin"};
    out.readable = {"/etc/ld.so.cache",
                    "/etc/ld.so.preload",
                    "/proc/self",
                    "/proc/cpuinfo",
                    "/proc/meminfo",
                    "/proc/stat",
                    "/proc/sys/vm/overcommit_memory",
                    "/sys/devices/system",
                    "/sys/fs/cgroup",
                    "/dev/urandom",
                    "/dev/random",
                    "/dev/zero"};
    out.devices = {"/dev/null"};
    return out;
}

Protection protection() {
    Protection out;
    const char* wanted = std::getenv(sandbox_variable);
    if (wanted && std::string_view(wanted) == "off")
        return out;
    out.landlock = landlock::version();
    std::uint32_t action = SECCOMP_RET_ERRNO;
    out.filters = this_architecture != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
    return out;
}

std::string text_of(const Protection& protection) {
    std::vector<std::string> parts;
    if (protection.landlock > 0)
        parts.push_back(cat("files by Landlock ", protection.landlock));
    if (protection.filters)
        parts.push_back("system calls by seccomp");
    parts.push_back("limits of memory and time");
    return join(parts, ", ");
}

void limit_addresses([[maybe_unused]] std::uint64_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) // its shadow is larger than any limit
    if (bytes > 0)
        limit(RLIMIT_AS, bytes);
#endif
}

void limit_process(const Confinement& confinement) {
    limit(RLIMIT_CORE, 0);
    limit_addresses(confinement.memory_bytes);
    if (confinement.file_bytes > 0)
        limit(RLIMIT_FSIZE, confinement.file_bytes);
    if (confinement.cpu_seconds > 0)
        limit(RLIMIT_CPU, static_cast<rlim_t>(confinement.cpu_seconds));
}

void confine_this_thread(const Confinement& confinement) {
    const Protection offered = protection();
    if (offered.landlock == 0 && !offered.filters)
        return;
    drop_capabilities(); // the bits that keep them away need one of them
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    if (offered.landlock > 0)
        landlock::restrict_this_thread(confinement, offered.landlock);
    if (offered.filters)
        (void)Filter(confinement).install();
}

} // namespace hidet::process
