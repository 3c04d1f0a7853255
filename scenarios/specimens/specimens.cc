// SPDX-License-Identifier: MIT
#include <array>
#include <iterator>
#include <utility>

#include "scenarios/specimen.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios {
namespace {

std::vector<Specimen> OfReaders() {
  return {specimens::CountedReaders(),  specimens::LastReaderDeletes(),
          specimens::LooksThenWrites(), specimens::RenewsAllReaders(),
          specimens::ReadersOneByOne(), specimens::DeadWriterFirst(),
          specimens::ReadersJoin()};
}

/// Of locks and semaphores.
std::vector<Specimen> OfHolders() {
  return {specimens::ExistsSetExpire(),
          specimens::SetnxThenExpire(),
          specimens::GetThenSetex(),
          specimens::InvertedTest(),
          specimens::MillisecondsAsSeconds(),
          specimens::WholeSeconds(),
          specimens::LateGrantLeft(),
          specimens::LateTryLetIn(),
          specimens::NilIsExpired(),
          specimens::ClientClock(),
          specimens::WaitsALease(),
          specimens::GetCompareDel(),
          specimens::DelWithoutOwner(),
          specimens::TokenClearedFirst(),
          specimens::SkipsLateUnlock(),
          specimens::HostAndPid(),
          specimens::ShortToken(),
          specimens::ExtendOverWhoever(),
          specimens::ExtendCreatesAnew(),
          specimens::ExtendRevives(),
          specimens::ExtendAddsUp(),
          specimens::ExtendFromReply(),
          specimens::ValidityFromReply(),
          specimens::ValidForEver(),
          specimens::RenewalOutlivesRelease(),
          specimens::LossToldLate(),
          specimens::RenewedByTimer(),
          specimens::CalledAfterRelease(),
          specimens::SignalDeleted(),
          specimens::BlocksForEver(),
          specimens::PushThenDelete(),
          specimens::LeaseNotLookedAt(),
          specimens::DeadlineNotLookedAt(),
          specimens::ZeroIsForEver(),
          specimens::CountsItsSleeps(),
          specimens::RestartsItsWait(),
          specimens::StripedKeys(),
          specimens::WaitsOutTheHerd(),
          specimens::AfterYou(),
          specimens::GivesUpEarly(),
          specimens::SleepsToTheEnd(),
          specimens::SecondsFromOneOn(),
          specimens::PollsWithoutRest(),
          specimens::HandsTheSignalBack(),
          specimens::ResendMeetsItself(),
          specimens::ResentUnlockDenies(),
          specimens::UnknownIsNo(),
          specimens::LeftSignals(),
          specimens::RandomFence(),
          specimens::FenceBeforeLock(),
          specimens::FenceDrawnAnew(),
          specimens::FenceForgets(),
          specimens::FenceForADay(),
          specimens::ScriptLoadedOnce(),
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

/// Of waiters who stand in line.
std::vector<Specimen> OfLines() {
  return {specimens::ValidFromWakeUp(), specimens::HandsOverToTheDead(),
          specimens::WaiterLeftInQueue(), specimens::NewcomerFirst(), specimens::StackForAQueue()};
}

/// Of those who end what others do.
std::vector<Specimen> OfStopsAndOperators() {
  return {specimens::StoppedWaiterStays(),   specimens::StopSwallowsTheHint(),
          specimens::StoppedThoughGranted(), specimens::StopAtTheNextLook(),
          specimens::ForceTakesWhoever(),    specimens::ForceLeavesTheGrant(),
          specimens::ForceWakesNobody()};
}

/// Of locks that are taken several times, or several at once.
std::vector<Specimen> OfSeveral() {
  return {specimens::ReentrantFreesAll(), specimens::ReentrantCountsResends(),
          specimens::MultiUnordered(), specimens::MultiKeepsPart()};
}

std::vector<Specimen> OfLatches() {
  return {specimens::LatchCountsResends(),    specimens::LatchMarksThenCounts(),
          specimens::LatchWakesOne(),         specimens::LatchTurnstile(),
          specimens::LatchCounterBesideIds(), specimens::LatchForgetsWhenOpen(),
          specimens::LatchLifeOfTheFirst()};
}

/// Of semaphores that keep their limit in the server.
std::vector<Specimen> OfLimits() {
  return {specimens::LimitOfTheLatest(), specimens::LimitForAWhile(),
          specimens::LimitWakesNobody()};
}

std::vector<Specimen> OfAQuorum() {
  return {specimens::VotesBelievedFromReply(),
          specimens::VotesNotHeardOf(),
          specimens::VotesHalf(),
          specimens::VotesInStep(),
          specimens::VotesKeptByLosers(),
          specimens::VotesCastAnew(),
          specimens::VotesOfAFew(),
          specimens::VotesCountedApart()};
}

}  // namespace

std::vector<Specimen> Specimens() {
  std::vector<Specimen> all = OfHolders();
  for (std::vector<Specimen>& more :
       std::array{OfLines(), OfReaders(), OfStopsAndOperators(), OfSeveral(), OfLatches(),
                  OfLimits(), OfAQuorum()}) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace interlock::scenarios
