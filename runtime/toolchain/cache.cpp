// SPDX-License-Identifier: Apache-2.0
// The folder: ab/cdef... are entries, new/ holds files that are being written, `locks` has no content: byte N of it is the
// lock of the keys that hash to N, so locks need no files of their own that somebody would have to remove. `size` is the
// sum of all entries; who was killed between storing and counting makes it a little wrong, until the next full count.
#include "runtime/toolchain/cache.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/toolchain/cache_entry.h"
#include "runtime/toolchain/files.h"
#include "runtime/toolchain/user_folder.h"

namespace hidet::toolchain {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t prefix_length = 2;
constexpr std::size_t key_length = 32;
// After eviction there is room for a while.
constexpr double evicted_to = 0.9;
constexpr auto oldest_unfinished = std::chrono::hours(1);
constexpr off_t size_lock = 0;
constexpr double seconds_to_count = 2;

struct Entry {
    std::string path;
    std::int64_t bytes = 0;
    timespec used{};
};

bool used_before(const Entry& a, const Entry& b) {
    if (a.used.tv_sec != b.used.tv_sec)
        return a.used.tv_sec < b.used.tv_sec;
    if (a.used.tv_nsec != b.used.tv_nsec)
        return a.used.tv_nsec < b.used.tv_nsec;
    return a.path < b.path;
}

bool is_hexadecimal(const std::string& text, std::size_t length) {
    return text.size() == length && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::vector<Entry> entries_below(const std::string& root) {
    std::vector<Entry> entries;
    std::error_code failed;
    for (const fs::directory_entry& folder : fs::directory_iterator(root, failed)) {
        if (!is_hexadecimal(folder.path().filename(), prefix_length))
            continue;
        std::error_code ignored;
        for (const fs::directory_entry& file : fs::directory_iterator(folder.path(), ignored)) {
            struct stat status {};
            if (is_hexadecimal(file.path().filename(), key_length - prefix_length) &&
                stat(file.path().c_str(), &status) == 0)
                entries.push_back({file.path(), status.st_size, status.st_mtim});
        }
    }
    return entries;
}

std::int64_t sum_of(const std::vector<Entry>& entries) {
    std::int64_t sum = 0;
    for (const Entry& entry : entries)
        sum += entry.bytes;
    return sum;
}

// What writers that were killed left behind.
void remove_unfinished(const std::string& root, std::chrono::seconds age) {
    std::error_code failed;
    const auto oldest = fs::file_time_type::clock::now() - age;
    for (const fs::directory_entry& folder : fs::directory_iterator(root, failed)) {
        std::error_code ignored;
        for (const fs::directory_entry& file : fs::directory_iterator(folder.path(), ignored))
            if (auto time = file.last_write_time(ignored);
                file.path().extension() == unfinished_ending && !ignored && time <= oldest)
                fs::remove(file.path(), ignored);
    }
}

Result<void> make_folders(const std::string& path) {
    std::error_code failed;
    fs::create_directories(path, failed);
    if (failed)
        return write_error(path, failed.value());
    return {};
}

// 1: locked, 0: somebody else has it, -1: there are no locks here.
int try_lock(int file, off_t byte) {
    struct flock request {};
    request.l_type = F_WRLCK;
    request.l_whence = SEEK_SET;
    request.l_start = byte;
    request.l_len = 1;
    if (fcntl(file, F_OFD_SETLK, &request) == 0)
        return 1;
    return errno == EAGAIN || errno == EACCES || errno == EINTR ? 0 : -1;
}

// 1 as soon as nobody else has the lock; 0: not in time.
int wait_for_lock(int file, off_t byte, double seconds, const std::atomic<bool>* cancelled) {
    auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    for (auto pause = std::chrono::microseconds(100);; pause = std::min(pause * 2, std::chrono::microseconds(5000))) {
        int answer = try_lock(file, byte);
        bool is_over = Clock::now() >= deadline || (cancelled && cancelled->load(std::memory_order_relaxed));
        if (answer != 0 || is_over)
            return answer;
        std::this_thread::sleep_for(pause);
    }
}

// Keys lie above the byte that guards `size`.
off_t byte_of(const std::string& key) {
    std::uint64_t number = 0;
    std::from_chars(key.data(), key.data() + std::min<std::size_t>(key.size(), 15), number, 16);
    return static_cast<off_t>(number) + 1;
}

std::int64_t read_size(const std::string& path) {
    auto text = read_file(path);
    std::int64_t size = 0;
    if (!text ||
        std::from_chars(text.value().data(), text.value().data() + text.value().size(), size).ec != std::errc())
        return -1;
    return size;
}

// A line for the place, one for the numbers, one for the problem.
std::string text_of(const SharedCounts& counts) {
    return cat(counts.place, "\n", counts.hits, " ", counts.misses, " ", counts.ignored, " ", counts.stored, "\n",
               counts.problem, "\n");
}

SharedCounts read_counts(const std::string& path) {
    const Result<std::string> text = read_file(path);
    const std::vector<std::string> lines = text ? split(text.value(), '\n') : std::vector<std::string>();
    if (lines.size() < 3)
        return {};
    SharedCounts counts;
    counts.place = lines[0];
    counts.problem = lines[2];
    const std::vector<std::string> numbers = split(lines[1], ' ');
    std::int64_t* const into[] = {&counts.hits, &counts.misses, &counts.ignored, &counts.stored};
    for (std::size_t i = 0; i < std::min(numbers.size(), std::size(into)); ++i)
        std::from_chars(numbers[i].data(), numbers[i].data() + numbers[i].size(), *into[i]);
    return counts;
}

// Of fixed length, so that a shorter number leaves nothing of a longer one.
void write_size(const std::string& path, std::int64_t size) {
    int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    std::string text = std::to_string(size);
    text.append(20 - std::min<std::size_t>(text.size(), 19), ' ').push_back('\n');
    (void)!pwrite(file, text.data(), text.size(), 0);
    close(file);
}

// Returns what is left.
std::int64_t evict(std::vector<Entry> entries, std::int64_t limit, const std::string& kept) {
    std::int64_t size = sum_of(entries);
    if (size <= limit)
        return size;
    std::ranges::sort(entries, used_before);
    auto goal = static_cast<std::int64_t>(static_cast<double>(limit) * evicted_to);
    for (const Entry& entry : entries) {
        if (size <= goal)
            break;
        // Who reads it has it open, and reads it to its end.
        if (entry.path != kept && unlink(entry.path.c_str()) == 0)
            size -= entry.bytes;
    }
    return size;
}

// "500M"
std::int64_t parse_size(const std::string& text, std::int64_t otherwise) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    auto [rest, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc() || number < 0 || end - rest > 1)
        return otherwise;
    int shift = 0;
    if (rest != end) {
        switch (*rest) {
        case 'k':
        case 'K': shift = 10; break;
        case 'm':
        case 'M': shift = 20; break;
        case 'g':
        case 'G': shift = 30; break;
        default: return otherwise;
        }
    }
    return number > (INT64_MAX >> shift) ? INT64_MAX : number << shift;
}

} // namespace

