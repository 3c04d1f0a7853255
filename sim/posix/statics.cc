// SPDX-License-Identifier: MIT
#include "sim/posix/statics.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sim/posix/bytes.h"
#include "sim/posix/objects.h"
#include "sim/posix/thread_locals.h"

namespace interlock::sim::posix {

namespace {

// On the OS thread that holds OneAtATime.
constinit thread_local Statics* statics_in_place = nullptr;
const OfOsThread statics_in_place_is(&statics_in_place, sizeof(statics_in_place));

}  // namespace

Statics::Statics() {
  for (const SharedObject& object : ObjectsUnderTest()) {
    kept_.insert(kept_.end(), object.initial.begin(), object.initial.end());
  }
}

Statics::~Statics() {
  if (statics_in_place == this) PutInPlace(nullptr);
  for (const pthread_key_t key : keys_) pthread_key_delete(key);
}

void Statics::OwnKey(pthread_key_t key, const void* at) {
  Dl_info module{};
  const bool shared = dladdr(at, &module) != 0 && !IsUnderTest(at);
  if (!shared) keys_.push_back(key);
}

void Statics::Initialise() {
  if (std::exchange(initialised_, true)) return;
  // What is registered first is called last.
  for (const SharedObject& object : ObjectsUnderTest()) {
    for (auto one = object.finalise.rbegin(); one != object.finalise.rend(); ++one) {
      at_exit_.Add([](void* it) { reinterpret_cast<SharedObject::AtItsEnd>(it)(); },
                   reinterpret_cast<void*>(*one));
    }
  }
  for (const SharedObject& object : ObjectsUnderTest()) {
    for (const SharedObject::Function function : object.initialise) {
      char* no_arguments[] = {nullptr};
      function(0, no_arguments, environ);
    }
  }
}

bool Statics::AtExit(void (*destroy)(void*), void* argument, const void* object) {
  const bool mine = IsUnderTest(object);
  if (mine) at_exit_.Add(destroy, argument);
  return mine;
}

bool Statics::IsUnderTest(const void* address) {
  const auto* const byte = static_cast<const std::byte*>(address);
  return std::ranges::any_of(ObjectsUnderTest(), [byte](const SharedObject& one) {
    return byte >= one.image.data() && byte < one.image.data() + one.image.size();
  });
}

void Statics::PutInPlace(Statics* wanted) {
  if (wanted != nullptr && wanted->kept_.empty()) wanted = nullptr;
  if (wanted == statics_in_place) return;
  if (statics_in_place != nullptr) statics_in_place->Exchange();
  if (wanted != nullptr) wanted->Exchange();
  statics_in_place = wanted;
}

void Statics::Exchange() {
  std::byte* kept = kept_.data();
  for (const SharedObject& object : ObjectsUnderTest()) {
    for (const Extent& one : object.statics) {
      ExchangeBytes(one.at, kept, one.size);
      kept += one.size;
    }
  }
}

std::unique_lock<std::recursive_mutex> Statics::OneAtATime() {
  static constinit std::recursive_mutex mutex;
  if (ObjectsUnderTest().empty()) return {};
  return std::unique_lock(mutex);
}

}  // namespace interlock::sim::posix
