import TesseraLocales
import TestSupport
import Testing

@testable import ReRune

/// Bytes of nobody's making: a parser refuses them or reads them, and the process goes on.
@Suite struct HostilePayloadTests {
  private static let special =
    Array("{}[]\"\\,:;=/*'uU0d% \n".utf8) + [0x00, 0x7F, 0x80, 0xC2, 0xE2, 0xED, 0xF0, 0xFE, 0xFF]

  private static func changed(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let byte = special.randomElement(using: &generator) ?? 0
      let index = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.insert(byte, at: index)
      case 1 where index < bytes.count: bytes.remove(at: index)
      case 2: bytes.removeLast(min(bytes.count, bytes.count - index) / 8)
      default: if index < bytes.count { bytes[index] = byte }
      }
    }
    return bytes
  }

  /// Texts whose bytes are all checked: reading one outside its memory would show here, or in AddressSanitizer.
  private static func isWhole(_ table: StringTable) -> Bool {
    let texts = table.dictionary
    // A lookup compares a text with a percent sign with the caller's own.
    return texts.count == table.count
      && texts.allSatisfy { $0.value.contains("%") || table.text($0.key)?.text == $0.value }
  }

  @Test(arguments: [
    Array(#"{"key":"Let’s \"go\" \u00fc\n","b":[1,{"c":null}],"d":"\ud83d\ude00 100%","e":-1.5e3,"":"x"}"#.utf8),
    Array("/* a */ \"key\" = \"Let’s \\\"go\\\" \\U00fc \\ud83d\\ude00 \\101\";\n// b\nc.d = 'e';\nalone;".utf8),
    [0xFE, 0xFF]
      + "\"a\" = \"ä😀\"; b = c;".utf16.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 0xFF)] },
  ])
  func payloads(valid: [UInt8]) throws {
    var generator = SeededGenerator(seed: 1)
    var (read, refused) = (0, 0)
    for _ in 0..<4_000 {
      if let table = try? TranslationPayload(Self.changed(valid, &generator)).table() {
        #expect(Self.isWhole(table))
        read += 1
      } else {
        refused += 1
      }
    }
    #expect(read > 100 && refused > 100, "\(read), \(refused)")
  }

  @Test func cacheRecords() throws {
    let tag = try #require(LocaleTag("de-AT"))
    let valid = Fixtures.file("Content/ReRuneTests", "rerune-cache-record.json")
    #expect(LocaleRecord(file: valid, tag: tag) != nil)
    var generator = SeededGenerator(seed: 2)
    var (read, refused) = (0, 0)
    for _ in 0..<4_000 {
      if let record = LocaleRecord(file: Self.changed(valid, &generator), tag: tag) {
        if let table = try? record.payload.table() { #expect(Self.isWhole(table)) }
        read += 1
      } else {
        refused += 1
      }
    }
    #expect(read > 100 && refused > 100, "\(read), \(refused)")
  }

  @Test func manifests() {
    let valid = Fixtures.file("Content/ReRuneTests", "rerune-manifest-bundles-language.json")
    var generator = SeededGenerator(seed: 3)
    var (read, refused) = (0, 0)
    for _ in 0..<2_000 {
      if TranslationManifest(Self.changed(valid, &generator)) == nil { refused += 1 } else { read += 1 }
    }
    #expect(read > 100 && refused > 100, "\(read), \(refused)")
  }

  @Test func placeholders() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<4_000 {
      let format = String(decoding: Self.changed(Array("%1$*2$-5.3lld %@ %.*f %%".utf8), &generator), as: UTF8.self)
      // Text without a percent sign has no part in it, and each placeholder has one.
      #expect(Placeholders("a\u{301} 5 " + format) == Placeholders(format), "\(format)")
      #expect(Placeholders("%1$n" + format) != Placeholders(format), "\(format)")
    }
  }
}
