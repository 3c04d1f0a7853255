// SPDX-License-Identifier: MIT
//
// A shared object that nothing is linked with: a program may load it while it runs.
namespace {
thread_local int calls_of_this_thread = 0;

struct AtItsEnd {
  ~AtItsEnd() {
    if (count != nullptr) ++*count;
  }
  int* count = nullptr;
};
thread_local AtItsEnd at_its_end;
}  // namespace

extern "C" {
int interlock_late_calls = 1;
int InterlockLateCall() { return ++interlock_late_calls; }
int InterlockLateCallOfThisThread() { return ++calls_of_this_thread; }
void InterlockLateCountEnds(int* count) { at_its_end.count = count; }
}
