// SPDX-License-Identifier: MIT
//
// The specimens, one page (file) each: the story stands at the top of the page, the broken code
// below it, the expected convictions at its end.
#pragma once

#include "scenarios/specimen.h"

namespace interlock::scenarios::specimens {

Specimen ExistsSetExpire();
Specimen SetnxThenExpire();
Specimen GetThenSetex();
Specimen InvertedTest();
Specimen MillisecondsAsSeconds();
Specimen WholeSeconds();
Specimen LateGrantLeft();
Specimen NilIsExpired();
Specimen ClientClock();
Specimen WaitsALease();
Specimen GetCompareDel();
Specimen DelWithoutOwner();
Specimen TokenClearedFirst();
Specimen SkipsLateUnlock();
Specimen HostAndPid();
Specimen ShortToken();
Specimen ExtendOverWhoever();
Specimen ExtendCreatesAnew();
Specimen ExtendAddsUp();
Specimen ExtendFromReply();
Specimen ValidityFromReply();
Specimen ValidFromWakeUp();
Specimen ValidForEver();
Specimen RenewalOutlivesRelease();
Specimen LossToldLate();
Specimen RenewedByTimer();
Specimen SignalDeleted();
Specimen BlocksForEver();
Specimen PushThenDelete();
Specimen WaiterLeftInQueue();
Specimen LeaseNotLookedAt();
Specimen DeadlineNotLookedAt();
Specimen ZeroIsForEver();
Specimen CountsItsSleeps();
Specimen RestartsItsWait();
Specimen NewcomerFirst();
Specimen StackForAQueue();
Specimen StripedKeys();
Specimen WaitsOutTheHerd();
Specimen AfterYou();
Specimen GivesUpEarly();
Specimen SleepsToTheEnd();
Specimen SecondsFromOneOn();
Specimen PollsWithoutRest();
Specimen HandsTheSignalBack();
Specimen ResendMeetsItself();
Specimen ResentUnlockDenies();
Specimen UnknownIsNo();
Specimen LeftSignals();
Specimen RandomFence();
Specimen FenceBeforeLock();
Specimen FenceDrawnAnew();
Specimen FenceForgets();
Specimen FenceForADay();
Specimen ScriptLoadedOnce();
Specimen SecondsAsToken();
Specimen TokenOfTheObject();
Specimen BothPrime();
Specimen CountedPermits();
Specimen CreatedInSteps();
Specimen DoubledToken();
Specimen GetsetGuard();
Specimen ListWithoutTtl();
Specimen OneIdPerObject();
Specimen PopThenRecord();
Specimen TtlOfTheFirst();
Specimen CountedReaders();
Specimen LastReaderDeletes();
Specimen LooksThenWrites();
Specimen RenewsAllReaders();
Specimen ReadersOneByOne();
Specimen DeadWriterFirst();
Specimen ReadersJoin();
Specimen RedisSingleFile();
Specimen ReentrantFreesAll();
Specimen ReentrantCountsResends();
Specimen MultiUnordered();
Specimen MultiKeepsPart();
Specimen LatchCountsResends();
Specimen LatchMarksThenCounts();
Specimen LatchWakesOne();
Specimen LatchTurnstile();
Specimen LatchCounterBesideIds();
Specimen LatchForgetsWhenOpen();
Specimen VotesBelievedFromReply();
Specimen VotesNotHeardOf();
Specimen VotesHalf();
Specimen VotesInStep();
Specimen VotesKeptByLosers();
Specimen VotesCastAnew();
Specimen VotesOfAFew();
Specimen VotesCountedApart();

}  // namespace interlock::scenarios::specimens
