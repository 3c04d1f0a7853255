// SPDX-License-Identifier: MIT
//
// The classic cases by name, from the texts that first told them: Kleppmann's and antirez's essays
// of 2016, Redis' page on distributed locks, and what etcd, Curator and Chubby reported. Each is a
// pinned workload with its faults. A lease is 10 s, so times read as in those texts, in ms.
//
// "Any step" in a case is a sweep: one workload for each step at which the fault may strike,
// because no scenario knows at which step which lock does what.
#pragma once

#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios::catalogue {

inline constexpr Duration kLease = std::chrono::seconds(10);

/// The cases in this order. A list in braces would copy each of them, with all of its workloads.
template <typename... Scenarios>
std::vector<Scenario> Together(Scenarios&&... scenarios) {
  std::vector<Scenario> all;
  all.reserve(sizeof...(scenarios));
  (all.push_back(std::forward<Scenarios>(scenarios)), ...);
  return all;
}

/// Moves these to the end of `all`.
template <typename T>
void Append(std::vector<T> more, std::vector<T>& all) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// The name, for as long as the program runs: scenarios only view theirs.
std::string_view Kept(std::string name);

Scenario Named(std::string_view name, std::string_view summary,
               std::vector<SynchronyClass> classes);

/// The case in all three classes: a class below the one that a story needs is its control.
Scenario Row(std::string_view name, std::string_view summary);

/// Sets the workloads, the faults that the scenario lists, and how many runs make it whole: each
/// workload twice, under other schedules. A large sweep may then lower its share in the gate.
void Pin(Scenario& scenario, std::vector<Workload> workloads);

/// What a correct lock cannot hold here, however well messages and pauses behave.
std::vector<Weakness> InEveryClass(const std::vector<Judged>& properties);

/// Lets clocks run at up to half or double speed, and gives up what needs sane ones.
void FreeClocks(Scenario& scenario);

/// Runs the scenario for semaphores alone, with two or three permits.
void GivePermits(Scenario& scenario);

/// A client without faults.
ClientPlan Does(std::vector<Operation> operations);

/// A workload with that lease and messages of 0.1 to 2 ms.
Workload Clients(std::vector<ClientPlan> clients);

/// One holds for a whole lease, and another one waits for it from 2 s on, and works for 5 s.
Workload WholeLeaseAndSecond();

/// C1 takes the lock at 0 ms, and does this work; its lease would be over at 10,000. C2 asks at
/// 100 ms in vain, and from 10,100 on for its turn of 8 s.
Workload HolderAndSuccessor(const Operation& work, GuardKind guard = GuardKind::kNone);

/// Exclusion at one server, of beliefs and of sections, and then the others.
std::vector<Judged> ExclusionsAnd(std::initializer_list<Judged> others);

/// What a case of writes judges, and that nothing keeps sections apart in the highest class.
void JudgeWritesToo(Scenario& scenario);

/// The fault of client 0 at each of its first steps in turn. With 36 steps it reaches any point
/// between connecting and the reply to the release, for every lock that ships here; reading and
/// writing what is guarded takes some more.
std::vector<Workload> AtAnyStep(const Workload& workload, const PlannedFault& fault);
/// The same for a longer program, and for faults that strike together.
std::vector<Workload> AtAnyStep(const Workload& workload, const std::vector<PlannedFault>& faults,
                                int steps);

/// One fault of clients, links or client clocks each; generated.
std::vector<Scenario> ClientFaults();

/// Many waiters at a time; generated.
std::vector<Scenario> Waiting();
/// What happens to a lock whose next holder is gone, or away, when it is handed over.
Scenario NextInLine();
/// Any one message that is late.
std::vector<Scenario> HeldUp();

/// Several users of one lock object at once; generated.
std::vector<Scenario> OneObject();

/// When faults are over, and when nobody has asked for long.
std::vector<Scenario> Aftermath();

/// The generated scenarios over independent masters, for locks over a quorum of them.
std::vector<Scenario> OverMasters(const std::vector<Scenario>& of_one_server);

/// The cases whose lock asks five independent masters, A to E.
std::vector<Scenario> RedlockRows();

/// A cluster whose slots stay where they are, and one of each of ClusterCases(); generated.
std::vector<Scenario> OverCluster();

/// A cluster of three masters. Its resource is not the first one's, so who asks that one for
/// everything is sent away.
void OnCluster(Scenario& scenario);
/// Each of them with a replica.
void OnShards(Scenario& scenario);
/// What changes in a cluster; without properties to judge. The names are fault classes.
std::vector<Scenario> ClusterCases();

std::vector<Scenario> KleppmannRows();
std::vector<Scenario> AntirezRows();
std::vector<Scenario> RedisRows();
std::vector<Scenario> OtherRows();

/// The rows of the guarantee table, which is not part of the catalogue: a scenario for each class
/// of faults on each topology where it can happen. Each judges every property that there is.
std::vector<Scenario> FaultClasses();

}  // namespace interlock::scenarios::catalogue
