// SPDX-License-Identifier: GPL-3.0-only
// Something that is done once, a while after start() was called last.
#pragma once

#include <functional>

#include <QTimer>

namespace hidet::ui {

class OneShot : public QTimer {
public:
    OneShot(int milliseconds, std::function<void()> act) {
        setSingleShot(true);
        setInterval(milliseconds);
        callOnTimeout(std::move(act));
    }
};

} // namespace hidet::ui