CacheOptions cache_options_in(const Variables& variables) {
    CacheOptions options;
    options.limit = parse_size(variables("HIDET_CACHE_LIMIT"), options.limit);
    if (std::string folder = variables("HIDET_CACHE_DIR"); !folder.empty())
        options.folder = folder;
    else if (const std::string base = user_folder(variables, "XDG_CACHE_HOME", ".cache"); !base.empty())
        options.folder = base + "/hidet-studio";
    options.shared = shared_options_in(variables);
    return options;
}

CacheOptions default_cache_options() {
    return cache_options_in(environment_variables());
}

CacheLock::~CacheLock() {
    close(m_file); // which releases the lock
}

Cache::Cache(CacheOptions options)
    : m_options(std::move(options)), m_root(m_options.folder.empty() ? "" : m_options.folder + "/compiled-2") {
    if (m_options.shared.place.empty())
        return;
    Result<std::unique_ptr<SharedCache>> shared = SharedCache::open(m_options.shared);
    if (shared)
        m_shared = std::move(shared).value();
    else
        m_shared_problem = shared.error().message;
}

std::string Cache::path_of(const std::string& key) const {
    HIDET_CHECK(is_hexadecimal(key, key_length));
    return cat(m_root, "/", key.substr(0, prefix_length), "/", key.substr(prefix_length));
}

