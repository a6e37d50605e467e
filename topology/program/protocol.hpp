// How skua and its program libexec/skua/probe speak: words on the command line, and lines over the connection.
#pragma once

namespace skua {

/// The program is started as
///   probe VERSION TASK [without=DEVICE,DEVICE...] LIBRARY...
/// asks the first library that is there, and writes lines to its connection, the first of which is the greeting:
///   skua-probe VERSION
///   failed TEXT           the library is not there (task load), or said no; nothing follows
/// Every answer that the library refuses is "?".
inline constexpr const char* probe_version = "2";
inline constexpr const char* probe_greeting = "skua-probe 2\n";

/// Devices that are not to be asked about, by the library's numbers: the program has died of them before.
inline constexpr const char* probe_without = "without=";

/// Tasks. `gpus` and `links` ask for everything, once, without and with links between GPUs, and write as answers come:
///   library NAME          opened
///   asking TEXT           what comes next, so that a crash can be told from its last line
///   gpu BDFID NUMA HIVE UNIQUE_ID MEMORY MODEL NAME
///   without               in place of `gpu`, for a device that is not to be asked about
///   link FROM TO TYPE WEIGHT HOPS MIN MAX
///   end
inline constexpr const char* probe_task_gpus = "gpus";
inline constexpr const char* probe_task_links = "links";
/// `load` answers every byte that comes over the connection, until that is closed, by
///   gpu BDFID BUSY UNIQUE_ID MODEL     one for each GPU
///   end
inline constexpr const char* probe_task_load = "load";

/// No question takes longer: the program ends by SIGALRM then, should nobody have killed it.
inline constexpr unsigned probe_patience_s = 60;

}  // namespace skua
