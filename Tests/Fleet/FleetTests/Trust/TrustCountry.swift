import Foundation
import PassportTestSupport
import TesseraCryptography
import TesseraVerification
import TestSupport

@testable import TesseraFleet

/// A country that publishes a list.
struct TrustCountry {
  let authority: TestAuthority
  var root: Certificate { authority.certificate }

  init(_ code: String = "UT") throws { authority = try TestAuthority(code) }

  /// - Parameters:
  ///   - others: the country signers of others in the list.
  ///   - days: when it was signed, relative to the present.
  func list(_ others: [Certificate] = [], days: Double = -1) throws -> TrustFileBytes {
    let time = TestAuthority.now.addingTimeInterval(days * TestAuthority.day)
    return TrustFileBytes(
      name: "\(root.country ?? "").ml", bytes: try authority.masterList([root] + others, signedAt: time))
  }
}

extension TrustMaterial {
  /// Those of the country signers.
  var fingerprints: Set<[UInt8]> { Set(countrySigners.map(\.fingerprint)) }
}

extension TrustBucketFollower {
  /// What is wrong with the newest version.
  func examinedProblem() async -> TrustBucketError? {
    await examine()
    return problem
  }
}
