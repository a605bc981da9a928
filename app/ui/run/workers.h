// SPDX-License-Identifier: GPL-3.0-only
// The workers of a window, one for each place where something runs. Scripts and models share them: two processes that
// measure on one device would disturb each other.
#pragma once

#include <atomic>
#include <memory>

#include <QObject>

#include "app/ui/workbench/run_services.h"

namespace hidet::ui {

struct Studio;

RunPlace placeOf(const QString& target); // of Setting::Target

class Workers : public QObject {
    Q_OBJECT
public:
    Workers(Studio& studio, ServiceMaker make);
    ~Workers() override;

    session::Service& service(RunPlace place); // made when it is first asked for
    session::ServiceState state(RunPlace place) const;
    void restart(RunPlace place);

    // Who runs something now, in a sentence: "a script"; empty: nobody. Everyone else waits.
    QString occupant() const { return m_occupant; }
    void occupy(const QString& who);
    void leave() { occupy({}); }

signals:
    void changed(); // the state of one of them, or who has them

private:
    struct Bell;

    Studio& m_studio;
    const ServiceMaker m_make;
    QString m_occupant;
    std::shared_ptr<Bell> m_bell;
    std::unique_ptr<session::Service> m_services[run_places]; // last: they call back until they are gone
};

} // namespace hidet::ui
