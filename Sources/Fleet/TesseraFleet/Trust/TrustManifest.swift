internal import TesseraCryptography
internal import TesseraSmartCard

/// What the bucket holds: the files that were imported, as they were published, and what their signers must lead to.
///
/// It is one entry of the bucket and replaced at once, so a reader sees the old or the new one. Its revision is the
/// version of the store.
struct TrustManifest: FleetMessage, Equatable {
  /// The key of its entry.
  static let key = "manifest"

  /// One file.
  struct Source: Codable, Equatable {
    /// What provenance shows.
    var name: String
    /// SHA-256 of the content, in lower-case hexadecimal.
    var sha256: String
    /// In bytes.
    var size: Int
    /// SHA-256 of each part, in lower-case hexadecimal. A part's key is `part.` and this.
    var parts: [String]
  }

  /// A certificate for which the administrator vouches.
  struct Root: Codable, Equatable {
    /// In DER.
    var certificate: Base64Bytes
    /// The name of the file that contains it, if naming that file was the word of the administrator. It counts as long as
    /// the file is there.
    var file: String?
  }

  var sources: [Source] = []
  var roots: [Root] = []
  /// SHA-256 of certificates that the files contain and for which the administrator vouches, in lower-case hexadecimal.
  var rootFingerprints: [String] = []

  static func partKey(_ digest: String) -> String { "part.\(digest)" }

  /// The digests of all parts.
  var parts: Set<String> { Set(sources.flatMap(\.parts)) }

  /// - Throws: `TrustBucketError.unknownVersion`, `.malformed`, `.tooLarge`.
  init(_ bytes: [UInt8], _ limits: TrustBucketLimits) throws(TrustBucketError) {
    do throws(FleetError) {
      self = try FleetCoding.decode(TrustManifest.self, from: bytes, limit: limits.manifestSize)
    } catch {
      switch error.code {
      case .unknownVersion: throw TrustBucketError.unknownVersion
      case .tooLarge: throw TrustBucketError.tooLarge
      default: throw TrustBucketError.malformed
      }
    }
    try check(limits)
  }

  init() {}

  /// Whether all numbers are within the limits and agree with one another.
  func check(_ limits: TrustBucketLimits) throws(TrustBucketError) {
    guard sources.count <= limits.fileCount, roots.count <= limits.rootCount,
      rootFingerprints.count <= limits.rootCount, roots.allSatisfy({ $0.certificate.bytes.count <= limits.rootSize })
    else { throw TrustBucketError.tooLarge }
    var total = 0
    for source in sources {
      guard (1...limits.nameSize).contains(source.name.utf8.count), source.size > 0, Self.isDigest(source.sha256),
        source.parts.allSatisfy(Self.isDigest)
      else { throw TrustBucketError.malformed }
      guard source.size <= limits.totalSize - total else { throw TrustBucketError.tooLarge }
      total += source.size
      guard source.parts.count == Self.partCount(source.size) else { throw TrustBucketError.malformed }
    }
    guard Set(sources.map(\.name)).count == sources.count, rootFingerprints.allSatisfy(Self.isDigest) else {
      throw TrustBucketError.malformed
    }
  }

  private static func partCount(_ size: Int) -> Int {
    (size - 1) / TrustBucketLimits.partSize + 1
  }

  private static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
  }

  /// SHA-256 in lower-case hexadecimal.
  static func digest(_ bytes: some Collection<UInt8>) throws -> String {
    try HashAlgorithm.sha256.digest(of: bytes).hexadecimal.lowercased()
  }
}

extension TrustManifest.Source {
  /// - Parameter content: the file; must not be empty.
  init(name: String, content: [UInt8]) throws {
    self.name = name
    sha256 = try TrustManifest.digest(content)
    size = content.count
    parts = try Self.parts(of: content).map(TrustManifest.digest)
  }

  static func parts(of content: [UInt8]) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: content.count, by: TrustBucketLimits.partSize).map {
      content[$0..<min(content.count, $0 + TrustBucketLimits.partSize)]
    }
  }

  /// The bytes that the part at this position must have.
  func partSize(_ position: Int) -> Int {
    position + 1 < parts.count
      ? TrustBucketLimits.partSize : size - (parts.count - 1) * TrustBucketLimits.partSize
  }
}
