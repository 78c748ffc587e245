import Foundation
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraVerification

/// A trust store in a temporary folder.
struct TrustFolder {
  let store: TrustStore
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    store = TrustStore(folder: folder.file("trust"))
  }

  /// The path of the store's only file.
  var path: String { folder.file("trust/certificates") }

  /// The content of the file; nil if there is none.
  var bytes: [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

  /// The file names in the store's folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.file("trust")).sorted() }
  }

  func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

  /// Imports one file, like `tessera trust import`.
  @discardableResult
  func add(
    _ bytes: [UInt8], name: String = "file", roots: [Certificate] = [], fingerprints: Set<[UInt8]> = [],
    isStrict: Bool = false
  ) throws -> TrustImportSummary {
    let content = try TrustFileContent(bytes, name: name)
    return try store.update { material in
      var trust = TrustImport(to: material, roots: roots, rootFingerprints: fingerprints, isStrict: isStrict)
      let summary = try trust.add(content)
      material = trust.material
      return summary
    }
  }

  /// The error of an import, which must not change the store.
  func refusal(
    _ bytes: [UInt8], roots: [Certificate] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) -> (any Error)? {
    let before = self.bytes
    defer { #expect(self.bytes == before, sourceLocation: sourceLocation) }
    do {
      try add(bytes, roots: roots)
      Issue.record("the file was imported", sourceLocation: sourceLocation)
      return nil
    } catch {
      return error
    }
  }

  /// The SHA-256 of each country signer.
  var fingerprints: Set<[UInt8]> {
    get throws { Set(try store.load().countrySigners.map(\.fingerprint)) }
  }
}
