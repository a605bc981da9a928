// SPDX-License-Identifier: GPL-3.0-only
// Which two dimensions of something with more of them are shown, and where in the others one stands.
#pragma once

#include <vector>

#include <QComboBox>
#include <QHBoxLayout>
#include <QSpinBox>
#include <QWidget>

#include "app/ui/core/theme.h"

namespace hidet::ui {

struct ShownSlice {
    int rowDim = -1; // -1: a single row
    int columnDim = 0;
    std::vector<std::int64_t> fixed; // an index for each dimension; those that are shown do not count
};

class SliceChooser : public QWidget {
    Q_OBJECT
public:
    // Names of the parts begin with `name`: "mapping.dimensions", "mapping.index_0".
    SliceChooser(ThemeSource& themes, const QString& name, QWidget* parent);

    // Hidden where there is nothing to be chosen.
    void show(const std::vector<std::int64_t>& shape, const ShownSlice& slice);
    using QWidget::show;
    const ShownSlice& slice() const { return m_slice; }

signals:
    void changed(); // by the user

private:
    QSpinBox* newSpin(int dim);
    void take();
    void applyTheme();

    ThemeSource& m_themes;
    const QString m_name;
    QComboBox* m_dims = new QComboBox(this);
    QHBoxLayout* m_row = new QHBoxLayout(this);
    QList<QSpinBox*> m_spins;
    ShownSlice m_slice;
    bool m_filling = false;
};

} // namespace hidet::ui
