import TesseraPassport
import TestSupport
import Testing

@testable import TesseraSeals
@testable import TesseraVerification

/// Seals of a throw-away country, most of them with one fault that the other vectors lack: `faults.json`.
@Suite("Seals with one fault each")
struct SealFaultTests {
  static let vectors = SealVectors("faults")

  @Test("the outcome, its reason, and the status of Doc 9303-13", arguments: vectors.all)
  func judges(_ vector: Vector) throws {
    let expected = vector["expect"]
    let report = try? Self.report(vector)
    #expect((report?.outcome.rawValue ?? "not a seal") == expected["outcome"].text)
    #expect((report?.outcomeReason?.rawValue ?? "") == expected["reason"].text)
    #expect((report?.status.indications.map(\.rawValue) ?? []) == expected["icao"].list.map(\.text))
  }

  private static func report(_ vector: Vector) throws -> SealReport {
    let (trust, time) = (try vectors.trust(for: vector), vectors.time(of: vector))
    let lines = vector["printed_mrz"].list.map(\.text)
    let printed = lines.isEmpty ? nil : PrintedZone(lines: lines, isCertain: true)
    let text = Array(vector["text"].text.utf8)
    return switch vector["kind"].text {
    case "idb": try SealReport(icaoBarcode: text, printed: printed, trust: trust, at: time)
    case "vdsNC": try SealReport(vdsNC: text, printed: printed, trust: trust, at: time)
    default:
      try SealReport(visibleDigitalSeal: vector["seal_hex"].bytes, printed: printed, trust: trust, at: time)
    }
  }

  @Test("are as many as the file should have, of each kind and outcome")
  func count() {
    for (kind, count) in [("vds", 134), ("vdsNC", 99), ("idb", 47)] {
      #expect(Self.vectors.all.filter { $0["kind"].text == kind }.count == count, "\(kind)")
    }
    for outcome in ["genuine", "notGenuine", "notEstablished", "not a seal"] {
      #expect(Self.vectors.all.count { $0["expect"]["outcome"].text == outcome } > 10, "\(outcome)")
    }
  }

  @Test("signed members that no description has are shown, wherever they stand")
  func unknownMembers() throws {
    for (id, field) in [("nc-hdr-extra", #"{"zz":1}"#), ("nc-data-extra", #"{"zz":[1,2]}"#)] {
      let report = try Self.report(Self.vectors.vector(id))
      #expect(report.fields.contains { $0.name == "member" && $0.value == field }, "\(id)")
    }
  }
}
