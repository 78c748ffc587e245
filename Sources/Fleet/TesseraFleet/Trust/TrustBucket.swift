internal import TesseraCryptography
package import TesseraNATS

/// The fleet's store of country certificates: the key-value bucket `TRUST`.
///
/// It holds the files as their authorities published them, in parts, and one manifest that names them. Nothing in it is
/// trusted because it is there: whoever publishes verifies first, and each inspector verifies again.
package struct TrustBucket: Sendable {
  package static let name = "TRUST"
  /// Where the servers publish each change once more.
  package static let changes = "tessera.trust.>"
  /// The changes that inspectors follow: those of the manifest, which has the content of no file.
  package static let newVersions = "tessera.trust.\(TrustManifest.key)"

  let bucket: KeyValueBucket
  private let streams: JetStream
  let limits: TrustBucketLimits

  package init(_ connection: NATSConnection, limits: TrustBucketLimits = TrustBucketLimits()) {
    bucket = KeyValueBucket(connection, name: Self.name)
    streams = JetStream(connection)
    self.limits = limits
  }

  /// Creates the bucket if it does not exist.
  ///
  /// - Parameter replicas: the number of servers that keep it: 1, 3 or 5; nil for as many as do, and 1 for a new bucket.
  /// - Returns: false if it was there already, and is as it should be.
  @discardableResult
  package func create(replicas: Int? = nil) async throws -> Bool {
    try await Self.describing { try await bucket.create(replicas: replicas, republishTo: Self.changes) }
  }

  /// The newest version; nil if nothing was published.
  ///
  /// - Throws: `TrustBucketError.bucketMissing`, `.unreachable`; `NATSError.notPermitted`, `.jetStreamMissing`,
  ///   `.excessiveMessage`.
  package func version() async throws -> UInt64? {
    try await entry()?.revision
  }

  private func entry() async throws -> (value: [UInt8], revision: UInt64)? {
    try await Self.describing {
      // Nobody would answer for the entry of a bucket that does not exist.
      guard try await streams.stream("KV_\(Self.name)") != nil else { throw NATSError.bucketMissing }
      return try await bucket.get(TrustManifest.key)
    }
  }

  /// The manifest and its revision; nil if nothing was published.
  func manifest() async throws -> (manifest: TrustManifest, revision: UInt64)? {
    guard let entry = try await entry() else { return nil }
    return (try TrustManifest(entry.value, limits), entry.revision)
  }

  /// The files that a manifest names, with the digests and sizes that it states.
  ///
  /// - Throws: `TrustBucketError.partMissing`, `.changed`.
  func files(of manifest: TrustManifest) async throws -> [TrustFileBytes] {
    var files: [TrustFileBytes] = []
    for source in manifest.sources {
      var content: [UInt8] = []
      content.reserveCapacity(source.size)
      for (position, digest) in source.parts.enumerated() {
        try Task.checkCancellation()
        guard let part = try await Self.describing({ try await bucket.get(TrustManifest.partKey(digest)) })?.value
        else {
          throw TrustBucketError.partMissing(file: source.name)
        }
        guard part.count == source.partSize(position), try TrustManifest.digest(part) == digest else {
          throw TrustBucketError.changed(file: source.name)
        }
        content += part
      }
      guard try TrustManifest.digest(content) == source.sha256 else {
        throw TrustBucketError.changed(file: source.name)
      }
      files.append(TrustFileBytes(name: source.name, bytes: content))
    }
    return files
  }

  /// Runs `body`, and states the errors of the connection as those of the bucket, except what the server itself says.
  static func describing<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as NATSError where !error.isAnswerOfServer {
      throw TrustBucketError(error)
    }
  }
}

/// The limits of what an inspector accepts from the bucket. Whoever can write to it, or a server, may be hostile.
package struct TrustBucketLimits: Sendable {
  /// The bytes of a part. Every part of a file but the last has this size; it is a fact of the form, version 1.
  static let partSize = 512 << 10
  /// The bytes of the manifest.
  package var manifestSize = 768 << 10
  /// The number of files.
  package var fileCount = 1000
  /// The bytes of a file's name.
  package var nameSize = 256
  /// The bytes of all files. The whole PKD has some 100 MB.
  package var totalSize = 256 << 20
  /// The number of roots.
  package var rootCount = 128
  /// The bytes of a root's certificate.
  package var rootSize = 16 << 10
  /// The lists that an inspector remembers: one for each country, and one for each issuer of revocation lists. Some
  /// hundreds in fact.
  package var rememberedCount = 4096

  package init() {}
}
