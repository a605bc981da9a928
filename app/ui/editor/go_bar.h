// SPDX-License-Identifier: GPL-3.0-only
// A place to go to, typed or pasted: "12", "12:5", "kernels/matmul.py:12:5".
#pragma once

#include <optional>

#include <QLabel>
#include <QLineEdit>
#include <QWidget>

#include "app/session/snapshot/snapshot.h"

namespace hidet::ui {

// File, line and column, where the text has them: the file stays empty where it has none.
std::optional<session::Place> placeOfText(const QString& text);

class GoBar : public QWidget {
    Q_OBJECT
public:
    explicit GoBar(QWidget* parent);
    void open(int line, int lines); // where the caret is, and how many there are
    void closeBar();

signals:
    void placeRequested(const hidet::session::Place& place);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void go();

    QLineEdit* m_place = new QLineEdit(this);
    QLabel* m_message = new QLabel(this);
};

} // namespace hidet::ui
