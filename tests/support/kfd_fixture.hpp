// Expands the short description of a KFD machine into a tree of files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "support/temporary_folder.hpp"

namespace skua::test {

/// A machine in lines of words; what follows # is a comment.
///   cpu N                                     a CPU node
///   gpu N at ADDRESS near CPU [PROPERTY...]   a GPU node like an MI210, and its PCIe link to the CPU node
///   link A B [PROPERTY...]                    an XGMI link of weight 15, one direction only
///   links A B [PROPERTY...]                   both directions
///   p2p A B [PROPERTY...]                     both directions, over PCIe, in p2p_links
///   file PATH TEXT...                         any other file below nodes/
/// PROPERTY is NAME=VALUE, or -NAME to leave a line out.
class KfdFixture {
 public:
  static KfdFixture from_text(const std::string& text);
  /// tests/fixtures/kfd/NAME.kfd
  static KfdFixture from_file(const std::string& name);

  std::filesystem::path nodes() const { return folder_->path() / "nodes"; }
  const TemporaryFolder& folder() const { return *folder_; }

 private:
  std::shared_ptr<TemporaryFolder> folder_ = std::make_shared<TemporaryFolder>();
};

}  // namespace skua::test
