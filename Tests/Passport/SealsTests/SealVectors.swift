import Foundation
import TesseraCryptography
import TestSupport

@testable import TesseraVerification

/// The vectors of `Vectors/`, one file for each kind of seal.
struct SealVectors: Sendable {
  /// The whole file.
  let file: Vector

  /// - Parameter name: of the file, without `.json`.
  init(_ name: String) {
    let url = Fixtures.tests.appendingPathComponent("Passport/SealsTests/Vectors/\(name).json")
    let data = (try? Data(contentsOf: url)) ?? Data()
    file = Vector(try? JSONSerialization.jsonObject(with: data))
  }

  /// The vectors under `vectors`.
  var all: [Vector] { file["vectors"].list }

  /// The vector with this identifier; a missing value if there is none.
  func vector(_ id: String) -> Vector { all.first { $0.id == id } ?? .missing }

  /// A certificate of the file by its name.
  ///
  /// - Throws: `CryptographyError` if it cannot be decoded.
  func certificate(_ name: String) throws -> Certificate {
    try Certificate(der: file["certificates"][name]["der_base64"].base64)
  }

  /// What a vector says that is known: `trusted` as country signers, `known_certificates` as certificates of signers,
  /// `revocation_lists`. Of a published vector, the named signer is known.
  ///
  /// - Throws: `CryptographyError` if a certificate cannot be decoded.
  func trust(for vector: Vector) throws -> TrustMaterial {
    let countrySigners = try vector["trusted"].list.map { try certificate($0.text) }
    let lists = vector["revocation_lists"].list.map { file["revocation_lists"][$0.text]["der_base64"].base64 }
    var trust = TrustMaterial(name: "vectors", countrySigners: countrySigners, revocationLists: lists)
    trust.name = nil
    let names = vector["known_certificates"].list.map(\.text)
    let signer = vector["signer"].text
    let isNamed = !vector["known_certificates"].isPresent && !signer.isEmpty
    // Not by an import, which takes a self-signed certificate of a signer for one of a country.
    for name in names + (isNamed ? [signer] : []) {
      trust.insert(TrustMaterial.DocumentSigner(certificate: try certificate(name), sources: []))
    }
    return trust
  }

  /// The time of the inspection that a vector is for.
  func time(of vector: Vector) -> Date { (try? Date(vector["at"].text, strategy: .iso8601)) ?? .distantPast }
}
