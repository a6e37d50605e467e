// Stands in for xml_document.cpp in a skua without libxml2.
#include <fmt/format.h>

#include <skua/input.hpp>

#include "xml_document.hpp"

namespace skua {

XmlDocument XmlDocument::read(const std::string&, const std::string& source) {
  throw InputError(fmt::format("{}: this is XML, and this skua was built without libxml2, which reads it", source));
}

}  // namespace skua
