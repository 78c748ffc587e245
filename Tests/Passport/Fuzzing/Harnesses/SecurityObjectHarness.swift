import TesseraVirtualChip

@testable import TesseraPassport
@testable import TesseraVerification

/// EF.SOD with Passive Authentication over the specimen's data groups.
enum SecurityObjectHarness: Harness {
  static let name = "security-object"

  static func seeds() throws -> [String: [UInt8]] {
    let document = try SpecimenDocument()
    let older = try SpecimenDocument(groups: groups, ldsVersion: "0107")
    return ["specimen": document.files[.sod] ?? [], "lds-0107": older.files[.sod] ?? []]
  }

  private static let groups: [Int: [UInt8]] = {
    guard let files = try? SpecimenDocument().files else { return [:] }
    return [1: files[.dg1] ?? [], 2: files[.dg2] ?? []]
  }()

  static func test(_ input: [UInt8]) throws {
    let object = try EFSOD(input)
    let result = PassiveAuthentication(object, dataGroups: groups)
    property(result.coverage.count == groups.count, "every group has a result")
    property((result.documentSigner != nil) == (result.signatureProblem == nil), "a valid signature has a signer")
    for certificate in object.signedData.certificates {
      _ = (certificate.pem(), certificate.subject, certificate.subjectKeyIdentifier)
    }
    if let again = try? LDSSecurityObject(object.securityObject.encoded()) {
      property(again.digests == object.securityObject.digests, "digests are written as they were read")
    }
  }
}
