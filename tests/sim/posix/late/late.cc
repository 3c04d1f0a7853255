// SPDX-License-Identifier: MIT
//
// A shared object that nothing is linked with: a program may load it while it runs.
extern "C" {
int interlock_late_calls = 1;
int InterlockLateCall() { return ++interlock_late_calls; }
}
