// SPDX-License-Identifier: MIT
#include "tests/sim/posix/objects/visitors.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>

namespace visitors {

namespace {

int count = 100;
std::string remembered = "a beginning that is too long for the string itself:";
const int initialised_in = getpid();
void (*at_the_end)(int) = nullptr;
int target = 5;
int* pointer = &target;
thread_local int of_this_thread = 3;
std::array<char, 9000> large{};  // beyond one page

struct Ending {
  ~Ending() {
    if (at_the_end != nullptr) at_the_end(count);
  }
};
const Ending ending;

[[gnu::destructor]] void TellOfTheEnd() {
  if (at_the_end != nullptr) at_the_end(-count);
}

}  // namespace

const std::string kGreeting = "a greeting that is too long for the string itself";

std::string Greeter::Greet() const { return kGreeting; }

int Key() {
  static pthread_key_t key = 0;
  static const int failed = pthread_key_create(&key, nullptr);
  return failed == 0 ? static_cast<int>(key) : -1;
}

int Count() {
  large[static_cast<std::size_t>(count)] = 1;
  return ++count;
}

std::string Remember(const std::string& word) { return remembered += " " + word; }

int InitialisedIn() { return initialised_in; }

int FirstCalls() {
  static int calls = 0;
  static const int first = ++calls;
  return first * 10 + calls;
}

void AtTheEnd(void (*tell)(int count)) { at_the_end = tell; }

int* Pointer() { return pointer; }

int CallWhatNobodyHas() { return kill(fork(), 0); }

int& OfThisThread() { return of_this_thread; }

}  // namespace visitors
