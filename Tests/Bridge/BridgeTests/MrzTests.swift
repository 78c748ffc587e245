import BridgeVectors
import TesseraCore
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("Machine readable zones in the bridge")
struct MrzTests {
  static let table = BridgeVectors.fixture["mrz"]

  @Test("check digits", arguments: table["checkDigit"].list)
  func checkDigit(_ vector: Vector) throws {
    #expect(Self.table["checkDigit"].list.count == 18)
    if vector["error"].flag {
      #expect(throws: Failure.self) { try MrzCheckDigit.of(vector["input"].text) }
    } else {
      #expect(try MrzCheckDigit.of(vector["input"].text) == vector["checkDigit"].number)
    }
  }

  @Test("access key and key seed", arguments: table["key"].list)
  func key(_ vector: Vector) throws {
    #expect(Self.table["key"].list.count == 6)
    let key = try MrzKey.text(
      documentNumber: vector["passportNumber"].text, dateOfBirth: vector["dateOfBirth"].text,
      dateOfExpiry: vector["dateOfExpiry"].text)
    #expect(key == vector["key"].text)
    #expect(try Array(HashAlgorithm.sha1.digest(of: Array(key.utf8)).prefix(16)) == vector["kSeedHex"].bytes)
  }

  @Test("fields", arguments: table["parse"].list)
  func parse(_ vector: Vector) throws {
    #expect(Self.table["parse"].list.count == 4)
    let fields = MrzFields.json(vector["lines"].list.map(\.text))
    for key in vector["result"].keys { #expect(fields[key]?.stringValue == vector["result"][key].text, "\(key)") }
    #expect(fields.names.sorted() == vector["result"].keys)
  }

  @Test("lines in text", arguments: table["extract"].list)
  func extract(_ vector: Vector) {
    #expect(Self.table["extract"].list.count == 11)
    let lines = MrzLines.find(in: vector["text"].text)
    #expect(lines == (vector["lines"].isPresent ? vector["lines"].list.map(\.text) : nil))
  }

  @Test("fillers", arguments: table["trimFiller"].list)
  func fillers(_ vector: Vector) {
    #expect(Self.table["trimFiller"].list.count == 5)
    #expect(MrzFields.withoutFillers(vector["input"].text) == vector["output"].text)
  }

  @Test("reads arbitrary texts without a crash")
  func hostile() {
    var generator = SeededGenerator(seed: 3)
    let alphabet = Array("P<I0A9 \r\n\u{2028}ß👩‍👩‍👧é\u{0}")
    for _ in 0..<3_000 {
      let text = String(
        (0..<Int.random(in: 0...150, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "<" })
      if let lines = MrzLines.find(in: text) { _ = MrzFields.json(lines) }
      _ = MrzFields.json(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
      _ = MrzLines.state(of: text)
      _ = try? MrzKey.text(documentNumber: text, dateOfBirth: text, dateOfExpiry: text)
    }
    let short = MrzFields.json([String(repeating: "P", count: 44), "x"])
    #expect(short["dateOfBirth"] == "" && short["documentNumber"] == "x")
  }

  @Test("detects the state of a picture")
  func states() {
    let line = String(repeating: "P", count: 44)
    #expect(MrzLines.state(of: " \n\t") == .noText)
    #expect(MrzLines.state(of: "Utopia") == .textDetected)
    #expect(MrzLines.state(of: line) == .oneMrzLine)
    #expect(MrzLines.state(of: "\(line)\n\(line)") == .twoMrzLines)
  }
}
