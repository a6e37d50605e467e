#include <gtest/gtest.h>

#include <pthread.h>

#include <thread>

#include <skua/discovery.hpp>
#include <system/skua_thread.hpp>
#include <system/thread.hpp>

namespace skua {
namespace {

const CpuSet near_cpus = *CpuSet::from_list("96-127");

TEST(Binding, TakesTheCpusThatAreNearAndAllowed) {
  const Binding part = choose_binding(near_cpus, CpuSet::from_list("100-103"));
  EXPECT_EQ(part.cpus.to_list(), "100-103");
  EXPECT_FALSE(part.note);
  EXPECT_EQ(choose_binding(near_cpus, near_cpus).cpus, near_cpus);
}

TEST(Binding, FallsBackToTheAllowedOnesWithOneNote) {
  const Binding elsewhere = choose_binding(near_cpus, CpuSet::from_list("0-15"));
  EXPECT_EQ(elsewhere.cpus.to_list(), "0-15");
  ASSERT_TRUE(elsewhere.note);
  EXPECT_NE(elsewhere.note->find("96-127"), std::string::npos);
}

TEST(Binding, SaysWhyWhenTheSystemRefuses) {
  const auto note = bind_this_thread(*CpuSet::from_list("1000000"));
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("1000000"), std::string::npos);
}

TEST(Binding, HoldsOnTheCpusThatAreAllowed) {
  const auto allowed = discover_host_cpus().allowed;
  ASSERT_TRUE(allowed);
  std::thread([&] { EXPECT_FALSE(bind_this_thread(CpuSet({allowed->cpus().front()}))); }).join();
}

TEST(ThreadName, IsCutToWhatTheSystemKeeps) {
  std::thread([] {
    name_this_thread("skua-a-name-that-is-too-long");
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    EXPECT_STREQ(name, "skua-a-name-tha");
  }).join();
}

TEST(ThreadName, OfAThreadOfSkuasIsTheOneThatItIsFoundBy) {
  for (const char* given : {"gpu:0.0", "a name that is too long"}) {
    std::thread([&] {
      name_skua_thread(given);
      char name[16] = {};
      pthread_getname_np(pthread_self(), name, sizeof name);
      EXPECT_EQ(skua_thread_name(given), name);
      EXPECT_TRUE(is_of_skua_thread());
    }).join();
  }
}

}  // namespace
}  // namespace skua
