// Builds the tree from libxml2's events.
#include "xml_document.hpp"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <skua/input.hpp>

namespace skua {
namespace {

constexpr std::size_t bytes_max = std::size_t{128} << 20;
constexpr std::size_t depth_max = 128;
constexpr std::size_t elements_max = 2'000'000;
constexpr std::size_t attributes_max = 256;

std::string_view view(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

/// The parser's own words, on one line.
std::string reason(const xmlError& error) {
  std::string text = error.message == nullptr ? "not well-formed" : error.message;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

struct ParserDeleter {
  void operator()(xmlParserCtxt* parser) const {
    xmlFreeDoc(parser->myDoc);
    xmlFreeParserCtxt(parser);
  }
};

}  // namespace

class XmlTreeBuilder {
 public:
  explicit XmlTreeBuilder(const std::string& source) : source_(source) {}
  XmlDocument build(const std::string& content);

 private:
  static void on_start(void* context, const xmlChar* name, const xmlChar*, const xmlChar*, int, const xmlChar**,
                       int attribute_count, int, const xmlChar** attributes) {
    guarded(context, [&](XmlTreeBuilder& self) { self.start(name, attribute_count, attributes); });
  }
  static void on_end(void* context, const xmlChar*, const xmlChar*, const xmlChar*) {
    guarded(context, [](XmlTreeBuilder& self) { self.end(); });
  }
  static void on_text(void* context, const xmlChar* text, int length) {
    guarded(context, [&](XmlTreeBuilder& self) {
      if (self.open_.empty()) return;
      self.open_.back().text.append(reinterpret_cast<const char*>(text), static_cast<std::size_t>(length));
    });
  }
  static void on_entity(void* context, const xmlChar*, int, const xmlChar*, const xmlChar*, xmlChar*) {
    refuse_declaration(context);
  }
  static void on_attribute_list(void* context, const xmlChar*, const xmlChar*, int, int, const xmlChar*,
                                xmlEnumerationPtr values) {
    xmlFreeEnumeration(values);
    refuse_declaration(context);
  }
  static void on_element_type(void* context, const xmlChar*, int, xmlElementContentPtr) { refuse_declaration(context); }
  static void on_error(void* context, xmlErrorPtr error) {
    guarded(context, [&](XmlTreeBuilder& self) {
      if (error == nullptr || error->level < XML_ERR_ERROR) return;
      self.stop(static_cast<std::size_t>(std::max(error->line, 1)), "not XML: " + reason(*error));
    });
  }
  static void refuse_declaration(void* context) {
    guarded(context, [](XmlTreeBuilder& self) {
      self.stop(self.line(), "a document that declares entities or elements of its own is not read");
    });
  }

  /// No exception may pass through the C code of the parser.
  template <class Action>
  static void guarded(void* context, Action action) noexcept {
    auto& self = *static_cast<XmlTreeBuilder*>(context);
    if (self.exception_) return;
    try {
      action(self);
    } catch (...) {
      self.exception_ = std::current_exception();
      xmlStopParser(self.parser_.get());
    }
  }

  std::size_t line() const {
    const int line = parser_->input == nullptr ? 1 : parser_->input->line;
    return static_cast<std::size_t>(std::max(line, 1));
  }
  /// The first reason counts: what the parser says after it follows from it.
  void stop(std::size_t line, const std::string& what) {
    if (failure_.empty()) failure_ = fmt::format("{}:{}: {}", source_, line, what);
    xmlStopParser(parser_.get());
  }
  void check_size(const std::string& content) const;
  void start(const xmlChar* name, int attribute_count, const xmlChar** attributes);
  void end();
  std::string_view interned(const xmlChar* name) { return *document_.names_.emplace(view(name)).first; }

  const std::string& source_;
  std::unique_ptr<xmlParserCtxt, ParserDeleter> parser_;
  XmlDocument document_;
  std::vector<XmlElement> open_;
  std::size_t element_count_ = 0;
  std::string failure_;
  std::exception_ptr exception_;
};

void XmlTreeBuilder::start(const xmlChar* name, int attribute_count, const xmlChar** attributes) {
  if (open_.size() == depth_max) return stop(line(), fmt::format("nested deeper than {} elements", depth_max));
  if (++element_count_ > elements_max) return stop(line(), fmt::format("more than {} elements", elements_max));
  XmlElement element;
  element.name = interned(name);
  element.line = static_cast<std::uint32_t>(line());
  // Of each attribute libxml2 gives name, prefix, namespace, and begin and end of the value.
  for (int place = 0; place < attribute_count; ++place) {
    const xmlChar** attribute = attributes + 5 * place;
    element.attributes.push_back(
        {interned(attribute[0]), std::string(reinterpret_cast<const char*>(attribute[3]),
                                             static_cast<std::size_t>(attribute[4] - attribute[3]))});
  }
  open_.push_back(std::move(element));
}

void XmlTreeBuilder::end() {
  if (open_.empty()) return;
  XmlElement element = std::move(open_.back());
  open_.pop_back();
  if (open_.empty()) {
    document_.root_ = std::move(element);
  } else {
    open_.back().children.push_back(std::move(element));
  }
}

/// libxml2 compares every attribute of an element with all others of it: their number must be bounded before.
void XmlTreeBuilder::check_size(const std::string& content) const {
  if (content.size() > bytes_max) {
    throw InputError(fmt::format("{}: larger than {} MiB, which no topology in XML is", source_, bytes_max >> 20));
  }
  std::size_t equals = 0;
  for (std::size_t at = 0; at < content.size(); ++at) {
    if (content[at] == '<') equals = 0;
    if (content[at] != '=' || ++equals <= attributes_max) continue;
    const auto lines = std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    throw InputError(fmt::format("{}:{}: more than {} attributes in one element", source_, lines, attributes_max));
  }
}

XmlDocument XmlTreeBuilder::build(const std::string& content) {
  check_size(content);
  parser_.reset(xmlCreateMemoryParserCtxt(content.data(), static_cast<int>(content.size())));
  if (!parser_) throw InputError(fmt::format("{}:1: not XML: it is empty", source_));
  // Substitution covers the five entities that every XML file has, and none that a file could declare.
  xmlCtxtUseOptions(parser_.get(), XML_PARSE_NONET | XML_PARSE_NOENT);
  xmlSAXHandler& events = *parser_->sax;
  std::memset(&events, 0, sizeof(events));
  events.initialized = XML_SAX2_MAGIC;
  events.startElementNs = on_start;
  events.endElementNs = on_end;
  events.characters = on_text;
  events.cdataBlock = on_text;
  events.entityDecl = on_entity;
  events.attributeDecl = on_attribute_list;
  events.elementDecl = on_element_type;
  events.serror = on_error;
  parser_->userData = this;
  xmlParseDocument(parser_.get());
  if (exception_) std::rethrow_exception(exception_);
  if (!failure_.empty()) throw InputError(failure_);
  if (parser_->wellFormed == 0 || document_.root_.name.empty()) {
    throw InputError(fmt::format("{}:{}: not well-formed XML", source_, line()));
  }
  return std::move(document_);
}

XmlDocument XmlDocument::read(const std::string& content, const std::string& source) {
  return XmlTreeBuilder(source).build(content);
}

}  // namespace skua
