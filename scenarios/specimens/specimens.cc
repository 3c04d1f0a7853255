// SPDX-License-Identifier: MIT
#include "scenarios/specimen.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios {

std::vector<Specimen> Specimens() {
  return {specimens::ExistsSetExpire(),
          specimens::SetnxThenExpire(),
          specimens::GetThenSetex(),
          specimens::InvertedTest(),
          specimens::MillisecondsAsSeconds(),
          specimens::WholeSeconds(),
          specimens::LateGrantLeft(),
          specimens::NilIsExpired(),
          specimens::ClientClock(),
          specimens::WaitsALease(),
          specimens::GetCompareDel(),
          specimens::DelWithoutOwner(),
          specimens::TokenClearedFirst(),
          specimens::SkipsLateUnlock(),
          specimens::HostAndPid(),
          specimens::ExtendOverWhoever(),
          specimens::ExtendCreatesAnew(),
          specimens::ExtendFromReply(),
          specimens::ValidityFromReply(),
          specimens::ValidForEver(),
          specimens::RenewalOutlivesRelease(),
          specimens::SignalDeleted(),
          specimens::BlocksForEver(),
          specimens::PushThenDelete(),
          specimens::WaiterLeftInQueue(),
          specimens::LeaseNotLookedAt(),
          specimens::DeadlineNotLookedAt(),
          specimens::ZeroIsForEver(),
          specimens::CountsItsSleeps(),
          specimens::RestartsItsWait(),
          specimens::ResendMeetsItself(),
          specimens::UnknownIsNo(),
          specimens::LeftSignals(),
          specimens::RandomFence(),
          specimens::FenceBeforeLock(),
          specimens::FenceDrawnAnew(),
          specimens::FenceForgets(),
          specimens::SecondsAsToken(),
          specimens::TokenOfTheObject(),
          specimens::BothPrime(),
          specimens::CountedPermits(),
          specimens::CreatedInSteps(),
          specimens::DoubledToken(),
          specimens::GetsetGuard(),
          specimens::ListWithoutTtl(),
          specimens::OneIdPerObject(),
          specimens::PopThenRecord(),
          specimens::TtlOfTheFirst(),
          specimens::RedisSingleFile()};
}

}  // namespace interlock::scenarios
