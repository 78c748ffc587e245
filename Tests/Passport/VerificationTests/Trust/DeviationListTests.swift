import SwiftASN1
import TesseraCryptography
import TesseraVirtualChip
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

@Suite("Deviation lists")
struct DeviationListTests {
  /// A list with one deviation, in DER.
  private func content(type: [UInt], numbers: [String]? = nil, signer: Certificate? = nil) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { list in
      try list.serialize(0)
      try list.appendConstructedNode(identifier: .set) { deviations in
        try deviations.appendConstructedNode(identifier: .sequence) { deviation in
          try deviation.appendConstructedNode(identifier: .sequence) { documents in
            if let signer {
              let tag = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)
              try documents.appendConstructedNode(identifier: tag) { identifier in
                identifier.serialize(try DER.parse(signer.issuerName.encoded))
                identifier.appendPrimitiveNode(identifier: .integer) { $0 += signer.serialNumberBytes }
              }
            }
            if let numbers {
              let tag = ASN1Identifier(tagWithNumber: 5, tagClass: .contextSpecific)
              try documents.appendConstructedNode(identifier: tag) { set in
                for number in numbers { try set.serialize(ASN1PrintableString(number)) }
              }
            }
          }
          try deviation.appendConstructedNode(identifier: .set) { descriptions in
            try descriptions.appendConstructedNode(identifier: .sequence) { description in
              try description.serialize(ASN1PrintableString("Batch of May"))
              try description.serialize(ASN1ObjectIdentifier(elements: [2, 23, 136, 1, 1, 7] + type))
            }
          }
        }
      }
    }
    return serializer.serializedBytes
  }

  private func signed(_ content: [UInt8], by signer: Issuer) throws -> [UInt8] {
    try SignedDataBuilder(contentType: DeviationList.contentType).sign(content, by: signer)
  }

  private func trust(_ country: TestCountry, _ lists: [[UInt8]]) throws -> TrustMaterial {
    var trust = TrustImport(to: TrustMaterial(name: "test", countrySigners: country.countrySigners))
    let summary = try trust.add(TrustFileContent(name: "list", objects: lists.map(TrustObject.deviationList)))
    #expect(summary.deviationLists == lists.count)
    return trust.material
  }

  private func document(_ name: String) async throws -> (SpecimenDocument, DocumentDump) {
    let profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    return (document, try await Dumps.read(document.files, profile))
  }

  @Test("a deviation of the document is a finding that leaves the outcome")
  func listed() async throws {
    let (document, dump) = try await document("bac")
    let number = try dump.zone().documentNumber
    let signer = try #require(document.country.documentSigners.first)
    let authority = try document.country.authority.deviationListSigner()
    let list = try signed(content(type: [2, 2], numbers: [number], signer: signer), by: authority)
    let report = try Report(dump, trust: trust(document.country, [list]))
    #expect(report.findings.map(\.id) == [.deviationListed])
    #expect(report.findings.first?.detail.contains("digest of a data group (\"Batch of May\").") == true)
    #expect(report.isSound)
    #expect(report.outcome == .genuine)

    let other = try signed(content(type: [2, 2], numbers: ["X0000000"], signer: signer), by: authority)
    #expect(try Report(dump, trust: trust(document.country, [other])).findings.isEmpty)
  }

  @Test("a compromised key of Active Authentication prevents the outcome that only it proves")
  func compromisedKey() async throws {
    let profile = ChipProfile.all.first { $0.activeAuthentication != nil && $0.chipAuthentication.isEmpty }
    let (document, dump) = try await document(try #require(profile).name)
    let list = try signed(content(type: [1, 4]), by: document.country.authority.deviationListSigner())
    let plain = try Report(dump, trust: TrustMaterial(name: "test", countrySigners: document.country.countrySigners))
    #expect(plain.outcome == .genuine)
    let report = try Report(dump, trust: trust(document.country, [list]))
    #expect(report.findings.map(\.id) == [.deviationKeyCompromised])
    #expect(!report.isSound)
    #expect(report.outcome == .notEstablished)
  }

  @Test("EF.COM, which is not signed, gives no document a key of Active Authentication")
  func keyOfCommonData() async throws {
    var (document, dump) = try await document("bac")
    dump.add(.com, EFCOM(ldsVersion: "0107", unicodeVersion: "040000", dataGroups: [1, 2, 15]).encoded)
    let list = try signed(content(type: [1, 4]), by: document.country.authority.deviationListSigner())
    let report = try Report(dump, trust: trust(document.country, [list]))
    #expect(report.findings.map(\.id) == [.deviationListed])
    #expect(report.outcome == .genuine)
  }

  @Test("a list by a signer for another purpose, and a changed list, are refused")
  func refused() async throws {
    let (document, _) = try await document("bac")
    let authority = document.country.authority
    let content = try content(type: [2, 2])
    var changed = try signed(content, by: authority.deviationListSigner())
    changed[changed.count - 1] ^= 1
    for list in [try signed(content, by: authority.masterListSigner()), changed] {
      #expect(throws: TrustError.self) { try trust(document.country, [list]) }
    }
    #expect(throws: TrustError.self) {
      var trust = TrustImport(to: TrustMaterial())
      let list = try signed(content, by: authority.deviationListSigner())
      _ = try trust.add(TrustFileContent(name: "list", objects: [.deviationList(list)]))
    }
  }

  @Test("the store keeps the list")
  func stored() async throws {
    let (document, _) = try await document("bac")
    let list = try signed(content(type: [2, 2]), by: document.country.authority.deviationListSigner())
    let material = try trust(document.country, [list])
    let loaded = try TrustFile.decode(TrustFile.encode(material))
    #expect(loaded.deviationLists.map(\.list) == material.deviationLists.map(\.list))
    #expect(loaded.deviationLists.first?.list.country == "UT")
  }
}
