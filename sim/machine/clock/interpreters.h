// SPDX-License-Identifier: MIT
//
// What interpreters need in a copy of their process (see template.cc).
//
// Python: libraries compare process numbers to find out that they are in a forked child, and then
// connect anew, which a started client would not do; so the copy is shown the template's number.
// Python and Ruby tear down all objects when they end, which writes to most of the memory that the
// copy shares with the template, and takes longer than all that the client has done. So a copy ends
// once that has run which programs rely on: threads are joined (Python) or ended with their
// `ensure` (Ruby), then comes what is registered for the end, and in Python the main module's
// objects go, the latest first. Not run: finalizers of other objects, and what C libraries have
// registered; of files, the standard ones alone are flushed. Only an interpreter that is linked
// dynamically, or exports its functions, is treated like this; any other ends as usual.
//
// Thread safety: none. Source: Py_FinalizeEx, rb_set_end_proc in the interpreters' C interfaces.
#pragma once

#include <sys/types.h>

namespace interlock::sim::machine {

/// Whether the interpreter that runs here, which is Ruby's, has a fork of its own.
bool ForksItself();
/// fork(2), or that.
pid_t ForkInterpreter();

/// Called in a new copy of the process `original`.
void PrepareInterpreter(pid_t original);

}  // namespace interlock::sim::machine
