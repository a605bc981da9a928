// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/grouping/group_tree.h"

#include <algorithm>
#include <unordered_map>

#include "app/session/model/view/grouping/mixed.h"

namespace hidet::session::grouping {

namespace {

using Reads = std::vector<std::vector<std::uint32_t>>;

constexpr std::size_t kShortest = 3;    // boxes of a block that repeats
constexpr std::size_t kCandidates = 24; // for the length of a block

void boxes_of(const GroupTree& tree, std::uint32_t group, std::vector<std::uint32_t>& boxes) {
    for (const GroupTree::Child& child : tree.groups[group].children)
        if (child.is_group)
            boxes_of(tree, child.index, boxes);
        else
            boxes.push_back(child.index);
}

class Folder {
public:
    Folder(GroupTree& tree, const Reads& reads) : m_tree(tree), m_reads(reads) {}

    void fold() {
        const std::uint32_t count = static_cast<std::uint32_t>(m_tree.groups.size());
        m_hashes.assign(count, 0);
        for (std::uint32_t i = 0; i < count; ++i)
            m_hashes[i] = hash_of(i);
        for (std::uint32_t i = 0; i < count; ++i) {
            fold_groups(i);
            fold_boxes(i);
        }
    }

private:
    // What is in it, and how it hangs together; where it reads from outside counts as that alone.
    std::uint64_t hash_of(std::uint32_t group) const {
        std::vector<std::uint32_t> boxes;
        boxes_of(m_tree, group, boxes);
        std::sort(boxes.begin(), boxes.end());
        std::unordered_map<std::uint32_t, std::uint64_t> places;
        std::uint64_t hash = boxes.size();
        for (std::uint32_t box : boxes) {
            hash = mixed(hash, m_tree.shapes[box]);
            for (std::uint32_t read : m_reads[box]) {
                const auto place = places.find(read);
                hash = mixed(hash, place == places.end() ? UINT64_MAX : place->second);
            }
            places.emplace(box, places.size());
        }
        return hash;
    }

    void fold_groups(std::uint32_t group) {
        for (std::size_t first = 0; first < m_tree.groups[group].children.size(); ++first) {
            const std::vector<GroupTree::Child>& children = m_tree.groups[group].children;
            std::size_t last = first;
            while (last < children.size() && children[last].is_group && children[last].index < m_hashes.size() &&
                   m_hashes[children[last].index] == m_hashes[children[first].index])
                ++last;
            if (last - first < 2)
                continue;
            const GroupTree::Group &one = m_tree.groups[children[first].index],
                                   &other = m_tree.groups[children[last - 1].index];
            const ModelGroup made{BoxGroupKind::Repeat, one.group.name + " to " + other.group.name,
                                  static_cast<std::uint32_t>(last - first), 0};
            m_tree.wrap(group, first, last, made, one.path + " to " + other.path);
        }
    }

    // Boxes in a row: the same box with the same reads, so and so many places further on.
    void fold_boxes(std::uint32_t group) {
        const std::vector<GroupTree::Child>& children = m_tree.groups[group].children;
        std::vector<std::uint64_t> row; // a group ends every stretch
        for (const GroupTree::Child& child : children) {
            std::uint64_t hash = child.is_group ? mixed(1, child.index) : m_tree.shapes[child.index];
            if (!child.is_group)
                for (std::uint32_t read : m_reads[child.index])
                    hash = mixed(hash, child.index - read < 64 ? child.index - read : 64);
            row.push_back(hash);
        }
        const std::size_t period = period_of(row);
        if (period == 0)
            return;
        for (std::size_t first = row.size(); first-- > 0;) {
            // The last place of a stretch in which everything comes again.
            if (first + period >= row.size() || row[first] != row[first + period])
                continue;
            const std::size_t end = first + 1 + period;
            while (first > 0 && row[first - 1] == row[first - 1 + period])
                --first;
            const std::size_t count = (end - first) / period;
            if (count < 2)
                continue;
            wrap_blocks(group, end - count * period, period, count);
            if (first == 0)
                break;
        }
    }
    // The distance at which most boxes come again.
    static std::size_t period_of(const std::vector<std::uint64_t>& row) {
        std::unordered_map<std::uint64_t, std::size_t> last;
        std::vector<std::size_t> votes(row.size() + 1, 0);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto [known, is_new] = last.try_emplace(row[i], i);
            if (is_new)
                continue;
            ++votes[i - known->second];
            known->second = i;
        }
        std::vector<std::size_t> periods;
        for (std::size_t period = kShortest; period < votes.size(); ++period)
            if (votes[period] > 0)
                periods.push_back(period);
        std::stable_sort(periods.begin(), periods.end(),
                         [&](std::size_t a, std::size_t b) { return votes[a] > votes[b]; });
        periods.resize(std::min(periods.size(), kCandidates));
        std::sort(periods.begin(), periods.end());
        // A block holds some boxes twice, so votes fall on its parts too: a longer period must explain more than they do.
        std::size_t best = 0, covered = 0;
        for (std::size_t period : periods) {
            std::size_t same = 0;
            for (std::size_t i = 0; i + period < row.size(); ++i)
                same += row[i] == row[i + period];
            if (same >= period && same > covered + covered / 8) {
                covered = same;
                best = period;
            }
        }
        return 2 * covered > row.size() / 2 ? best : 0;
    }
    void wrap_blocks(std::uint32_t group, std::size_t first, std::size_t period, std::size_t count) {
        const std::string path = m_tree.groups[group].path + "/" + std::to_string(first);
        const ModelGroup made{BoxGroupKind::Repeat, "blocks", static_cast<std::uint32_t>(count), 0};
        const std::uint32_t repeat = m_tree.wrap(group, first, first + count * period, made, path + " blocks");
        for (std::size_t i = 0; i < count; ++i) {
            const ModelGroup block{BoxGroupKind::Block, "block " + std::to_string(i + 1), 1, 0};
            m_tree.wrap(repeat, i, i + period, block, path + " block " + std::to_string(i));
        }
    }

