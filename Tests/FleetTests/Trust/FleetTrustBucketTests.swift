import FleetLab
import Foundation
import TesseraCore
import TesseraCryptography
import TesseraNATS
import TesseraPassport
import TesseraThreads
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

@Suite("The fleet's store of country certificates", .timeLimit(.minutes(15))) struct FleetTrustBucketTests {
  /// A country with a list, and the list changed without its key.
  private struct Country {
    let authority: TestAuthority
    var root: Certificate { authority.certificate }

    init(_ code: String = "UT") throws { authority = try TestAuthority(code) }

    /// - Parameter days: when it was signed, relative to the present.
    func list(_ others: [Certificate] = [], days: Double = -1) throws -> TrustFileBytes {
      let time = TestAuthority.now.addingTimeInterval(days * TestAuthority.day)
      return TrustFileBytes(
        name: "\(root.country ?? "").ml", bytes: try authority.masterList([root] + others, signedAt: time))
    }
  }

  private static func fingerprints(_ material: TrustMaterial) -> Set<[UInt8]> {
    Set(material.countrySigners.map(\.fingerprint))
  }

  private static func problem(_ follower: TrustBucketFollower) async -> TrustBucketError? {
    await follower.examine()
    return follower.problem
  }

  @Test("A published list judges a virtual chip genuine, and the report's version is that of the publication")
  func judgesChip() async throws {
    try await FleetTrustLab.run { lab in
      let profile = try #require(ChipProfile(named: "germany-2023"))
      let document = try LabDocument(profile)
      let country = document.document.country
      let root = try #require(country.countrySigners.last)
      let publication = try await lab.bucket.publish(
        [TrustFileBytes(name: "country.ml", bytes: try country.masterList())]
          + country.revocationLists.enumerated().map { TrustFileBytes(name: "\($0).crl", bytes: $1) },
        roots: [root])
      #expect(publication.summaries.map(\.source) == publication.files)
      #expect(try await lab.bucket.version() == publication.version)
      let dump = try await document.source.withCard { try await Inspection.read($0, LabDocument.request()) }
      #expect(try Report(dump, trust: TrustMaterial()).outcome == .notEstablished)

      let follower = TrustBucketFollower(lab.worker)
      for source in [FleetTrust.bucket(follower), .bucket(TrustBucketFollower(lab.worker))] {
        let trust = try await source.current()
        #expect(trust.version == publication.version)
        #expect(try Report(dump, trust: trust.material).outcome == .genuine)
        #expect(source.figures == TrustFigures(version: publication.version))
      }
    }
  }

  @Test("Whoever uses a worker's key can read the store and not change it") func workersRead() async throws {
    try await FleetTrustLab.run { lab in
      let country = try Country()
      let version = try await lab.bucket.publish([country.list()], roots: [country.root]).version
      let entries = KeyValueBucket(lab.worker, name: TrustBucket.name)
      await #expect(throws: NATSError.timeout) { try await entries.put(TrustManifest.key, []) }
      #expect(try await TrustBucket(lab.worker).version() == version)
    }
  }

  @Test("A file of several parts arrives whole") func parts() async throws {
    try await FleetTrustLab.run { lab in
      let country = try Country()
      let text = String(repeating: "A line of text.\n", count: 100_000) + country.root.pem() + "\n"
      let publication = try await lab.bucket.publish([TrustFileBytes(name: "UT.pem", bytes: Array(text.utf8))])
      let manifest = try #require(try await lab.bucket.manifest()).manifest
      #expect(manifest.sources.map(\.parts.count) == [4] && manifest.parts.count >= 2)
      let trust = try await TrustBucketFollower(lab.worker).current()
      #expect(trust.version == publication.version && Self.fingerprints(trust.material) == [country.root.fingerprint])
    }
  }

  // MARK: - What is refused

  @Test("A bucket that is missing, and one with nothing in it, are told apart") func missing() async throws {
    try await FleetTrustLab.run(hasBucket: false) { lab in
      let country = try Country()
      let list = try country.list()
      let follower = TrustBucketFollower(lab.worker)
      await #expect(throws: TrustBucketError.bucketMissing) { try await follower.current() }
      await #expect(throws: TrustBucketError.bucketMissing) {
        try await lab.bucket.publish([list], roots: [country.root])
      }
      await #expect(throws: TrustBucketError.bucketMissing) { try await lab.bucket.version() }
      try await lab.bucket.create()
      #expect(await Self.problem(follower) == .nothingPublished)
      #expect(try await lab.bucket.version() == nil)
      let publication = try await lab.bucket.publish([list], roots: [country.root])
      #expect(await Self.problem(follower) == nil)
      #expect(try await follower.current().version == publication.version)
      // Made again, it keeps its content.
      try await lab.bucket.create()
      #expect(try await lab.bucket.version() == publication.version)
    }
  }

  @Test("What a local import refuses is not published, and the store is unchanged") func refusedPublication()
    async throws
  {
    try await FleetTrustLab.run { lab in
      let country = try Country()
      let first = try await lab.bucket.publish([country.list(days: -1)], roots: [country.root])
      let keys = try await Set(lab.entries.keys())
      for files in [
        [try country.list(days: -2)], [try Country("FR").list()], [TrustFileBytes(name: "x", bytes: [1, 2, 3])],
      ] {
        await #expect(throws: (any Error).self) { try await lab.bucket.publish(files) }
      }
      #expect(try await lab.bucket.version() == first.version)
      #expect(try await Set(lab.entries.keys()) == keys)
    }
  }

  /// Each changes the store as somebody with the administrator's key can, or a damaged server, and gives the problem.
  private typealias Damage = @Sendable (FleetTrustLab, Country) async throws -> TrustBucketError

  private static let damages: [(name: String, damage: Damage)] = [
    (
      "a changed byte in a part",
      { lab, country in
        let list = try country.list([Country("FR").root], days: -0.5)
        _ = try await lab.store([list], roots: [country.root])
        var part = list.bytes
        part[part.count / 2] ^= 1
        _ = try await lab.entries.put(TrustManifest.partKey(try TrustManifest.digest(list.bytes)), part)
        return .changed(file: "UT.ml")
      }
    ),
    (
      "a part that is too long",
      { lab, country in
        let list = try country.list(days: -0.5)
        _ = try await lab.store([list], roots: [country.root])
        _ = try await lab.entries.put(TrustManifest.partKey(try TrustManifest.digest(list.bytes)), list.bytes + [0])
        return .changed(file: "UT.ml")
      }
    ),
    (
      "a whole with another digest",
      { lab, country in
        let digest = try TrustManifest.digest([])
        _ = try await lab.store([country.list(days: -0.5)], roots: [country.root]) { $0.sources[0].sha256 = digest }
        return .changed(file: "UT.ml")
      }
    ),
    (
      "a missing part",
      { lab, country in
        let list = try country.list(days: -0.5)
        _ = try await lab.store([list], roots: [country.root])
        try await lab.entries.delete(TrustManifest.partKey(try TrustManifest.digest(list.bytes)))
        return .partMissing(file: "UT.ml")
      }
    ),
    (
      "a manifest of an unknown version",
      { lab, _ in
        _ = try await lab.entries.put(TrustManifest.key, Array(#"{"version":2,"lists":[]}"#.utf8))
        return .unknownVersion
      }
    ),
    (
      "a malformed manifest",
      { lab, _ in
        _ = try await lab.entries.put(TrustManifest.key, Array("manifest".utf8))
        return .malformed
      }
    ),
    (
      "a root that is no certificate",
      { lab, country in
        _ = try await lab.store([country.list(days: -0.5)], roots: [country.root]) {
          $0.roots[0].certificate = Base64Bytes([0x30, 0x00])
        }
        return .malformed
      }
    ),
    (
      "a file of 8 EiB",
      { lab, country in
        _ = try await lab.store([country.list(days: -0.5)], roots: [country.root]) { $0.sources[0].size = .max }
        return .tooLarge
      }
    ),
    (
      "a manifest without files",
      { lab, _ in
        _ = try await lab.store([], roots: [])
        return .nothingPublished
      }
    ),
    (
      "a deleted manifest",
      { lab, _ in
        try await lab.entries.delete(TrustManifest.key)
        return .nothingPublished
      }
    ),
    (
      "an older list",
      { lab, country in
        _ = try await lab.store([country.list(days: -2)], roots: [country.root])
        return .olderList(signer: "CN=Signer 7,O=Tessera test,C=UT")
      }
    ),
    (
      "a store without the revocation list",
      { lab, country in
        _ = try await lab.store([country.list()], roots: [country.root])
        return .olderRevocationList(issuer: country.root.subject)
      }
    ),
  ]

  @Test(
    "The last good version stays in use after damage, and the next good one takes its place", arguments: damages.indices
  )
  func damaged(number: Int) async throws {
    let (name, damage) = Self.damages[number]
    try await FleetTrustLab.run { lab in
      let country = try Country()
      let revocations = TrustFileBytes(name: "UT.crl", bytes: try country.authority.revocationList())
      let good = try await lab.bucket.publish([country.list(), revocations], roots: [country.root])
      let follower = TrustBucketFollower(lab.worker)
      #expect(try await follower.current().version == good.version)

      let expected = try await damage(lab, country)
      for _ in 0..<2 {
        #expect(await Self.problem(follower) == expected, "\(name)")
        let trust = try await follower.current()
        #expect(trust.version == good.version && Self.fingerprints(trust.material) == [country.root.fingerprint])
        #expect(follower.figures == TrustFigures(version: good.version, problem: expected.code))
      }
      // Rollback is a question of what was used before; everything else is refused by a new worker, too.
      if !["olderList", "olderRevocationList"].contains(expected.code) {
        await #expect(throws: expected, "\(name)") { try await TrustBucketFollower(lab.worker).current() }
      }
      let other = try Country("FR")
      let next = try await lab.bucket.publish(
        [country.list([other.root], days: -0.25), revocations], roots: [country.root], replacing: true)
      #expect(await Self.problem(follower) == nil)
      let trust = try await follower.current()
      #expect(trust.version == next.version)
      #expect(Self.fingerprints(trust.material) == [country.root.fingerprint, other.root.fingerprint])
    }
  }

  @Test("A list whose signature is wrong is refused by each worker again") func wrongSignature() async throws {
    try await FleetTrustLab.run { lab in
      let country = try Country()
      let good = try await lab.bucket.publish([country.list()], roots: [country.root])
      let follower = TrustBucketFollower(lab.worker)
      #expect(try await follower.current().version == good.version)
      let list = try country.list([Country("FR").root], days: -0.5)
      var changed = list.bytes
      changed[changed.count - 1] ^= 1
      _ = try await lab.store([TrustFileBytes(name: "UT.ml", bytes: changed)], roots: [country.root])
      let problem = try #require(await Self.problem(follower))
      guard case .refused(let failure) = problem else {
        Issue.record("\(problem)")
        return
      }
      #expect(failure.kind == .checkFailed && failure.cause.contains("signature is wrong"))
      #expect(try await follower.current().version == good.version)
    }
  }

  @Test("A worker with roots of its own trusts neither the bucket's roots nor certificates that it vouches for")
  func ownRoots() async throws {
    try await FleetTrustLab.run { lab in
      let (country, other) = (try Country(), try Country("FR"))
      let first = try await lab.bucket.publish([country.list()], roots: [country.root])
      let follower = TrustBucketFollower(lab.worker, roots: [country.root])
      let byFingerprint = TrustBucketFollower(lab.worker, rootFingerprints: [country.root.fingerprint])
      for follower in [follower, byFingerprint] { #expect(try await follower.current().version == first.version) }
      // The administrator's key brings another country: its certificate as a file, and its list.
      let second = try await lab.bucket.publish([TrustFileBytes(name: "FR.cer", bytes: other.root.der)])
      for follower in [follower, byFingerprint] {
        #expect(await Self.problem(follower)?.code == "refused")
        #expect(try await follower.current().version == first.version)
      }
      #expect(try await TrustBucketFollower(lab.worker).current().version == second.version)
    }
  }

  // MARK: - Changes

  @Test("A follower learns of each version by its announcement") func announcements() async throws {
    try await FleetTrustLab.run(hasBucket: false) { lab in
      // Its own looks come after five minutes.
      let running = RunningFollower(TrustBucketFollower(lab.worker))
      try await running.reported(TrustFigures(problem: "bucketMissing"))
      try await lab.bucket.create()
      let country = try Country()
      for days in [-3.0, -2, -1] {
        let version = try await lab.bucket.publish([country.list(days: days)], roots: [country.root]).version
        try await running.reported(TrustFigures(version: version))
      }
      let last = running.follower.figures.version
      _ = try await lab.entries.put(TrustManifest.key, [])
      try await running.reported(TrustFigures(version: last, problem: "malformed"))
      #expect(await running.stop() is CancellationError)
    }
  }

  @Test("During publications each reader sees one whole version") func updatesWhileReading() async throws {
    try await FleetTrustLab.run { lab in
      let country = try Country()
      let others = try (0..<6).map { _ in try Country("FR").root }
      // How many certificates each version has.
      let counts = Locked<[UInt64: Int]>([:])
      let first = try await lab.bucket.publish([country.list(days: -25)], roots: [country.root])
      counts.withLock { $0[first.version] = 1 }
      let running = RunningFollower(TrustBucketFollower(lab.worker))
      let isLast = Locked(false)
      let seen = Task { [follower = running.follower, worker = lab.worker] in
        var seen: [(version: UInt64?, count: Int)] = []
        while !isLast.withLock({ $0 }) {
          let trust = try await follower.current()
          seen.append((trust.version, trust.material.countrySigners.count))
          // A new worker, whose download meets the publications.
          let other = try await TrustBucketFollower(worker).current()
          seen.append((other.version, other.material.countrySigners.count))
        }
        return seen
      }
      for number in others.indices {
        let list = try country.list(Array(others[...number]), days: Double(number) - 20)
        let version = try await lab.bucket.publish([list]).version
        counts.withLock { $0[version] = number + 2 }
      }
      let last = try #require(try await lab.bucket.version())
      try await running.reported(TrustFigures(version: last))
      isLast.withLock { $0 = true }
      let versions = try await seen.value
      #expect(versions.count >= 2)
      let known = counts.withLock { $0 }
      let wrong = versions.filter { $0.version.flatMap { known[$0] } != $0.count }
      #expect(wrong.isEmpty, "\(wrong)")
      _ = await running.stop()
    }
  }

  @Test("Two administrators who publish at once lose nothing of each other") func concurrentPublications() async throws
  {
    try await FleetTrustLab.run { lab in
      let countries = try ["UT", "FR", "IT"].map { try Country($0) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for country in countries {
          let list = try country.list()
          group.addTask { [bucket = lab.bucket] in _ = try await bucket.publish([list], roots: [country.root]) }
        }
        try await group.waitForAll()
      }
      let trust = try await TrustBucketFollower(lab.worker).current()
      #expect(Self.fingerprints(trust.material) == Set(countries.map(\.root.fingerprint)))
    }
  }

  @Test("The parts of the version before stay; older ones are removed") func oldParts() async throws {
    try await FleetTrustLab.run { lab in
      let country = try Country()
      var digests: [String] = []
      for days in [-4.0, -3, -2, -1] {
        let list = try country.list(days: days)
        digests.append(try TrustManifest.digest(list.bytes))
        _ = try await lab.bucket.publish([list], roots: [country.root])
        let expected = Set(digests.suffix(2).map(TrustManifest.partKey) + [TrustManifest.key])
        #expect(try await Set(lab.entries.keys()) == expected)
      }
    }
  }

  @Test("The certificates of this machine are read again after each change") func localStore() async throws {
    let folder = try TemporaryFolder()
    let store = TrustStore(folder: folder.file("trust"))
    let trust = FleetTrust.local(store)
    #expect(try await trust.current().material.isEmpty)
    for code in ["UT", "FR"] {
      let authority = try TestAuthority(code)
      try store.update { material in
        var trust = TrustImport(to: material)
        _ = try trust.add(TrustFileContent(authority.certificate.der, name: code))
        material = trust.material
      }
      #expect(try await trust.current().material.countries.contains(code))
    }
    #expect(try await trust.current().version == nil && trust.figures == TrustFigures())
    try Data("damage".utf8).write(to: folder.url.appendingPathComponent("trust/certificates"))
    await #expect(throws: TrustError.storeDamaged(path: folder.file("trust/certificates"))) {
      try await trust.current()
    }
    let fixed = FleetTrust.fixed(TrustMaterial())
    #expect(try await fixed.current().material.isEmpty)
  }
}
