// SPDX-License-Identifier: MIT
#include "sim/redis/rdb/library_payload.h"

#include "sim/redis/rdb/footer.h"
#include "sim/redis/rdb/format.h"
#include "sim/redis/rdb/text_encoding.h"

namespace interlock::sim::redis {

namespace {

// What a release candidate wrote names the library and its engine beside the text.
std::string ReadEarlyLibrary(ByteReader* reader, std::string* text) {
  std::string name;
  std::string engine;
  std::uint64_t described = 0;
  std::string description;
  std::string code;
  if (!ReadText(reader, &name)) return "ERR Failed loading library name";
  if (!ReadText(reader, &engine)) return "ERR Failed loading engine name";
  if (!ReadCount(reader, &described)) return "ERR Failed loading library description indicator";
  if (described != 0 && !ReadText(reader, &description)) {
    return "ERR Failed loading library description";
  }
  if (!ReadText(reader, &code)) return "ERR Failed loading library blob";
  *text = "#!" + engine + " name=" + name + "\n" + code;
  return {};
}

std::string ReadLibrary(ByteReader* reader, const Dialect& dialect, std::string* text) {
  std::uint64_t type = 0;
  reader->LittleEndian(1, &type);
  if (type == kRdbLibrary) {
    return ReadText(reader, text) ? std::string() : "ERR Failed loading library payload";
  }
  if (type != kRdbEarlyLibrary) return "ERR given type is not a function";
  if (dialect.since_72) return "ERR Pre-GA function format not supported";
  return ReadEarlyLibrary(reader, text);
}

}  // namespace

std::string WriteLibraries(std::span<const std::string> texts, const Dialect& dialect) {
  std::string payload;
  for (const std::string& text : texts) {
    payload.push_back(static_cast<char>(kRdbLibrary));
    AppendText(text, &payload);
  }
  AppendFooter(dialect.rdb_version, &payload);
  return payload;
}

std::string ReadLibraries(std::string_view payload, const Dialect& dialect,
                          std::vector<std::string>* texts) {
  ByteReader reader(payload);
  while (payload.size() > reader.position() + kFooterSize) {
    std::string text;
    std::string error = ReadLibrary(&reader, dialect, &text);
    if (!error.empty()) return error;
    texts->push_back(std::move(text));
  }
  return {};
}

}  // namespace interlock::sim::redis
