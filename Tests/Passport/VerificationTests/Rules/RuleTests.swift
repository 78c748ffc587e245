import Foundation
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

/// The rule of the verdict, as two properties of documents that are made here part by part.
@Suite("The verdict accuses only with a proof in hand")
struct RuleTests {
  private static let keys = Result { (country: try SigningKey.generate(), signer: try SigningKey.generate()) }

  private static func document() throws -> MadeDocument {
    let keys = try keys.get()
    return MadeDocument(countryKey: keys.country, signerKey: keys.signer)
  }

  private static func report(_ transformations: Transformation...) throws -> Report? {
    var document = try document()
    for transformation in transformations { try transformation.change(&document) }
    return try document.report()
  }

  @Test("the document itself is genuine")
  func base() throws {
    let report = try #require(try Self.report())
    #expect(report.outcome == .genuine, "\(report.headline) \(report.failedChecks.map(\.detail))")
    #expect(report.proofs.isEmpty)
  }

  @Test("what keeps the meaning accuses nobody", arguments: KeptMeaning.all)
  func kept(_ transformation: Transformation) throws {
    let report = try #require(try Self.report(transformation))
    #expect(report.outcome != .notGenuine, "\(report.headline) \(report.failedChecks.map(\.detail))")
    #expect(report.proofs.isEmpty && (report.outcome == .genuine) == (report.outcomeReason == nil))
  }

  @Test(
    "an EF.SOD in the form of other programs is read",
    arguments: KeptMeaning.all.filter { $0.name.hasPrefix("EF.SOD without") })
  func bare(_ transformation: Transformation) throws {
    #expect(try Self.report(transformation)?.outcome == .genuine)
  }

  @Test("what real signers write in another encoding stays genuine", arguments: KeptMeaning.encodings)
  func encodings(_ transformation: Transformation) throws {
    let report = try #require(try Self.report(transformation))
    #expect(report.outcome == .genuine, "\(report.headline) \(report.failedChecks.map(\.detail))")
  }

  @Test("what breaks the meaning is not genuine, and an accusation has its proof", arguments: BrokenMeaning.all)
  func broken(_ transformation: Transformation) throws {
    let report = try #require(try Self.report(transformation))
    #expect(report.outcome != .genuine, "\(report.headline)")
    #expect((report.outcome == .notGenuine) == !report.proofs.isEmpty)
    if let first = report.proofs.first { #expect(report.outcomeReason == first.reason) }
  }

  @Test("there are enough of each")
  func count() { #expect(KeptMeaning.all.count >= 60 && BrokenMeaning.all.count >= 60) }

  @Test("two changes that keep the meaning accuse nobody")
  func keptPairs() throws {
    try Self.pairs(KeptMeaning.all, KeptMeaning.all) { #expect($0.outcome != .notGenuine, "\($1): \($0.headline)") }
  }

  @Test("no change that keeps the meaning repairs one that breaks it")
  func brokenPairs() throws {
    let kept = KeptMeaning.all.filter { !$0.isLoss }
    try Self.pairs(BrokenMeaning.all, kept) { #expect($0.outcome != .genuine, "\($1): \($0.headline)") }
  }

  /// Pairs at random, always the same ones in a short run.
  private static func pairs(
    _ first: [Transformation], _ second: [Transformation], _ check: (Report, String) -> Void
  ) throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<(Sweep.isFull ? 5_000 : 300) {
      guard let one = first.randomElement(using: &generator), let other = second.randomElement(using: &generator),
        let report = try? report(one, other)
      else { continue }
      check(report, "\(one.name) and \(other.name)")
    }
  }

  /// Every order of the country's certificates and lists gives the same verdict.
  @Test("the order of import does not matter")
  func permutations() throws {
    let keys = try Self.keys.get()
    for name in ["old", "new"] {
      var document = try Self.document()
      // One key under two names, as in the Dutch list of July 2026.
      var renamed = document.country
      renamed.serialNumber = [2]
      renamed.subject.commonName = "new"
      renamed.issuer.commonName = "new"
      document.country.subject.commonName = "old"
      document.country.issuer.commonName = "old"
      document.signer.issuer.commonName = name
      document.statedIssuer.commonName = name
      let list = BrokenMeaning.MadeList(document)
      var later = list
      later.revoked = []
      later.time = "251101000000Z"
      later.issuer.textType = 0x1E
      var other = document.country
      other.subject.commonName = "third"
      other.issuer.commonName = "third"
      (other.key, other.signedBy) = (keys.signer, keys.signer)
      other.extensions.removeAll { $0.identifier == MadeDocument.subjectKey }
      let objects: [TrustObject] = [
        .certificate(try document.country.der()), .certificate(try renamed.der()), .certificate(try other.der()),
        .revocationList(try list.der()), .revocationList(try later.der()),
      ]
      document.isCountryKnown = false
      for order in Self.orders(objects.count) {
        var ordered = document
        ordered.published = { _ in order.map { objects[$0] } }
        let report = try ordered.report()
        #expect(report.outcome == .genuine, "\(name) \(order): \(report.headline) \(report.failedChecks.map(\.detail))")
        #expect(report.chain.last?.subject.contains("CN=\(name)") == true, "\(report.chain.map(\.subject))")
      }
      // One import for each: a list needs its issuer.
      document.importsEach = true
      for order in Self.orders(3) {
        var ordered = document
        ordered.published = { _ in order.map { objects[$0] } + objects[3...] }
        let report = try ordered.report()
        #expect(report.outcome == .genuine, "\(name) \(order): \(report.headline)")
        #expect(report.chain.last?.subject.contains("CN=\(name)") == true, "\(report.chain.map(\.subject))")
      }
    }
  }

  @Test("a link certificate without a key identifier is verified, however it spells its issuer", arguments: 0..<4)
  func link(_ spelling: Int) throws {
    let document = try Self.document()
    var link = document.country
    link.serialNumber = [9]
    link.subject.commonName = "CSCA Utopia 2"
    switch spelling {
    case 0: break
    case 1: link.issuer.country = "ut"
    case 2: link.issuer.textType = 0x1E
    default: link.issuer.commonName = "CSCA  UTOPIA"
    }
    (link.key, link.signedBy) = (document.signerKey, document.countryKey)
    link.extensions.removeAll { $0.identifier == MadeDocument.subjectKey }
    let root = try Certificate(der: document.country.der())
    var trust = TrustImport(to: TrustMaterial(), roots: [root], at: document.date)
    _ = try trust.add(
      TrustFileContent(name: "l", objects: [.certificate(root.der), .certificate(try link.der())]))
    #expect(trust.material.countrySigners.map(\.status) == [.selfSigned, .linked(issuer: root.fingerprint)])
  }

  private static func orders(_ count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return orders(count - 1).flatMap { rest in
      (0...rest.count).map { place in Array(rest[..<place]) + [count - 1] + Array(rest[place...]) }
    }
  }
}
