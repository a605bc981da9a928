// SPDX-License-Identifier: GPL-3.0-only
// What is wrong with the text of a field, on a slip below it that lies over what is there and takes no keyboard.
#pragma once

#include <QLabel>

#include "app/ui/core/theme.h"

namespace hidet::ui {

class FieldMistake : public QLabel {
    Q_OBJECT
public:
    FieldMistake(ThemeSource& themes, QWidget& field);

    void say(const QString& mistake); // empty: nothing is wrong

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void place();

    ThemeSource& m_themes;
    QWidget& m_field;
};

} // namespace hidet::ui
