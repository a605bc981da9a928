// SPDX-License-Identifier: GPL-3.0-only
// The box in which a pane's stage is chosen, of a script or of a model: its owner says which there are.
#pragma once

#include <QAbstractItemView>
#include <QPainter>
#include <QStandardItemModel>
#include <QWheelEvent>
#include <functional>

#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"
#include "app/ui/live/stage_name.h"
#include "app/ui/widgets/elided_combo.h"

namespace hidet::ui {

struct StageRow {
    StageName stage; // empty: a heading
    QString text;
    QString tip = {};
    QString spoken = {};                // for screen readers, where that is not the text
    std::optional<bool> isChanged = {}; // of a pass: whether it changed something
};
using StageRows = QList<StageRow>;
using StageTitle = QString (*)(const StageName& stage);

// "CUDA", ..., below a heading
inline StageRows generatedRows() {
    StageRows out{{{}, tr("Generated")}};
    for (const StageName& stage : generatedStages())
        out << StageRow{stage, titleOf(stage)};
    return out;
}
// IR after each pass that is asked for, below a heading; nothing where there is none.
inline StageRows passRows(const std::vector<session::PassSnapshot>& passes, StageTitle title,
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

class StageChooser : public ElidedCombo {
    Q_OBJECT
public:
    StageChooser(ThemeSource& themes, QWidget* parent) : ElidedCombo(parent), m_themes(themes) {
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

    // Asked for whenever the list is looked at. The closed box has the title of its stage.
    void setSource(std::function<StageRows()> rows, StageTitle title) {
        m_rows = std::move(rows);
        m_title = title;
    }

    // Asked at each key: the window is laid out again where a geometry may be another one.
    void setStage(const StageName& stage) {
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

    QSize sizeHint() const override {
        return {fontMetrics().horizontalAdvance(m_title(m_stage)) + 40, QComboBox::sizeHint().height()};
    }

    QSize minimumSizeHint() const override {
        return {std::min(64, sizeHint().width()), QComboBox::minimumSizeHint().height()};
    }

    void showPopup() override {
        fill();
        QComboBox::showPopup();
    }

signals:
    void chosen(StageName stage);

protected:
    QString shownText() const override { return m_title(m_stage); }
    void focusInEvent(QFocusEvent* event) override {
        fill(); // Up and Down choose without the list
        ElidedCombo::focusInEvent(event);
    }

    // Scrolling over a pane must not change what it shows.
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }

private:
    // A dot for a pass that changed the module; nothing, of the same size, for one that did not.
    static QIcon changeMark(const QColor& color, bool changed) {
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

    void fill() {
        const QSignalBlocker quiet(this);
        clear();
        for (const StageRow& row : m_rows ? m_rows() : StageRows())
            add(row);
        if (findData(m_stage.key()) < 0 && !m_stage.isEmpty())
            add({m_stage, m_title(m_stage)});
        setCurrentIndex(findData(m_stage.key()));
        view()->setMinimumWidth(view()->sizeHintForColumn(0) + 40);
    }

    void add(const StageRow& row) {
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

    ThemeSource& m_themes;
    std::function<StageRows()> m_rows;
    StageTitle m_title = titleOf;
    StageName m_stage;
};

} // namespace hidet::ui
