import Foundation

@testable import TesseraCryptography
@testable import TesseraVerification

/// The vectors of signed barcodes and digital travel credentials in `SealsTests/Vectors`.
enum SealVectorFiles {
  struct Vector {
    /// A name for a file.
    let name: String
    let content: [UInt8]
    /// The lines of the zone beside it.
    let printed: [String]
  }

  static var all: [Vector] { get throws { try files.get().flatMap(\.all) } }

  /// What these vectors have, by their names.
  static func contents(of names: [String]) throws -> [String: [UInt8]] {
    let contents = Dictionary(try all.map { ($0.name, $0.content) }) { first, _ in first }
    return contents.filter { names.contains($0.key) }
  }

  /// The certificates of all vectors, with their revocation lists.
  static func trust() throws -> TrustMaterial {
    let files = try self.files.get()
    let certificates = files.flatMap { $0.certificates ?? [:] }.sorted { $0.key < $1.key }
    func decoded(where isIncluded: (String) -> Bool) throws -> [Certificate] {
      try certificates.filter { isIncluded($0.key) }.map { try Certificate(der: Array($0.value.derBase64)) }
    }
    let lists = files.flatMap { $0.revocationLists ?? [:] }.sorted { $0.key < $1.key }
    var trust = TrustMaterial(
      name: "vectors", countrySigners: try decoded { $0.hasPrefix("csca-") },
      revocationLists: lists.map { Array($0.value.derBase64) })
    for signer in try decoded(where: { $0.hasPrefix("signer-") }) {
      trust.insert(TrustMaterial.DocumentSigner(certificate: signer, sources: []))
    }
    return trust
  }

  private static let files = Result {
    try ["dtc", "idb", "vds-made", "vds-nc", "vds-published"].map { name in
      let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../SealsTests/Vectors")
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      let data = try Data(contentsOf: folder.standardizedFileURL.appendingPathComponent("\(name).json"))
      return try decoder.decode(File.self, from: data)
    }
  }

  private struct File: Decodable {
    let certificates: [String: Encoded]?
    let revocationLists: [String: Encoded]?
    let vectors: [Entry]

    var all: [Vector] {
      vectors.compactMap { entry in
        entry.content.map { Vector(name: entry.id, content: $0, printed: entry.printedMrz ?? []) }
      }
    }
  }

  private struct Encoded: Decodable { let derBase64: Data }

  private struct Entry: Decodable {
    let id: String
    let sealHex: String?
    let text: String?
    let derBase64: Data?
    let printedMrz: [String]?

    /// nil for one that is another one with a change.
    var content: [UInt8]? {
      if let sealHex { return [UInt8](hexadecimal: sealHex) }
      return text.map { Array($0.utf8) } ?? derBase64.map { Array($0) }
    }
  }
}