std::optional<std::string> Cache::load(const std::string& key) {
    if (!is_enabled())
        return std::nullopt;
    std::string path = path_of(key);
    auto file = read_file(path);
    if (!file)
        return std::nullopt;
    auto bytes = entry_bytes(key, std::move(file).value());
    if (!bytes) {
        unlink(path.c_str());
        ++m_dropped;
        return std::nullopt;
    }
    ++m_hits;
    timespec now[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
    utimensat(AT_FDCWD, path.c_str(), now, 0); // used now
    return bytes;
}

Result<void> Cache::write_entry(const std::string& key, std::string_view bytes) {
    const std::string path = path_of(key);
    HIDET_TRY_TO(make_folders(fs::path(path).parent_path()));
    HIDET_TRY(FileReplacement file, FileReplacement::begin(path));
    Result<void> written = file.write(entry_head(key, bytes));
    if (written)
        written = file.write(bytes);
    return written ? file.commit() : written;
}

Result<void> Cache::store(const std::string& key, std::string_view bytes) {
    if (!is_enabled())
        return Error{"file-not-written", "there is no cache"};
    share(key, bytes);
    return keep(key, bytes);
}

Result<void> Cache::keep(const std::string& key, std::string_view bytes) {
    HIDET_TRY_TO(write_entry(key, bytes));
    count_stored(key, static_cast<std::int64_t>(bytes.size() + entry_head(key, {}).size()));
    return {};
}

std::optional<std::string> Cache::fetch(const std::string& key) {
    if (!is_enabled() || !m_shared)
        return std::nullopt;
    Result<std::optional<std::string>> found = m_shared->load(key);
    SharedCounts seen;
    if (!found)
        seen.problem = found.error().message;
    const bool is_hit = found && found.value(), is_ignored = !found && found.error().code == "foreign-entry";
    ++(is_hit ? seen.hits : is_ignored ? seen.ignored : seen.misses);
    count_shared(seen);
    if (!is_hit)
        return std::nullopt;
    (void)keep(key, *found.value()); // else it is fetched again
    return std::move(found).value();
}

void Cache::share(const std::string& key, std::string_view bytes) {
    if (!m_shared)
        return;
    const Result<bool> stored = m_shared->store(key, bytes);
    SharedCounts seen;
    if (!stored)
        seen.problem = stored.error().message;
    else if (stored.value())
        seen.stored = 1;
    else
        return;
    count_shared(seen);
}

// Best effort, as count_stored().
void Cache::count_shared(const SharedCounts& more) const {
    const std::unique_ptr<CacheLock> counting = lock_counts();
    if (!counting)
        return;
    SharedCounts all = read_counts(shared_counts());
    if (all.place != m_options.shared.place)
        all = {};
    all.place = m_options.shared.place;
    all.hits += more.hits;
    all.misses += more.misses;
    all.ignored += more.ignored;
    all.stored += more.stored;
    if (!more.problem.empty())
        all.problem = more.problem;
    (void)replace_file(shared_counts(), text_of(all));
}

std::unique_ptr<CacheLock> Cache::lock_counts() const {
    auto file = open_locks();
    if (!file)
        return nullptr;
    std::unique_ptr<CacheLock> guard(new CacheLock(file.value()));
    return wait_for_lock(file.value(), size_lock, seconds_to_count, nullptr) > 0 ? std::move(guard) : nullptr;
}

// Best effort: where it fails, somebody else counts.
void Cache::count_stored(const std::string& key, std::int64_t bytes) {
    const std::unique_ptr<CacheLock> counting = lock_counts();
    if (!counting)
        return;
    std::string path = m_root + "/size";
    std::int64_t size = read_size(path);
    if (size >= 0 && size + bytes <= m_options.limit)
        return write_size(path, size + bytes);
    remove_unfinished(m_root, oldest_unfinished);
    write_size(path, evict(entries_below(m_root), m_options.limit, path_of(key)));
}

Result<int> Cache::open_locks() const {
    HIDET_TRY_TO(make_folders(m_root));
    int file = open((m_root + "/locks").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return write_error(m_root + "/locks", errno);
    return file;
}

Result<std::unique_ptr<CacheLock>> Cache::lock(const std::string& key, const std::atomic<bool>* cancelled,
                                               double seconds) {
    if (!is_enabled())
        return Error{"file-not-written", "there is no cache"};
    HIDET_TRY(int file, open_locks());
    std::unique_ptr<CacheLock> guard(new CacheLock(file));
    int answer = wait_for_lock(file, byte_of(key), seconds, cancelled);
    if (answer > 0)
        return guard;
    if (answer < 0)
        return write_error(m_root + "/locks", errno);
    if (cancelled && cancelled->load(std::memory_order_relaxed))
        return Error{"cancelled", "the compilation was cancelled"};
    return Error{"lock-timeout", "another process has been compiling the same text for too long"};
}

CacheStatistics Cache::statistics() const {
    CacheStatistics statistics;
    statistics.folder = m_options.folder;
    statistics.limit = m_options.limit;
    if (is_enabled()) {
        std::vector<Entry> entries = entries_below(m_root);
        statistics.entries = static_cast<std::int64_t>(entries.size());
        statistics.bytes = sum_of(entries);
    }
    statistics.hits = m_hits;
    statistics.dropped = m_dropped;
    if (!m_options.shared.place.empty()) {
        if (SharedCounts counts = read_counts(shared_counts()); counts.place == m_options.shared.place)
            statistics.shared = std::move(counts);
        statistics.shared.place = m_options.shared.place;
        if (!m_shared_problem.empty())
            statistics.shared.problem = m_shared_problem;
    }
    return statistics;
}

Result<CacheStatistics> Cache::clear() {
    CacheStatistics removed;
    removed.folder = m_options.folder;
    removed.limit = m_options.limit;
    if (m_root.empty())
        return removed;
    int failed = 0;
    for (const Entry& entry : entries_below(m_root)) {
        if (unlink(entry.path.c_str()) == 0) {
            ++removed.entries;
            removed.bytes += entry.bytes;
        } else if (errno != ENOENT) {
            failed = errno;
        }
    }
    remove_unfinished(m_root, std::chrono::seconds(0));
    unlink((m_root + "/size").c_str());
    unlink(shared_counts().c_str());
    if (failed != 0)
        return write_error(m_root, failed);
    return removed;
}

} // namespace hidet::toolchain
