// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/stage_chooser.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QWheelEvent>

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

// A dot for a pass that changed the module; nothing, of the same size, for one that did not.
QIcon changeMark(const QColor& color, bool changed) {
    QPixmap pixmap(32, 32);
    pixmap.fill(Qt::transparent);
    if (changed) {
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(color);
        painter.setPen(Qt::NoPen);
        painter.drawEllipse(QRectF(10, 10, 12, 12));
    }
    return QIcon(pixmap);
}

} // namespace

StageRows generatedRows() {
    StageRows out{{{}, tr("Generated")}};
    for (const StageName& stage : generatedStages())
        out << StageRow{stage, titleOf(stage)};
    return out;
}

StageRows passRows(const std::vector<session::PassSnapshot>& passes, StageTitle title,
                   const std::function<bool(const session::PassSnapshot&)>& isWanted) {
    StageRows out{{{}, tr("IR after a pass")}};
    for (const session::PassSnapshot& pass : passes) {
        if (pass.number == 0 || !isWanted(pass))
            continue;
        StageRow row;
        row.stage = nameOfPass(passes, pass.number);
        const QString number = QString::number(pass.number).rightJustified(2, QChar(0x2007)); // as wide as a digit
        row.text = number + "  " + text(pass.name);
        row.tip = sentence(pass.summary);
        row.spoken = pass.changed ? tr("%1, changed").arg(title(row.stage)) : tr("%1, unchanged").arg(title(row.stage));
        row.isChanged = pass.changed;
        out << row;
    }
    return out.size() > 1 ? out : StageRows();
}

StageChooser::StageChooser(ThemeSource& themes, QWidget* parent) : QComboBox(parent), m_themes(themes) {
    setAccessibleName(tr("Stage"));
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToContentsOnFirstShow);
    setMaxVisibleItems(40);
    connect(this, &QComboBox::activated, this, [this](int row) {
        const StageName stage = StageName::ofKey(itemData(row).toString());
        if (!stage.isEmpty())
            emit chosen(stage);
    });
}

void StageChooser::setSource(std::function<StageRows()> rows, StageTitle title) {
    m_rows = std::move(rows);
    m_title = title;
}

// Asked at each key: the window is laid out again where a geometry may be another one.
void StageChooser::setStage(const StageName& stage) {
    if (stage == m_stage)
        return;
    m_stage = stage;
    setAccessibleDescription(m_title(stage));
    const int row = findData(stage.key());
    if (row >= 0)
        setCurrentIndex(row);
    updateGeometry();
    update();
}

void StageChooser::add(const StageRow& row) {
    const Theme& theme = m_themes.theme();
    if (row.stage.isEmpty()) {
        addItem(row.text);
        auto* item = qobject_cast<QStandardItemModel*>(model())->item(count() - 1);
        item->setFlags(Qt::NoItemFlags);
        return item->setFont(m_themes.smallFont());
    }
    addItem(changeMark(theme.accent, row.isChanged.value_or(false)), row.text, row.stage.key());
    const int at = count() - 1;
    if (!row.tip.isEmpty())
        setItemData(at, row.tip, Qt::ToolTipRole);
    if (!row.spoken.isEmpty())
        setItemData(at, row.spoken, Qt::AccessibleTextRole);
    if (row.isChanged == false)
        setItemData(at, theme.muted, Qt::ForegroundRole);
}

void StageChooser::fill() {
    const QSignalBlocker quiet(this);
    clear();
    for (const StageRow& row : m_rows ? m_rows() : StageRows())
        add(row);
    if (findData(m_stage.key()) < 0 && !m_stage.isEmpty())
        add({m_stage, m_title(m_stage)});
    setCurrentIndex(findData(m_stage.key()));
    view()->setMinimumWidth(view()->sizeHintForColumn(0) + 40);
}

void StageChooser::showPopup() {
    fill();
    QComboBox::showPopup();
}

void StageChooser::focusInEvent(QFocusEvent* event) {
    fill(); // Up and Down choose without the list
    QComboBox::focusInEvent(event);
}

// Scrolling over a pane must not change what it shows.
void StageChooser::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

QSize StageChooser::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_title(m_stage)) + 40, QComboBox::sizeHint().height()};
}

QSize StageChooser::minimumSizeHint() const {
    return {std::min(64, sizeHint().width()), QComboBox::minimumSizeHint().height()};
}

void StageChooser::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    painter.setPen(palette().color(QPalette::Text));
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    option.currentIcon = {};
    option.currentText = fontMetrics().elidedText(m_title(m_stage), Qt::ElideRight, field.width());
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace hidet::ui
