import Foundation
import TesseraCore
import TesseraCryptography
import TesseraNATS
import TesseraThreads
import TesseraVerification
import TestSupport

@testable import TesseraFleet

/// A server with the configuration that Tessera writes, an administrator and an inspector.
final class FleetTrustLab: Sendable {
  let administrator: NATSConnection
  let inspector: NATSConnection
  private let lab: AuthorityLab

  var bucket: TrustBucket { TrustBucket(administrator) }
  /// What writes anything, as somebody with the administrator's key can.
  var entries: KeyValueBucket { KeyValueBucket(administrator, name: TrustBucket.name) }

  /// - Parameter hasBucket: whether the bucket exists.
  init(hasBucket: Bool = true) async throws {
    lab = try await AuthorityLab()
    administrator = try await Self.connect(lab, "admin", lab.folder.administratorSeed)
    inspector = try await Self.connect(lab, "i1", lab.folder.inspectorSeed("i1"))
    if hasBucket { try await bucket.create() }
  }

  /// The connections end, too, if `body` throws.
  static func run(hasBucket: Bool = true, _ body: (FleetTrustLab) async throws -> Void) async throws {
    let lab = try await FleetTrustLab(hasBucket: hasBucket)
    do {
      try await body(lab)
    } catch {
      await lab.close()
      throw error
    }
    await lab.close()
  }

  private func close() async {
    await administrator.close()
    await inspector.close()
  }

  private static func connect(_ lab: AuthorityLab, _ name: String, _ seed: String) async throws -> NATSConnection {
    guard let key = try NKeyFile(path: seed).read() else { throw Failure(.internalError, "no seed") }
    return try await NATSConnection.connect(
      NATSConfiguration(
        servers: [NATSServerAddress(host: "127.0.0.1", port: lab.port)], name: name,
        credentials: .seed(file: seed, publicKey: key.publicKey.text), inboxPrefix: FleetSubject.inbox(name),
        connectTimeout: .seconds(60)))
  }

  /// An inspector's view of the store.
  func follower(_ roots: TrustBucketRoots = .published, lastUsed: TrustStore? = nil) -> TrustBucketFollower {
    TrustBucketFollower(inspector, roots: roots, lastUsed: lastUsed)
  }

  /// Stores files without verifying them.
  ///
  /// - Returns: the version.
  func store(
    _ files: [TrustFileBytes], roots: [Certificate], change: (inout TrustManifest) -> Void = { _ in }
  ) async throws -> UInt64 {
    try await entries.store(files, roots: roots, change: change)
  }
}

extension KeyValueBucket {
  /// The same in the bucket of certificates.
  func store(
    _ files: [TrustFileBytes], roots: [Certificate], change: (inout TrustManifest) -> Void = { _ in }
  ) async throws -> UInt64 {
    var manifest = TrustManifest()
    manifest.sources = try files.map { try TrustManifest.Source(name: $0.name, content: $0.bytes) }
    manifest.roots = roots.map { TrustManifest.Root(certificate: Base64Bytes($0.der), file: nil) }
    for part in files.flatMap({ TrustManifest.Source.parts(of: $0.bytes) }) {
      _ = try await put(TrustManifest.partKey(try TrustManifest.digest(part)), Array(part))
    }
    change(&manifest)
    return try await put(TrustManifest.key, FleetCoding.encode(manifest))
  }
}

/// A follower that runs, and the figures that it reported.
final class RunningFollower: Sendable {
  let follower: TrustBucketFollower
  private let task: Task<Void, any Error>
  private let figures: AsyncStream<TrustFigures>

  init(_ follower: TrustBucketFollower) {
    self.follower = follower
    let (figures, continuation) = AsyncStream.makeStream(of: TrustFigures.self)
    self.figures = figures
    task = Task { try await follower.run { continuation.yield($0) } }
  }

  /// Waits until the follower has reported these figures.
  func reported(_ expected: TrustFigures) async throws {
    try await withTimeLimit(.seconds(120)) { [figures] in
      for await reported in figures where reported == expected { return }
      throw Failure(.internalError, "The follower has ended.")
    }
  }

  /// - Returns: the error of `run`.
  func stop() async -> (any Error)? {
    task.cancel()
    do {
      try await task.value
      return nil
    } catch {
      return error
    }
  }
}
