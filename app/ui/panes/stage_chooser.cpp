// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/stage_chooser.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QWheelEvent>

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

StageChooser::StageChooser(Studio& studio, QWidget* parent) : QComboBox(parent), m_studio(studio) {
    setAccessibleName(tr("Stage"));
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToContentsOnFirstShow);
    setMaxVisibleItems(40);
    connect(this, &QComboBox::activated, this, [this](int row) {
        const StageName stage = itemData(row).toString();
        if (!stage.isEmpty())
            emit chosen(stage);
    });
}

void StageChooser::setStage(const StageName& stage) {
    m_stage = stage;
    if (m_label.isEmpty())
        setAccessibleDescription(titleOf(stage));
    const int row = findData(stage);
    if (row >= 0)
        setCurrentIndex(row);
    updateGeometry();
    update();
}

void StageChooser::setLabel(const QString& label) {
    if (label == m_label)
        return;
    m_label = label;
    setAccessibleDescription(label);
    updateGeometry();
    update();
}

void StageChooser::setModule(session::ModuleId module) {
    m_module = module;
}

void StageChooser::addHeader(const QString& text) {
    addItem(text);
    auto* item = qobject_cast<QStandardItemModel*>(model())->item(count() - 1);
    item->setFlags(Qt::NoItemFlags);
    QFont font = m_studio.themes.smallFont();
    item->setFont(font);
}

void StageChooser::addPass(const session::PassSnapshot& pass, const StageName& name) {
    const Theme& theme = m_studio.themes.theme();
    const QString number = QString::number(pass.number).rightJustified(2, QChar(0x2007)); // as wide as a digit
    addItem(changeMark(theme.accent, pass.changed), number + "  " + QString::fromStdString(pass.name), name);
    const int row = count() - 1;
    setItemData(row, QString::fromStdString(pass.summary), Qt::ToolTipRole);
    setItemData(row, pass.changed ? tr("%1, changed").arg(titleOf(name)) : tr("%1, unchanged").arg(titleOf(name)),
                Qt::AccessibleTextRole);
    if (!pass.changed)
        setItemData(row, theme.muted, Qt::ForegroundRole);
}

void StageChooser::fill() {
    const QSignalBlocker quiet(this);
    clear();
    const QIcon blank = changeMark({}, false);
    addItem(blank, tr("IR after all passes"), "ir");
    addItem(blank, tr("IR of the script"), "ir:script");
    addHeader(tr("Generated"));
    for (const char* form : {"cuda", "ptx", "sass", "cpp"})
        addItem(blank, titleOf(form), form);
    if (const LivePipeline* live = m_studio.live()) {
        const auto& passes = live->board().passes(m_module ? m_module : live->module());
        if (passes.size() > 1)
            addHeader(tr("IR after a pass"));
        for (const session::PassSnapshot& pass : passes)
            if (pass.number > 0)
                addPass(pass, nameOfPass(passes, pass.number));
    }
    if (findData(m_stage) < 0 && !m_stage.isEmpty())
        addItem(blank, titleOf(m_stage), m_stage);
    setCurrentIndex(findData(m_stage));
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
    const QString text = m_label.isEmpty() ? titleOf(m_stage) : m_label;
    return {fontMetrics().horizontalAdvance(text) + 40, QComboBox::sizeHint().height()};
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
    option.currentText =
        fontMetrics().elidedText(m_label.isEmpty() ? titleOf(m_stage) : m_label, Qt::ElideRight, field.width());
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace hidet::ui
