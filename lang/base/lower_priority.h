// SPDX-License-Identifier: Apache-2.0
// Who gets the processor where fewer cores are than want to work: the thread that draws a window before all that is
// computed for it.
#pragma once

namespace hidet {

// The calling thread, and the threads and processes that it starts from now on, leave the processor to others that want it;
// there is no way back. What is measured, and the threads that start such processes, must not call it. Where the system has no
// priorities of threads, nothing happens.
void lower_priority();
bool has_stepped_back(); // the calling thread, or whoever started it

} // namespace hidet