    GroupTree& m_tree;
    const Reads& m_reads;
    std::vector<std::uint64_t> m_hashes; // of groups that were there at the start
};

class Splitter {
public:
    Splitter(GroupTree& tree, const Reads& reads, std::uint32_t most) : m_tree(tree), m_reads(reads), m_most(most) {}

    void split() {
        for (std::uint32_t i = 0; i < m_tree.groups.size(); ++i) // grows meanwhile
            while (m_tree.groups[i].children.size() > m_most)
                split_group(i);
    }

private:
    void split_group(std::uint32_t group) {
        const std::size_t count = m_tree.groups[group].children.size();
        const std::vector<std::uint32_t> open = passing(group);
        // Parts of one size, but a third of it earlier or later if fewer values pass there.
        const std::size_t parts = std::min<std::size_t>((count + m_most / 2 - 1) / (m_most / 2), m_most);
        const std::size_t size = (count + parts - 1) / parts, slack = size / 3;
        std::vector<std::size_t> cuts{0};
        while (count - cuts.back() > size + slack) {
            std::size_t best = cuts.back() + size;
            for (std::size_t i = best - slack; i <= best + slack && i < count; ++i)
                if (open[i] < open[best])
                    best = i;
            cuts.push_back(best);
        }
        cuts.push_back(count);
        const std::string path = m_tree.groups[group].path;
        const std::size_t made = cuts.size() - 1;
        for (std::size_t i = made; i-- > 0;) {
            const ModelGroup part{BoxGroupKind::Part, "part " + std::to_string(i + 1) + " of " + std::to_string(made),
                                  1, 0};
            m_tree.wrap(group, cuts[i], cuts[i + 1], part, path + "#" + std::to_string(m_count++));
        }
    }
    // Values that pass between each child and the one before.
    std::vector<std::uint32_t> passing(std::uint32_t group) const {
        const std::vector<GroupTree::Child>& children = m_tree.groups[group].children;
        std::unordered_map<std::uint32_t, std::size_t> child_of;
        for (std::size_t i = 0; i < children.size(); ++i) {
            std::vector<std::uint32_t> boxes{children[i].index};
            if (children[i].is_group) {
                boxes.clear();
                boxes_of(m_tree, children[i].index, boxes);
            }
            for (std::uint32_t box : boxes)
                child_of[box] = i;
        }
        std::vector<std::size_t> last(children.size(), 0); // child that reads what each one makes
        for (const auto& [box, reader] : child_of)
            for (std::uint32_t read : m_reads[box])
                if (const auto maker = child_of.find(read); maker != child_of.end())
                    last[maker->second] = std::max(last[maker->second], reader);
        std::vector<std::int64_t> change(children.size() + 2, 0);
        for (std::size_t i = 0; i < children.size(); ++i)
            if (last[i] > i) {
                ++change[i + 1];
                --change[last[i] + 1];
            }
        std::vector<std::uint32_t> open(children.size() + 1, 0);
        std::int64_t now = 0;
        for (std::size_t i = 0; i < open.size(); ++i)
            open[i] = static_cast<std::uint32_t>(now += change[i]);
        return open;
    }

    GroupTree& m_tree;
    const Reads& m_reads;
    const std::uint32_t m_most;
    std::uint32_t m_count = 0;
};

} // namespace

std::uint32_t GroupTree::wrap(std::uint32_t group, std::size_t first, std::size_t last, ModelGroup made,
                              std::string path) {
    const std::uint32_t id = static_cast<std::uint32_t>(groups.size());
    groups.push_back({std::move(made), std::move(path), {}});
    std::vector<Child>& children = groups[group].children;
    const auto begin = children.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = children.begin() + static_cast<std::ptrdiff_t>(last);
    groups[id].children.assign(begin, end);
    *begin = {true, id};
    children.erase(begin + 1, end);
    return id;
}

void fold_repeats(GroupTree& tree, const Reads& reads) {
    Folder(tree, reads).fold();
}

void split_large(GroupTree& tree, const Reads& reads, std::uint32_t most) {
    if (most >= 4)
        Splitter(tree, reads, most).split();
}

} // namespace hidet::session::grouping
