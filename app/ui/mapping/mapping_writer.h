// SPDX-License-Identifier: GPL-3.0-only
// Writes what the mapping canvas changes back to the script, each change as one step of undo.
#pragma once

#include <functional>
#include <optional>

#include "app/ui/mapping/mapping_cells.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class MappingWriter : public QObject {
    Q_OBJECT
public:
    MappingWriter(Studio& studio, QObject* parent) : QObject(parent), m_studio(studio) {}

    // What is shown, and whether that is the same expression as before.
    void show(MappingDataPtr data, bool isSame);
    bool isCurrent() const; // what is shown is of the text as it is now

    // A number that is changed again before the script was evaluated waits for that. One that made a mistake of the script
    // can be changed again all the same: what it was replaced by is known.
    void changeNumber(int factor, int number, qint64 value);
    void swap(int left);
    void remove(int factor);
    void add(const QString& name); // behind the last factor
    void takeWaiting();            // the script has been evaluated
    void forget();                 // another script is in front

signals:
    void refused(); // what is shown is what counts

private:
    struct Waiting {
        int factor, number;
        qint64 value;
    };
    struct Own { // what was written last
        int factor, number;
        session::assist::Range literal;
        std::string text; // of the whole script, with it
    };
    void change(const std::function<session::CanvasChange(const MappingData&)>& how);
    bool apply(const session::CanvasChange& change, const std::string& text);

    Studio& m_studio;
    MappingDataPtr m_data;
    std::optional<Waiting> m_waiting;
    std::optional<Own> m_own;
};

} // namespace hidet::ui
