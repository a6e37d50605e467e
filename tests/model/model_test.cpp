// Every interleaving of two or three actors on a Share, a Flight and a Parking, under a weak memory model.
#include <job/flight.hpp>
#include <job/share.hpp>
#include <threads/parking.hpp>

#include "relacy_primitives.hpp"

namespace skua::model {

constexpr unsigned granules_max = 3;

/// How often each granule was taken. Relacy switches actors only at atomics, so plain counts do.
struct Tally {
  unsigned taken[granules_max] = {};

  void add(Interval interval) {
    for (unsigned granule = interval.front; granule < interval.back; ++granule) ++taken[granule];
  }
  void expect_each_once(unsigned granules) const {
    for (unsigned granule = 0; granule < granules; ++granule) RL_ASSERT(taken[granule] == 1);
  }
};

/// The owner takes one granule after another; thieves take from the back what they see.
template <template <class> class ShareOf, unsigned actors, unsigned granules, int tries_each>
struct OwnerAndThieves : rl::test_suite<OwnerAndThieves<ShareOf, actors, granules, tries_each>, actors> {
  Primitives::Atomic<std::uint64_t> word;
  ShareOf<Primitives> share{word};
  Tally tally;

  void before() { share.put({0, granules}); }

  void thread(unsigned index) {
    if (index == 0) {
      for (;;) {
        const Interval own = share.take_front(1);
        if (own.empty()) return;
        tally.add(own);
      }
    }
    for (int tries = 0; tries < tries_each; ++tries) tally.add(share.steal_back(share.look(), 2).interval);
  }

  void after() {
    tally.add(share.take_front(granules));
    tally.expect_each_once(granules);
  }
};

/// A thief moves what it took into its own Share, from which a second thief takes.
struct StolenIsStolenAgain : rl::test_suite<StolenIsStolenAgain, 2> {
  static constexpr unsigned granules = granules_max;
  Primitives::Atomic<std::uint64_t> words[2];
  BasicShare<Primitives> victim{words[0]};
  BasicShare<Primitives> own{words[1]};
  Tally tally;

  void before() { victim.put({0, granules}); }

  void thread(unsigned index) {
    if (index == 0) {
      const Steal steal = victim.steal_back(victim.look(), 2);
      if (steal.outcome == StealOutcome::taken) own.put(steal.interval);
      tally.add(own.take_front(1));
    } else {
      tally.add(own.steal_back(own.look(), 1).interval);
      tally.add(victim.take_front(1));
    }
  }

  void after() {
    tally.add(victim.take_front(granules));
    tally.add(own.take_front(granules));
    tally.expect_each_once(granules);
  }
};

/// As a careless author would write it: looks, then stores. The checker has to find what is wrong with it.
template <class Atomics>
class CarelessShare {
 public:
  explicit CarelessShare(typename BasicShare<Atomics>::Word& word) : share_(word) {}
  void put(Interval interval) { share_.put(interval); }
  Interval look() { return share_.look(); }
  Interval take_front(std::uint32_t wanted) {
    const Interval left = share_.look();
    const std::uint32_t taken = std::min(wanted, left.size());
    share_.put({left.front + taken, left.back});
    return {left.front, left.front + taken};
  }
  Steal steal_back(Interval expected, std::uint32_t wanted) { return share_.steal_back(expected, wanted); }

 private:
  BasicShare<Atomics> share_;
};

/// An owner runs one or two launches after one another on one Flight, somebody copies what he sees of it, and, where
/// there are three actors, somebody stops the Job. Each granule must be counted once, by the owner or by the copies;
/// and an owner who is told that copies replaced him must find that they did, or else what he has run is lost.
template <template <class> class FlightOf, unsigned actors, unsigned launches>
struct OwnerCopiesAndStop : rl::test_suite<OwnerCopiesAndStop<FlightOf, actors, launches>, actors> {
  using Flight = FlightOf<Primitives>;
  Flight flight;
  Tally tally;
  bool is_replaced[2] = {};
  bool has_copies[2] = {};

  void before() { flight.start({0, 1}, 1, 2); }

  void end(unsigned granule) {
    is_replaced[granule] = flight.finish() == BasicFlight<Primitives>::End::replaced;
    if (!is_replaced[granule]) tally.add({granule, granule + 1});
  }

  void thread(unsigned index) {
    if (index == 0) {
      end(0);
      if (launches == 1) return;
      if (!flight.reusable()) return tally.add({1, 2});  // another flight would be taken for it
      flight.start({1, 2}, 3, 4);
      end(1);
    } else if (index == 1) {
      const auto seen = flight.look();
      if (!seen || !flight.freeze(*seen)) return;
      if (!flight.settle()) return;
      has_copies[seen->granules.front] = true;
      tally.add(seen->granules);
    } else {
      flight.interrupt();
    }
  }

  void after() {
    tally.expect_each_once(launches);
    for (unsigned granule = 0; granule < launches; ++granule) RL_ASSERT(is_replaced[granule] == has_copies[granule]);
  }
};

/// An owner ends a launch of two granules and counts what it has run of it, one of them where it was asked for the
/// rest; somebody asks for that, and takes what is given back; somebody else may copy what runs. Each granule is
/// counted once.
struct OwnerAsksAndCopies : rl::test_suite<OwnerAsksAndCopies, 3> {
  using Flight = BasicFlight<Primitives>;
  Flight flight;
  Tally tally;

