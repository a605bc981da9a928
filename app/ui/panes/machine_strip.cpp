// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/machine_strip.h"

#include <algorithm>

#include <QPainter>
#include <QPainterPath>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "lang/base/lines.h"
#include "lang/base/text.h"

namespace hidet::ui {

namespace {

constexpr int strip_gap = 8;
constexpr int arrow_width = 24, river_width = 48, mark_width = 16, share_width = 40;
constexpr int lane_step = 4; // between arrows that run beside each other
constexpr int most_lanes = 4;
constexpr qsizetype most_texts = 4'000;

QFont smaller(const CodeView& view) {
    QFont font = view.themes().codeFont();
    font.setPointSizeF(view.themes().smallFont().pointSizeF());
    return font;
}

QString barriersText(const std::vector<int>& barriers) {
    return numbersOf(barriers).join(MachineStrip::tr(" and "));
}

// With places for the setter, its line, and the cycles between.
QString arrowText(const session::MachineArrow& arrow) {
    if (arrow.barrier >= 6)
        return MachineStrip::tr("Products of the warp group: %1 in line %2, %3 cycles before");
    return (arrow.for_operands ? MachineStrip::tr("Barrier %4: %1 in line %2, %3 cycles before, has read its operands")
                               : MachineStrip::tr("Barrier %4: the result of %1 in line %2, %3 cycles before"))
        .replace("%4", QString::number(arrow.barrier));
}

} // namespace

MachineStrip::MachineStrip(CodeView& view, QWidget* parent) : LineStrip(view, "pane.machine", parent) {
    setAccessibleName(tr("How instructions are scheduled"));
    connect(&view.themes(), &ThemeSource::changed, this, &MachineStrip::measure);
    measure();
    hide();
}

// Filters leave lines out and shorten others: a line that is shown is the next one of the listing that has its text.
void MachineStrip::show(std::shared_ptr<const session::MachineSnapshot> machine, const session::TextSnapshot* whole,
                        const session::TextSnapshot* shown) {
    m_lines.clear();
    m_shownLines.clear();
    m_machine = whole && shown ? std::move(machine) : nullptr;
    setVisible(isShown());
    if (!isShown())
        return;
    const std::vector<std::string_view> all = split_lines(whole->text), some = split_lines(shown->text);
    m_shownLines.reserve(static_cast<qsizetype>(some.size()));
    m_lines.reserve(static_cast<qsizetype>(some.size()));
    const bool isFiltered = whole != shown;
    std::size_t next = 0;
    for (std::size_t line = 0; line < some.size(); ++line) {
        const std::string_view text = trimmed(some[line]);
        if (text.empty())
            continue;
        if (!isFiltered)
            next = line;
        while (next < all.size() && isFiltered && all[next].find(text) == std::string::npos)
            ++next;
        if (next < all.size())
            m_shownLines.insert(static_cast<int>(++next), static_cast<int>(line));
    }
    for (const session::MachineFunction& function : m_machine->functions)
        for (const session::MachineInstruction& instruction : function.instructions)
            if (const auto line = m_shownLines.constFind(instruction.line); line != m_shownLines.cend()) {
                const auto index = static_cast<std::size_t>(instruction.line - 1);
                const bool known = index < whole->controls.size();
                m_lines.insert(*line,
                               {&instruction, &function, nullptr,
                                known ? QString::fromStdString(whole->controls[index]).trimmed() : QString(), 0});
            }
    joinProfile();
    fit();
    update();
}

void MachineStrip::setProfile(std::shared_ptr<const session::ProfileResult> profile) {
    m_profile = std::move(profile);
    joinProfile();
    fit();
    update();
}

void MachineStrip::joinProfile() {
    m_isCounted = false;
    for (Line& line : m_lines) {
        line.counted = nullptr;
        line.share = 0;
    }
    if (!m_profile || !m_machine)
        return;
    for (const session::ProfiledKernel& kernel : m_profile->kernels)
        for (const session::MachineFunction& function : m_machine->functions) {
            if (function.name != kernel.name || function.instructions.size() != kernel.instructions.size())
                continue;
            for (std::size_t i = 0; i < function.instructions.size(); ++i) {
                const auto shown = m_shownLines.constFind(function.instructions[i].line);
                const auto line = shown == m_shownLines.cend() ? m_lines.end() : m_lines.find(*shown);
                if (line == m_lines.end())
                    continue;
                line->counted = &kernel.instructions[i];
                line->share =
                    kernel.samples ? static_cast<double>(kernel.instructions[i].samples) / double(kernel.samples) : 0;
                m_isCounted = true;
            }
        }
}

void MachineStrip::measure() {
    m_font = smaller(view());
    const QFontMetrics metrics(m_font);
    m_controlWidth = metrics.horizontalAdvance(QString(24, '0'));
    m_numberWidth = metrics.horizontalAdvance("000");
    m_texts.clear();
    fit();
}

void MachineStrip::fit() {
    setFixedWidth(strip_gap + m_controlWidth + (m_isCounted ? share_width + strip_gap : 0) + m_numberWidth +
                  strip_gap / 2 + river_width + mark_width + arrow_width);
}

void MachineStrip::drawText(QPainter& painter, const QRect& room, Qt::Alignment side, const QString& text) {
    if (text.isEmpty())
        return;
    if (m_texts.size() > most_texts)
        m_texts.clear();
    auto found = m_texts.find(text);
    if (found == m_texts.end()) {
        QStaticText laidOut(text);
        laidOut.setTextFormat(Qt::PlainText);
        laidOut.prepare({}, m_font);
        found = m_texts.insert(text, laidOut);
    }
    const QSizeF size = found->size();
    const double left = side == Qt::AlignLeft    ? room.left()
                        : side == Qt::AlignRight ? room.right() + 1 - size.width()
                                                 : room.left() + (room.width() - size.width()) / 2;
    painter.drawStaticText(QPointF(left, room.top() + (room.height() - size.height()) / 2), *found);
}

const MachineStrip::Line* MachineStrip::at(int line) const {
    const auto found = m_lines.constFind(line);
    return found == m_lines.cend() ? nullptr : &*found;
}

void MachineStrip::setActive(int line) {
    if (line == m_active)
        return;
    m_active = line;
    setAccessibleDescription(hintOf(line));
    update();
}

std::vector<MachineStrip::Arrow> MachineStrip::arrows() const {
    std::vector<Arrow> out;
    const Line* active = at(m_active);
    if (!active)
        return out;
    const int line = active->instruction->line;
    for (const session::MachineArrow& arrow : active->function->arrows) {
        const bool isOf = arrow.waiter == line || (arrow.setter == line && arrow.is_first);
        const auto waiter = m_shownLines.constFind(arrow.waiter), setter = m_shownLines.constFind(arrow.setter);
        if (isOf && waiter != m_shownLines.cend() && setter != m_shownLines.cend())
            out.push_back({*waiter, *setter, arrow.barrier});
    }
    return out;
}

void MachineStrip::paintRow(QPainter& painter, int line, const QRect& row) {
    const Line* found = at(line);
    if (!found)
        return;
    const Theme& theme = view().themes().theme();
    const session::MachineInstruction& instruction = *found->instruction;
    const bool isPeak = found->function->peak_line == instruction.line;
    if (line == m_active)
        painter.fillRect(row, theme.currentLine);
    painter.setFont(m_font);
    int x = strip_gap;
    painter.setPen(instruction.waits.empty() ? theme.muted : theme.text);
    drawText(painter, QRect(x, row.top(), m_controlWidth, row.height()), Qt::AlignLeft, found->control);
    x += m_controlWidth;
    if (m_isCounted) {
        const int width = static_cast<int>(share_width * std::min(1.0, found->share));
        painter.fillRect(QRect(x, row.top() + 2, width, row.height() - 4), theme.series[1]);
        painter.setPen(theme.text);
        if (found->share >= 0.005)
            drawText(painter, QRect(x, row.top(), share_width, row.height()), Qt::AlignRight,
                     percentNumber(found->share));
        x += share_width + strip_gap;
    }
    painter.setPen(isPeak ? theme.warning : theme.muted);
    drawText(painter, QRect(x, row.top(), m_numberWidth, row.height()), Qt::AlignRight,
             QString::number(instruction.registers));
    x += m_numberWidth + strip_gap / 2;
    QColor water = isPeak ? theme.warning : theme.accent;
    water.setAlpha(isPeak ? 255 : 110);
    const double most = std::max(1, found->function->most_registers);
    painter.fillRect(QRectF(x, row.top(), river_width * instruction.registers / most, row.height()), water);
    x += river_width;
    if (instruction.spilled_bytes || instruction.converts) {
        painter.setPen(instruction.spilled_bytes ? theme.error : theme.muted);
        drawText(painter, QRect(x, row.top(), mark_width, row.height()), Qt::AlignHCenter,
                 instruction.spilled_bytes ? "S" : "c");
    }
}

void MachineStrip::paintArrow(QPainter& painter, const Arrow& arrow, int lane) const {
    const auto middle = [&](int line) { return std::clamp(rowOf(line).center().y(), -4, height() + 4); };
    const int from = middle(arrow.setter), to = middle(arrow.waiter);
    const int right = width() - 2, x = width() - arrow_width + 4 + lane * lane_step;
    QPainterPath path(QPointF(right, from));
    path.lineTo(x, from);
    path.lineTo(x, to);
    path.lineTo(right, to);
    painter.drawPath(path);
    painter.drawLine(QPointF(right, to), QPointF(right - 4, to - 3));
    painter.drawLine(QPointF(right, to), QPointF(right - 4, to + 3));
    painter.drawEllipse(QPointF(right - 2, from), 1.5, 1.5);
}

void MachineStrip::paintOver(QPainter& painter) {
    const Theme& theme = view().themes().theme();
    painter.setPen(theme.line);
    painter.drawLine(width() - 1, 0, width() - 1, height());
    painter.setRenderHint(QPainter::Antialiasing);
    int lane = 0;
    for (const Arrow& arrow : arrows()) {
        painter.setPen(QPen(
            theme.readable(theme.series[static_cast<std::size_t>(arrow.barrier) % theme.series.size()], theme.panel),
            1.5));
        paintArrow(painter, arrow, lane);
        lane = (lane + 1) % most_lanes;
    }
}

QStringList MachineStrip::sentences(int line) const {
    QStringList out;
    const Line* found = at(line);
    if (!found)
        return out;
    const session::MachineInstruction& instruction = *found->instruction;
    out << (instruction.yields ? tr("Cycles until its warp goes on: %1; another one may, meanwhile")
                               : tr("Cycles until its warp goes on: %1"))
               .arg(instruction.stall);
    if (instruction.sets_for_result >= 0)
        out << tr("Sets barrier %1 until its result is there").arg(instruction.sets_for_result);
    if (instruction.sets_for_operands >= 0)
        out << tr("Sets barrier %1 until its operands are read").arg(instruction.sets_for_operands);
    if (!instruction.waits.empty())
        out << tr("Waits for barrier %1").arg(barriersText(instruction.waits));
    for (const session::MachineArrow& arrow : found->function->arrows)
        if (arrow.waiter == instruction.line)
            out << arrowText(arrow)
                       .arg(QString::fromStdString(arrow.setter_name))
                       .arg(m_shownLines.value(arrow.setter, arrow.setter - 1) + 1)
                       .arg(arrow.cycles);
    out << (found->function->peak_line == instruction.line ? tr("Live registers: %1, the most of this kernel")
                                                           : tr("Live registers: %1"))
               .arg(instruction.registers);
    if (instruction.spilled_bytes)
        out << tr("Spilled by each thread: %1 B").arg(instruction.spilled_bytes);
    if (instruction.converts)
        out << tr("Converts a type");
    if (const session::ProfiledInstruction* counted = found->counted) {
        out << tr("Counted: executed by %1 warps, %2 % of the samples")
                   .arg(counted->executed)
                   .arg(percentNumber(found->share));
        if (!counted->stalls.empty())
            out << tr("Most often: %1").arg(QString::fromStdString(counted->stalls.front().reason));
        for (const auto& [traffic, what] :
             {std::pair(counted->sectors, tr("sectors")), std::pair(counted->wavefronts, tr("wavefronts"))})
            if (traffic.count)
                out << tr("%1 %2, ideal %3").arg(traffic.count).arg(what).arg(traffic.least);
    }
    return out;
}

QString MachineStrip::hintOf(int line) const {
    return sentences(line).join('\n');
}

QString MachineStrip::htmlOf(int line) const {
    QString out;
    for (const QString& sentence : sentences(line))
        out += (out.isEmpty() ? QString() : QString("<br>")) + sentence.toHtmlEscaped();
    return out;
}

} // namespace hidet::ui
