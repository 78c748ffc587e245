import TesseraJSON
import TestSupport
import Testing

@testable import TesseraSeals
@testable import TesseraVerification

/// Changes of genuine seals of each kind, the same in every run: none is genuine, unless it leaves alone what the country
/// signed. Then the report is that on the unchanged one.
///
/// What may change without a difference:
/// - Of each signature by ECDSA: its second half s as n - s, which verifies, too. No single byte does that.
/// - VDS: nothing else.
/// - VDS-NC: how the JSON text is written, such as white space and the digits of a number: what counts is the canonical
///   form (RFC 8785) of `data`, the certificate and the signature.
/// - IDB: the identifier, of which there are three (`RDB1`, `NDB1`, `IDB1`), and how zlib packed the payload. The certificate
///   inside is not signed either, but the payload's reference, which is, must fit.
/// - DTC: the parts of EF.SOD beside the signed attributes and the certificate, such as the list of digest algorithms. EF.SOD
///   is that of the chip, and no reader sees these.
@Suite("Mutations of genuine seals")
struct SealMutationTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let content: [UInt8]
    /// The most mutations that may leave alone what was signed.
    let mostEqual: Int
    /// What the report says; nil if the content is not genuine.
    let statement: @Sendable ([UInt8]) throws -> [String]?
  }

  private static let made = SealVectors("vds-made")
  private static let text = SealVectors("vds-nc")
  private static let barcodes = SealVectors("idb")

  static let kinds: [Kind] = [
    digitalSeal("visa-b-v3-p224"), digitalSeal("etd-v4-p256"), json("vacc-es256"), barcode("idb-date4"),
    barcode("idb-zip"), barcode("idb-embedded"), credential("dtc-type1"),
  ]

  private static func digitalSeal(_ id: String) -> Kind {
    let vector = made.vector(id)
    let trust = (try? made.trust(for: vector)) ?? TrustMaterial()
    let date = made.time(of: vector)
    return Kind(testDescription: "VDS: \(id)", content: vector["seal_hex"].bytes, mostEqual: 0) { bytes in
      statement(try? SealReport(visibleDigitalSeal: bytes, trust: trust, at: date))
    }
  }

  private static func json(_ id: String) -> Kind {
    let vector = text.vector(id)
    let trust = (try? text.trust(for: vector)) ?? TrustMaterial()
    let date = text.time(of: vector)
    return Kind(testDescription: "VDS-NC: \(id)", content: Array(vector["text"].text.utf8), mostEqual: 5) { bytes in
      statement(try? SealReport(vdsNC: bytes, trust: trust, at: date))
    }
  }

  private static func barcode(_ id: String) -> Kind {
    let vector = barcodes.vector(id)
    var known = (try? barcodes.trust(for: vector)) ?? TrustMaterial()
    // Only the certificate inside is there.
    if id == "idb-embedded" { known = TrustMaterial(name: "", countrySigners: known.countrySigners.map(\.certificate)) }
    known.name = nil
    let (trust, date) = (known, barcodes.time(of: vector))
    return Kind(testDescription: "IDB: \(id)", content: Array(vector["text"].text.utf8), mostEqual: 5) { bytes in
      statement(try? SealReport(icaoBarcode: bytes, trust: trust, at: date))
    }
  }

  private static func credential(_ id: String) -> Kind {
    let vector = DTCTests.vectors.vector(id)
    let trust = (try? DTCTests.vectors.trust(for: vector)) ?? TrustMaterial()
    let date = DTCTests.vectors.time(of: vector)
    return Kind(testDescription: "DTC: \(id)", content: DTCTests.bytes(vector), mostEqual: 20) { bytes in
      guard let credential = try? TravelCredential(bytes) else { return nil }
      guard let report = try? Report(credential.dump, trust: trust, at: date), report.outcome == .genuine else {
        return nil
      }
      let groups = credential.files.filter { $0.file != .sod }.map { "\($0.file.name) \($0.bytes.hexadecimal)" }
      let checks = report.checks.map { "\($0.id) \($0.status)" }
      return groups + report.chain.map(\.sha256) + checks
    }
  }

  /// The whole report, without what the identifier of an IDB is.
  private static func statement(_ report: SealReport?) -> [String]? {
    guard let report, report.outcome == .genuine, case .object(var members) = report.json else { return nil }
    members["header"] = nil
    let header = report.header.filter { $0.name != "identifier" }.map { "\($0.name): \($0.value)" }
    return [JSONValue.object(members).text] + header
  }

  // MARK: - Mutations

  private enum Mutation: Int, CaseIterable {
    case change, truncation, insertion, removal, swap, several

    /// How many there are of each seal.
    var count: Int { self == .change ? Sweep.isFull ? 1_000 : 300 : 50 }

    /// Another content than the given one.
    func callAsFunction(_ content: [UInt8], _ round: Int, _ generator: inout SeededGenerator) -> [UInt8] {
      var bytes = content
      // Every byte once, as far as there are as many rounds, and then bytes by chance.
      let isFirst = self == .change && round < bytes.count && bytes.count <= count
      let place = isFirst ? round : Int.random(in: bytes.indices, using: &generator)
      switch self {
      case .change: bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
      case .truncation: bytes.removeSubrange(place...)
      case .insertion: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case .removal: bytes.remove(at: place)
      case .swap: bytes.swapAt(place, Int.random(in: bytes.indices, using: &generator))
      case .several: bytes = Fuzzing.mutated(bytes, &generator)
      }
      return bytes
    }
  }

  @Test("300 changed bytes, 1,000 in a full sweep, and 250 other mutations", arguments: kinds)
  func mutations(_ kind: Kind) throws {
    let unchanged = try #require(try kind.statement(kind.content))
    var generator = SeededGenerator(seed: 46)
    var (tried, equal, changes) = (0, 0, 0)
    for mutation in Mutation.allCases {
      var (round, made) = (0, 0)
      while made < mutation.count {
        let content = mutation(kind.content, round, &generator)
        round += 1
        // Two equal bytes can be swapped, or one inserted beside itself and removed.
        guard content != kind.content else { continue }
        made += 1
        tried += 1
        if mutation == .change { changes += 1 }
        guard let statement = try kind.statement(content) else { continue }
        equal += 1
        #expect(statement == unchanged, "\(mutation) \(round)")
      }
    }
    #expect(changes == Mutation.change.count)
    #expect(tried == changes + 250)
    #expect(equal <= kind.mostEqual)
  }

  @Test("what is not signed may change, and the report stays the same")
  func unsigned() throws {
    let seal = Self.json("vacc-es256")
    let unchanged = try #require(try seal.statement(seal.content))
    let opening: [UInt8] = [UInt8(ascii: "{"), 0x20, 0x0A, 0x09]
    for content in [
      [0x0A] + seal.content, seal.content + [0x0D, 0x0A], opening + seal.content.dropFirst(),
      [0xEF, 0xBB, 0xBF] + seal.content,
    ] { #expect(try seal.statement(content) == unchanged) }
    for id in ["idb-date4", "idb-zip", "idb-embedded"] {
      let barcode = Self.barcode(id)
      let unchanged = try #require(try barcode.statement(barcode.content))
      for identifier in ["RDB1", "NDB1", "IDB1"] {
        #expect(try barcode.statement(Array(identifier.utf8) + barcode.content.dropFirst(4)) == unchanged)
      }
    }
  }
}
