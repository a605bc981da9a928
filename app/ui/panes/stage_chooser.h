// SPDX-License-Identifier: GPL-3.0-only
// The box in which a pane's stage is chosen: IR at either end, the passes with marks at those that changed something, and
// what is generated.
#pragma once

#include <QComboBox>

#include "app/ui/live/stage_name.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class StageChooser : public QComboBox {
    Q_OBJECT
public:
    StageChooser(Studio& studio, QWidget* parent = nullptr);

    void setStage(const StageName& stage);
    // What the closed box says in place of the row's text.
    void setLabel(const QString& label);
    void setModule(session::ModuleId module); // whose passes are listed; 0: the one that is shown

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    void showPopup() override;

signals:
    void chosen(QString stage);

protected:
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void fill();
    void addHeader(const QString& text);
    void addPass(const session::PassSnapshot& pass, const StageName& name);

    Studio& m_studio;
    StageName m_stage;
    QString m_label;
    session::ModuleId m_module = 0;
};

} // namespace hidet::ui
