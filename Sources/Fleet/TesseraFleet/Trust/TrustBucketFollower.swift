internal import TesseraCore
package import TesseraNATS
internal import TesseraThreads
package import TesseraVerification

/// Keeps the newest usable version of the fleet's country certificates at an inspector.
///
/// A new version is downloaded, compared with the digests of its manifest, verified from nothing, and compared with the
/// newest lists that were ever used. Only then it takes the place of the version in use. If it is refused, the last good
/// one stays in use, and `problem` tells why. A restart keeps the memory of these lists, which judges nothing: an inspector
/// that starts with a bad store has no certificates.
package final class TrustBucketFollower: FleetTrustSource {
  private struct State {
    var trust: VersionedTrust?
    /// The reason why the newest version is not in use; nil if it is.
    var problem: TrustBucketError?
    /// The number of the examination whose result this is. A later one may end earlier.
    var examination = 0
    var lastExamination = 0
    /// The version that was announced last. A server whose copy is behind may still answer with an older one.
    var announced: UInt64 = 0
  }
  private let state = Locked(State())
  private let connection: NATSConnection
  private let bucket: TrustBucket
  private let roots: TrustBucketRoots
  private let memory: TrustMemory
  private let pollInterval: Duration
  private let first = RequestCoalescer<Int, Void>()
  private let work = BlockingWork(name: "certificates")

  /// How often a version is tried again that changes during the download, or of which a server's copy lacks something.
  private static let maximumAttempts = 6
  private static let attemptPause = Duration.milliseconds(100)
  private static let firstPause = Duration.seconds(1)

  /// - Parameters:
  ///   - lastUsed: where the newest lists that were used are kept over a restart, so that older ones are refused then,
  ///     too; nil for nowhere.
  ///   - pollInterval: how often to look although nothing was announced.
  package init(
    _ connection: NATSConnection, roots: TrustBucketRoots, lastUsed: TrustStore?,
    limits: TrustBucketLimits = TrustBucketLimits(), pollInterval: Duration = .seconds(300)
  ) {
    self.connection = connection
    bucket = TrustBucket(connection, limits: limits)
    self.roots = roots
    memory = TrustMemory(lastUsed, limits: limits)
    self.pollInterval = pollInterval
  }

  /// The certificates in use.
  ///
  /// - Throws: `TrustBucketError` if there are none.
  package func current() async throws -> VersionedTrust {
    if state.withLock({ $0.trust == nil && $0.examination == 0 }) {
      try await first.value(0) { [self] in await examine() }
    }
    let (trust, problem) = state.withLock { ($0.trust, $0.problem) }
    guard let trust else { throw problem ?? TrustBucketError.unreachable }
    return trust
  }

  /// Why the newest version is not in use; nil if it is.
  package var problem: TrustBucketError? { state.withLock { $0.problem } }

  package var figures: TrustFigures {
    state.withLock { TrustFigures(version: $0.trust?.version, problem: $0.problem?.code) }
  }

  // MARK: - Following

  /// Follows the store until the task is cancelled.
  ///
  /// - Parameter onChange: called after each examination with another result than the one before.
  /// - Throws: `NATSError` if this key may not subscribe to the changes.
  package func run(onChange: @escaping @Sendable (TrustFigures) -> Void = { _ in }) async throws {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Not the parts: each would come to each inspector, with its content.
    let subscription = try connection.subscribe(TrustBucket.newVersions) { [state] change in
      if let version = change.headers["Nats-Sequence"].flatMap({ UInt64($0) }) {
        state.withLock { $0.announced = version }
      }
      wake.yield()
    }
    defer { subscription.cancel() }
    // A change that comes while there is no connection is not announced.
    connection.onStateChange { if $0 == .connected { wake.yield() } }
    var pause = Self.firstPause
    var reported: TrustFigures?
    wake.yield()
    var iterator = wakes.makeAsyncIterator()
    while !Task.isCancelled {
      // The next examination at the latest: soon if this one failed for a reason that passes.
      let timer = Task { [pause = min(pause, pollInterval)] in
        guard (try? await Task.sleep(for: pause)) != nil else { return }
        wake.yield()
      }
      guard await iterator.next() != nil else { break }
      timer.cancel()
      await examine()
      let figures = figures
      if figures != reported { onChange(figures) }
      reported = figures
      pause = problem.map(\.passes) == true ? min(pause * 2, .seconds(60)) : pollInterval
    }
    try Task.checkCancellation()
  }

  /// Examines the store once.
  package func examine() async {
    let (number, known) = state.withLock { state in
      state.lastExamination += 1
      return (state.lastExamination, state.trust)
    }
    let result: Result<VersionedTrust, TrustBucketError>
    do {
      result = .success(try await newest(known))
    } catch let error as TrustBucketError {
      result = .failure(error)
    } catch {
      result = .failure(.unreachable)
    }
    state.withLock { state in
      guard number > state.examination else { return }
      state.examination = number
      switch result {
      case .success(let trust):
        state.trust = trust
        state.problem = nil
      case .failure(let problem): state.problem = problem
      }
    }
  }

  private func newest(_ known: VersionedTrust?) async throws -> VersionedTrust {
    var last = TrustBucketError.unreachable
    for attempt in 1...Self.maximumAttempts {
      if attempt > 1 { try await Task.sleep(for: Self.attemptPause * attempt) }
      let expected = max(known?.version ?? 0, state.withLock { $0.announced })
      guard let (manifest, revision) = try await bucket.manifest() else { throw TrustBucketError.nothingPublished }
      // The versions of a store that was created anew begin from the start again.
      guard revision >= expected || attempt == Self.maximumAttempts else { continue }
      if let known, known.version == revision { return known }
      do {
        let files = try await bucket.files(of: manifest)
        return VersionedTrust(material: try await verify(manifest, files), version: revision)
      } catch let error as TrustBucketError where error.canBeOvertaken {
        last = error
      }
    }
    throw last
  }

  private func verify(
    _ manifest: TrustManifest, _ files: [TrustFileBytes]
  ) async throws -> TrustMaterial {
    let roots = try TrustVerification.Roots(roots, manifest)
    return try await work.run { [memory] in
      guard !files.isEmpty else { throw TrustBucketError.nothingPublished }
      let material = try TrustVerification.material(of: files, roots)
      try memory.add(material)
      return material
    }
  }
}

extension TrustBucketError {
  /// Whether it ends without a change of the store.
  fileprivate var passes: Bool {
    switch self {
    case .unreachable, .bucketMissing, .notKept: true
    default: false
    }
  }

  /// Whether the reason can be that the store changed during the download, or that a server's copy is behind.
  fileprivate var canBeOvertaken: Bool {
    if case .partMissing = self { true } else { false }
  }
}
