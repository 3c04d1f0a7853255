// SPDX-License-Identifier: MIT
#include "scenarios/judge/property.h"

#include <algorithm>
#include <cstddef>

namespace interlock::scenarios {
namespace {

constexpr std::array<Property, 19> kProperties = {{
    {"LK001",
     "server-exclusion",
     "server exclusion",
     "the server granted one lock twice",
     "Violated when the server makes a conflicting grant while an earlier grant has neither "
     "expired "
     "by the server's clock nor been released; losing the key does not end a grant.",
     "redis.d1",
     "C1 is granted the lock by a master that dies before its replica has seen the write. The "
     "replica is promoted, knows of no lock, and grants it to C2 while C1's lease still runs.",
     {"grant in one atomic step: SET NX PX or one script, never EXISTS followed by SET",
      "let the data survive: fsync always, or start again only after the longest TTL has passed",
      "use a quorum of independent masters, and guard the resource with fencing tokens"}},
    {"LK002",
     "belief-exclusion",
     "belief exclusion",
     "two clients believed they held the lock",
     "Violated when two conflicting grants are, at one instant, both valid in their own clients' "
     "reckoning.",
     "kleppmann.k6",
     "C1's requests are executed, then C1 stops before it reads the replies. The keys expire, C2 "
     "acquires; C1 wakes, reads five times OK, and counts its validity from that moment.",
     {"count the validity from before the request was sent, on the monotonic clock",
      "subtract an allowance for clock drift that covers both clocks' worst rate",
      "treat a failed extend, or a lost connection, as the end of the lease"}},
    {"LK003",
     "section-exclusion",
     "section exclusion",
     "two clients were in the section at once",
     "Violated when the protected sections of two conflicting grants overlap.",
     "kleppmann.k1",
     "C1 enters the section and is paused for longer than its lease. C2 is rightly granted the "
     "lock and enters; C1 wakes inside the section. No lease can prevent this.",
     {"guard the resource itself with fencing tokens: then the late write is refused",
      "check the remaining validity before each protected step, and extend in good time",
      "choose a lease far longer than the longest pause; this makes it rarer, not impossible"}},
    {"LK004",
     "fenced-writes",
     "fenced writes",
     "a stale holder's write was accepted",
     "Violated when the guarded resource accepts an access of one grant after it has accepted one "
     "of a later grant, or refuses for its token what the holder sends in time.",
     "kleppmann.k3",
     "C1 sends its write and the network keeps it for 90 seconds. Its lease ends, C2 acquires and "
     "writes; then C1's old write arrives and overwrites C2's.",
     {"send the fencing token with every access; refuse any below the highest seen",
      "compare and write in one step at the resource, on reads that lead to writes too",
      "keep the highest token as safely as the data that it guards"}},
    {"LK005",
     "foreign-release",
     "foreign release",
     "released somebody else's lock",
     "Violated when a release ends or alters another live grant, or answers \"released\" although "
     "its caller owned nothing when it was executed.",
     "redis.d2",
     "C1's work outlasts its lease, the key expires and C2 acquires. C1 then releases with a plain "
     "DEL and deletes C2's key; C3 enters beside C2.",
     {"store a random owner token per grant; compare it and delete in one script",
      "do not read the token and then delete: the lease can change hands in between",
      "after a try of unknown outcome, undo only your own token"}},
    {"LK006",
     "foreign-extend",
     "foreign extend",
     "extended a lease that was not its own",
     "Violated when an extend prolongs another's lease, succeeds after its own has expired, or "
     "creates the key anew.",
     "redis.d5",
     "C1 renews late with a plain PEXPIRE. Its lease has ended and C2 owns the key: C1 prolongs "
     "C2's lease and believes that it is its own.",
     {"compare the owner token and set the expiry in one script",
      "never renew with SET: it creates what has expired",
      "take a refused extend as the loss of the lease, and tell the user at once"}},
    {"LK007",
     "tokens",
     "tokens",
     "fencing tokens did not increase",
     "Violated when the fencing tokens of a resource do not strictly increase in the order of the "
     "grants, when an owner token serves two grants, or when nesting returns another token.",
     "kleppmann.k9",
     "Tokens come from INCR on one node. The node loses its data, the counter begins again at 1, "
     "and the resource takes the new holder for a stale one.",
     {"draw the token in the same script that grants the lock",
      "never below the last one nor below the server's time, so that a lost counter does no harm",
      "random values are owner tokens; they have no order and cannot fence"}},
    {"LK008",
     "crash-recovery",
     "recovery after a crash",
     "a dead holder's lock was not granted again",
     "Violated when a holder is dead, a live client waits, and the next grant comes later than the "
     "holder's expiry plus the lock's own wake-up bound.",
     "antirez.a4",
     "The holder crashes, and the server's clock is stepped back: the key outlives the lease "
     "that it stood for. The waiters sleep until a wake-up that nobody will send, and do not "
     "look at the TTL.",
     {"give every lock a TTL, set in the granting command itself",
      "let a waiter wake at the holder's expiry too, not only by a message",
      "after waking, pass the wake-up on if the lock is not taken"}},
    {"LK009",
     "deadlock",
     "deadlock, lost wake-up",
     "a free lock was granted to nobody",
     "Violated when a live client waits while nothing can run any more, when the resource stays "
     "free beyond the wake-up bound, or when clients that each ask in one order wait for each "
     "other in a circle that only the end of a lease breaks.",
     "none",
     "A waiter finds the lock taken; the holder releases and publishes; only then does the "
     "waiter subscribe. The message was sent to nobody and no other will come.",
     {"subscribe first, then look again, then wait",
      "never wait without an end: the holder's TTL bounds every wait",
      "take several locks in one global order"}},
    {"LK010",
     "spurious-refusal",
     "spurious refusal",
     "refused a lock that was free, or was granted",
     "Violated when a client gets a definite refusal although the resource was free all the time, "
     "although its request was executed and not undone, or although it was to wait and there was "
     "time for another look; when it is told of another limit that was not in force; and when all "
     "faults have been over for a minute and it still gets no answer.",
     "redis.d7",
     "The server executes the SET and the reply is lost. The client reports \"not acquired\" and "
     "forgets its token; the resource is locked by nobody until the TTL.",
     {"keep three outcomes apart: done, not done, unknown",
      "after an unknown acquire remove your own token, compared in a script",
      "never turn a timeout into a refusal"}},
    {"LK011",
     "keys",
     "keys",
     "a key was left behind",
     "Violated when a key of the lock has no TTL after some command, when an ownership entry stays "
     "until its TTL although its client ended the operation, or when keys remain at rest.",
     "redis.d4",
     "A client wins two of five nodes, fails for want of a quorum, and does not unlock what it "
     "won. Until the TTL nobody can have those nodes; without a TTL nobody ever can.",
     {"create and expire in one command or one script",
      "on every way out, a failed quorum included, remove what was created",
      "give auxiliary keys a TTL too, and renew it with use"}},
    {"LK012",
     "order",
     "order, starvation",
     "a waiter was overtaken too often",
     "Violated when a live waiter sees more later requests granted before its own than the lock "
     "declares (for a fair lock, any), a lock that prefers writers lets a reader in while a live "
     "writer waits, or a waiter waits beyond the computed bound while others are "
     "granted.",
     "redis.d5",
     "The holder extends without limit, or a client that has just released asks again at once and "
     "is always faster than the waiters, which must be woken first.",
     {"queue the waiters in the server and hand over to the first",
      "release and hand over in one step, so that a newcomer finds the lock taken",
      "limit how often one client may extend or win while others wait"}},
    {"LK013",
     "permits-server",
     "permits at the server",
     "the server granted too many permits",
     "Violated when more grants of a semaphore are unexpired and unreleased at the server than it "
     "has permits when the last of them is made, or when a permit goes to a client that takes "
     "another number for the limit than the one which the semaphore keeps in the server.",
     "etcd.e1",
     "A waiter's own entry expires while it queues. The permit is handed to it all the same, "
     "and to the next one too, because the server no longer counts the first.",
     {"keep one entry per permit, with its own token and expiry, not a count",
      "drop the expired, count and add in one script, by the server's clock",
      "release only the entry with your own token"}},
    {"LK013",
     "permits-belief",
     "permits as believed",
     "too many clients believed in a permit",
     "Violated when, at one instant, more clients than there are permits hold one that is valid in "
     "their own reckoning.",
     "kleppmann.k6",
     "A client reads its grant late and counts the validity from the reply, so it goes on "
     "believing "
     "after the server has given its permit to the next.",
     {"count the validity from before the request was sent, on the monotonic clock",
      "score permits by the server's clock, never by the clients'",
      "tell the user as soon as a permit is lost"}},
    {"LK013",
     "permits-section",
     "permits in the section",
     "too many clients were in the section",
     "Violated when the protected sections of more grants overlap than there are permits.",
     "kleppmann.k1",
     "A permit holder is paused inside the section for longer than its lease; its permit goes to "
     "another, and both work at once when it wakes. No lease can prevent this.",
     {"check the remaining validity before each protected step",
      "let the resource itself enforce the limit if exceeding it does harm",
      "choose a lease far longer than the longest pause; this makes it rarer, not impossible"}},
    {"LK014",
     "false-validity",
     "false validity",
     "a lease was called valid after its end",
     "Violated when an acquire succeeds although nothing of the lease is left by the client's own "
     "clock, when the client is not told in time that its validity has ended, or is told so "
     "without cause, and when a lock that renews by itself lets an undisturbed holder's lease end, "
     "or prolongs it for longer than it says.",
     "etcd.e1",
     "C2 waits long in a queue. Its own entry expires meanwhile, C1 releases, and C2 is told \"it "
     "is yours\" although its lease no longer exists.",
     {"after any wait, check the lease again before reporting success",
      "compute the validity from the time of sending, and fail when it is not positive",
      "let valid() look at the clock instead of remembering an answer"}},
    {"LK015",
     "termination",
     "termination",
     "an operation did not end in time",
     "Violated when an operation returns later than its deadline, or a request to stop it, allows, "
     "when a request sends more commands than its bound allows, or when nobody is granted anything "
     "beyond the computed bound.",
     "redis.d3",
     "Three clients split the votes of five nodes 2-2-1, all give up, wait for the same fixed time "
     "and split the votes again, without end.",
     {"wait a random time between tries, growing with each",
      "pass the deadline down to every single command",
      "release the votes won as soon as the quorum is out of reach"}},
    {"LK016",
     "determinism",
     "determinism",
     "the same run gave two results",
     "Violated when the same workload and tape give another trace hash; this is a fault of the "
     "simulator or of code that escapes it, never a verdict on a lock.",
     "none",
     "Code under test reads a real clock or real randomness, or walks a container in the order of "
     "its addresses; the second execution of the run takes another way.",
     {"take time, randomness and waiting only from the given runtime",
      "iterate in an order that depends on values, not on addresses or hashes",
      "build with the address sanitizer: uninitialised memory differs from run to run"}},
    {"LK017",
     "crash",
     "crash",
     "the lock took its process down",
     "Violated when the process that runs the lock ends (by a signal, an escaped exception, exit "
     "or "
     "for want of memory), or when a run takes more real time than the watchdog allows.",
     "none",
     "C1's reply is an error that the adapter has never seen; it reads the third element of a list "
     "that has two, and every other client of that process goes down with it.",
     {"look at the kind and size of each reply before you read from it",
      "bound every loop and recursion, and every wait by its deadline",
      "let no exception leave the lock: turn what goes wrong into a status"}},
}};

constexpr std::array<PropertyOfLatches, 3> kOfLatches = {{
    {"server-exclusion", "a latch opened before all had counted down",
     "Violated when somebody is let through while a party's count down has not reached the server.",
     "remember who has counted down: a number cannot tell a new party from one that says it again"},
    {"deadlock", "an open latch let somebody wait",
     "Violated when a waiter is not let through within the wake-up bound after all have been told "
     "that they have counted down.",
     "count and wake in one script; let each that is woken wake the next, and look again at times"},
    {"spurious-refusal", "refused to let through, or to count",
     "Violated when a wait is refused at a latch that is known to be open, or a count down is not "
     "acknowledged, to a client that no fault has met.",
     "look at the count before anything else, and once more when the time is up"},
}};

constexpr bool IsOneLine(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E;
  });
}