  void before() { flight.start({0, 2}, 1, 2); }

  void thread(unsigned index) {
    if (index == 0) {
      // Where it sees that it was asked it stops after the first granule, and whoever is given the rest counts the
      // second; also where somebody has begun to copy it since.
      const bool stops = flight.was_asked();
      if (flight.finish() == Flight::End::replaced) return;
      tally.add({0, stops ? 1u : 2u});
      if (stops) tally.add({1, 2});
      return;
    }
    const auto seen = flight.look();
    if (!seen) return;
    if (index == 1) {
      flight.ask_for_rest(*seen);
    } else if (flight.freeze(*seen) && flight.settle()) {
      tally.add(seen->granules);
    }
  }

  void after() { tally.expect_each_once(2); }
};

/// As it was once: who may count is one atomic, whether it was interrupted another, which is set a little later. An
/// owner between the two believes that copies replaced him, and what he has run is counted by nobody.
template <class Atomics>
class TwoWordFlight {
 public:
  using End = typename BasicFlight<Atomics>::End;

  TwoWordFlight() { interrupted_.store(0, std::memory_order_relaxed); }
  void start(Interval granules, std::int64_t begin_ns, std::int64_t forecast_end_ns) {
    flight_.start(granules, begin_ns, forecast_end_ns);
  }
  auto look() { return flight_.look(); }
  bool freeze(const typename BasicFlight<Atomics>::Sighting& seen) { return flight_.freeze(seen); }
  bool settle() { return flight_.settle(); }
  bool reusable() { return flight_.reusable(); }
  void interrupt() {
    const auto seen = flight_.look();
    if (seen && flight_.freeze(*seen) && flight_.settle()) interrupted_.store(1, std::memory_order_release);
  }
  End finish() {
    const End end = flight_.finish();
    const bool was_interrupted = interrupted_.load(std::memory_order_acquire) == 1;
    return end == End::replaced && was_interrupted ? End::interrupted : end;
  }

 private:
  BasicFlight<Atomics> flight_;
  typename Atomics::template Atomic<unsigned> interrupted_;
};

/// Somebody publishes work and notifies; somebody looks for work and sleeps. A lost wake-up would be a deadlock.
template <bool with_ticket_first>
struct SleeperAndNotifier : rl::test_suite<SleeperAndNotifier<with_ticket_first>, 2> {
  BasicParking<Primitives> parking;
  Atomic<unsigned> work;

  void before() { work.store(0, std::memory_order_relaxed); }

  void thread(unsigned index) {
    if (index == 0) {
      work.store(1, std::memory_order_release);
      parking.notify_all();
      return;
    }
    for (;;) {
      auto ticket = parking.ticket();
      if (work.load(std::memory_order_acquire) == 1) return;
      if constexpr (!with_ticket_first) ticket = parking.ticket();
      parking.wait(ticket);
    }
  }
};

enum class Expect { sound, faulty };

template <class Suite>
bool explore(const char* name, Expect expect) {
  rl::test_params parameters;
  parameters.search_type = rl::sched_full;
  parameters.execution_depth_limit = 500;
  rl::ostringstream quiet;
  parameters.output_stream = &quiet;
  parameters.progress_stream = &quiet;
  const bool sound = rl::simulate<Suite>(parameters);
  const bool as_expected = sound == (expect == Expect::sound);
  std::printf("%s: %s: %s after %llu interleavings\n", as_expected ? "ok" : "FAILED", name,
              sound ? "sound" : "a fault was found", static_cast<unsigned long long>(parameters.stop_iteration));
  if (!as_expected) std::printf("%s\n", quiet.str().c_str());
  return as_expected;
}

}  // namespace skua::model

int main() {
  using namespace skua;
  using namespace skua::model;
  bool good = true;
  good &= explore<OwnerAndThieves<BasicShare, 2, 3, 2>>("owner and thief", Expect::sound);
  good &= explore<OwnerAndThieves<BasicShare, 3, 2, 1>>("owner and two thieves", Expect::sound);
  good &= explore<StolenIsStolenAgain>("what was stolen is stolen again", Expect::sound);
  good &=
      explore<OwnerAndThieves<CarelessShare, 2, 3, 2>>("a careless Share loses or doubles granules", Expect::faulty);
  good &= explore<OwnerCopiesAndStop<BasicFlight, 2, 2>>("owner and copies of two launches", Expect::sound);
  good &= explore<OwnerCopiesAndStop<BasicFlight, 3, 1>>("owner, copies and a stop", Expect::sound);
  good &= explore<OwnerAsksAndCopies>("owner, copies and who asks for the rest", Expect::sound);
  good &= explore<OwnerCopiesAndStop<TwoWordFlight, 3, 1>>("a Flight of two words loses what was run", Expect::faulty);
  good &= explore<SleeperAndNotifier<true>>("no wake-up is lost", Expect::sound);
  good &= explore<SleeperAndNotifier<false>>("a ticket taken too late loses a wake-up", Expect::faulty);
  return good ? 0 : 1;
}
