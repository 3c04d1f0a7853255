// SPDX-License-Identifier: MIT
//
// The library's own locks as subjects, one file each: a new one is declared and listed here.
#pragma once

#include <array>
#include <memory>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::subjects {

std::shared_ptr<const harness::Subject> AdoptedMutexSubject();
std::shared_ptr<const harness::Subject> AdoptedFairMutexSubject();
std::shared_ptr<const harness::Subject> CompiledFairMutexSubject();
std::shared_ptr<const harness::Subject> CompiledMutexSubject();
std::shared_ptr<const harness::Subject> CompiledRedlockSubject();
std::shared_ptr<const harness::Subject> CompiledSemaphoreSubject();
std::shared_ptr<const harness::Subject> CountDownLatchSubject();
std::shared_ptr<const harness::Subject> DurableMutexSubject();
std::shared_ptr<const harness::Subject> FairMutexSubject();
std::shared_ptr<const harness::Subject> LockDelayMutexSubject();
std::shared_ptr<const harness::Subject> MultiMutexSubject();
std::shared_ptr<const harness::Subject> MutexSubject();
std::shared_ptr<const harness::Subject> NativeMutexSubject();
std::shared_ptr<const harness::Subject> RedlockSubject();
std::shared_ptr<const harness::Subject> ReentrantMutexSubject();
std::shared_ptr<const harness::Subject> RenewedMultiMutexSubject();
std::shared_ptr<const harness::Subject> RenewedMutexSubject();
std::shared_ptr<const harness::Subject> SemaphoreSubject();
std::shared_ptr<const harness::Subject> SharedMutexSubject();
std::shared_ptr<const harness::Subject> SingleFileSubject();
std::shared_ptr<const harness::Subject> UnpreferredSharedMutexSubject();

/// All others, in the order in which they are run and listed.
inline constexpr std::array kAllSubjects = {&FairMutexSubject,
                                            &AdoptedFairMutexSubject,
                                            &LockDelayMutexSubject,
                                            &MultiMutexSubject,
                                            &MutexSubject,
                                            &AdoptedMutexSubject,
                                            &NativeMutexSubject,
                                            &RedlockSubject,
                                            &ReentrantMutexSubject,
                                            &RenewedMutexSubject,
                                            &RenewedMultiMutexSubject,
                                            &SemaphoreSubject,
                                            &SharedMutexSubject,
                                            &UnpreferredSharedMutexSubject,
                                            &SingleFileSubject,
                                            &CountDownLatchSubject};

/// Those with Traits::on_disk.
inline constexpr std::array kDurableSubjects = {&DurableMutexSubject};

/// Those with Traits::posix.
inline constexpr std::array kCompiledSubjects = {&CompiledFairMutexSubject, &CompiledMutexSubject,
                                                 &CompiledRedlockSubject,
                                                 &CompiledSemaphoreSubject};

}  // namespace interlock::scenarios::subjects