constexpr bool IsComplete(const Property& property) {
  for (const std::string_view fix : property.fixes) {
    if (!IsOneLine(fix)) return false;
  }
  return property.code.size() == 5 && property.code.substr(0, 2) == "LK" &&
         IsOneLine(property.slug) && IsOneLine(property.name) && IsOneLine(property.headline) &&
         IsOneLine(property.definition) && IsOneLine(property.scenario) &&
         IsOneLine(property.story);
}

// FindProperties answers with neighbours, so equal codes must stand together.
constexpr bool TableIsSound() {
  for (std::size_t i = 0; i < kProperties.size(); ++i) {
    if (!IsComplete(kProperties[i])) return false;
    if (i > 0 && kProperties[i].code < kProperties[i - 1].code) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (kProperties[i].slug == kProperties[j].slug) return false;
    }
  }
  return kProperties.front().code == "LK001" && kProperties.back().code == "LK017";
}
static_assert(TableIsSound());

constexpr char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Upper(x) == Upper(y); });
}

}  // namespace

std::span<const Property> AllProperties() { return kProperties; }

std::span<const Property> FindProperties(std::string_view code_or_slug) {
  const auto matches = [code_or_slug](const Property& property) {
    return EqualIgnoringCase(property.code, code_or_slug) ||
           EqualIgnoringCase(property.slug, code_or_slug);
  };
  const auto first = std::find_if(kProperties.begin(), kProperties.end(), matches);
  const auto last = std::find_if_not(first, kProperties.end(), matches);
  return {first, last};
}

const PropertyOfLatches* FindPropertyOfLatches(std::string_view slug) {
  const auto found = std::find_if(kOfLatches.begin(), kOfLatches.end(),
                                  [slug](const auto& property) { return property.slug == slug; });
  return found == kOfLatches.end() ? nullptr : &*found;
}

}  // namespace interlock::scenarios
