// Every interleaving of two or three actors on a Share and on a Parking, under a weak memory model.
#include <skua/parking.hpp>
#include <skua/share.hpp>

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
  ShareOf<Primitives> share;
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
  BasicShare<Primitives> victim;
  BasicShare<Primitives> own;
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
  good &= explore<SleeperAndNotifier<true>>("no wake-up is lost", Expect::sound);
  good &= explore<SleeperAndNotifier<false>>("a ticket taken too late loses a wake-up", Expect::faulty);
  return good ? 0 : 1;
}
