// SPDX-License-Identifier: MIT
//
// A shared object with static variables of all sorts, for tests of whose they are.
#pragma once

#include <string>

namespace visitors {

/// How often the calling process has called it.
int Count();
/// What the process has told it so far, one after the other.
std::string Remember(const std::string& word);
/// The process id in which the object was initialised.
int InitialisedIn();
/// How often a static variable of a function was initialised.
int FirstCalls();
/// Calls it with the process's count when the object is destroyed.
void AtTheEnd(void (*tell)(int count));
/// Points to a static variable that is initialised with the address of another one.
int* Pointer();
/// Never called: no simulated process could.
int CallWhatNobodyHas();
/// The program refers to it, so it stands there: a copy relocation.
extern const std::string kGreeting;
/// The program refers to the table of its functions, which is constant.
struct Greeter {
  virtual ~Greeter() = default;
  virtual std::string Greet() const;
};
/// A key that each process makes once, and never deletes; -1: none is left.
int Key();
/// What the process has put into a thread_local variable.
int& OfThisThread();

}  // namespace visitors
