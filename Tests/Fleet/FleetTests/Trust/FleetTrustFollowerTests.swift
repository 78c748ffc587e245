import Foundation
import TesseraCore
import TesseraCryptography
import TesseraThreads
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("An inspector that follows the fleet's certificates", .timeLimit(.minutes(15))) struct FleetTrustFollowerTests
  {
    @Test("A bucket that is missing, and one with nothing in it, are told apart") func missing() async throws {
      try await FleetTrustLab.run(hasBucket: false) { lab in
        let country = try TrustCountry()
        let list = try country.list()
        let follower = lab.follower()
        await #expect(throws: TrustBucketError.bucketMissing) { try await follower.current() }
        await #expect(throws: TrustBucketError.bucketMissing) {
          try await lab.bucket.publish([list], roots: [country.root])
        }
        await #expect(throws: TrustBucketError.bucketMissing) { try await lab.bucket.version() }
        try await lab.bucket.create()
        #expect(await follower.examinedProblem() == .nothingPublished)
        #expect(try await lab.bucket.version() == nil)
        let publication = try await lab.bucket.publish([list], roots: [country.root])
        #expect(await follower.examinedProblem() == nil)
        #expect(try await follower.current().version == publication.version)
        // Made again, it keeps its content.
        try await lab.bucket.create()
        #expect(try await lab.bucket.version() == publication.version)
      }
    }

    /// Each changes the store as somebody with the administrator's key can, or a damaged server, and gives the problem.
    private typealias Damage = @Sendable (FleetTrustLab, TrustCountry) async throws -> TrustBucketError

    private static let damages: [(name: String, damage: Damage)] = [
      (
        "a changed byte in a part",
        { lab, country in
          let list = try country.list([TrustCountry("FR").root], days: -0.5)
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
      "The last good version stays in use after damage, and the next good one takes its place",
      arguments: damages.indices
    )
    func damaged(number: Int) async throws {
      let (name, damage) = Self.damages[number]
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
        let revocations = TrustFileBytes(name: "UT.crl", bytes: try country.authority.revocationList())
        let good = try await lab.bucket.publish([country.list(), revocations], roots: [country.root])
        let folder = try TemporaryFolder()
        let lastUsed = TrustStore(folder: folder.file("trust"))
        let follower = lab.follower(lastUsed: lastUsed)
        #expect(try await follower.current().version == good.version)

        let expected = try await damage(lab, country)
        for _ in 0..<2 {
          #expect(await follower.examinedProblem() == expected, "\(name)")
          let trust = try await follower.current()
          #expect(trust.version == good.version && trust.material.fingerprints == [country.root.fingerprint])
          #expect(follower.figures == TrustFigures(version: good.version, problem: expected.code))
        }
        // An inspector that was started again refuses the same, and has nothing else to judge with.
        let restarted = lab.follower(lastUsed: lastUsed)
        await #expect(throws: expected, "\(name)") { try await restarted.current() }
        // Rollback is a question of what was used before; everything else is refused by a new inspector, too.
        if !["olderList", "olderRevocationList"].contains(expected.code) {
          await #expect(throws: expected, "\(name)") { try await lab.follower().current() }
        }
        let other = try TrustCountry("FR")
        let next = try await lab.bucket.publish(
          [country.list([other.root], days: -0.25), revocations], roots: [country.root], replacing: true)
        for follower in [follower, restarted] {
          #expect(await follower.examinedProblem() == nil)
          let trust = try await follower.current()
          #expect(trust.version == next.version)
          #expect(trust.material.fingerprints == [country.root.fingerprint, other.root.fingerprint])
        }
      }
    }

    @Test("A list whose signature is wrong is refused by each inspector again") func wrongSignature() async throws {
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
        let good = try await lab.bucket.publish([country.list()], roots: [country.root])
        let follower = lab.follower()
        #expect(try await follower.current().version == good.version)
        let list = try country.list([TrustCountry("FR").root], days: -0.5)
        var changed = list.bytes
        changed[changed.count - 1] ^= 1
        _ = try await lab.store([TrustFileBytes(name: "UT.ml", bytes: changed)], roots: [country.root])
        let problem = try #require(await follower.examinedProblem())
        guard case .refused(let failure) = problem else {
          Issue.record("\(problem)")
          return
        }
        #expect(failure.kind == .checkFailed && failure.cause.contains("signature is wrong"))
        #expect(try await follower.current().version == good.version)
      }
    }

    @Test("An inspector with roots of its own trusts neither the bucket's roots nor certificates that it vouches for")
    func ownRoots() async throws {
      try await FleetTrustLab.run { lab in
        let (country, other) = (try TrustCountry(), try TrustCountry("FR"))
        let first = try await lab.bucket.publish([country.list()], roots: [country.root])
        let follower = lab.follower(.own([country.root]))
        let byFingerprint = lab.follower(.own([], fingerprints: [country.root.fingerprint]))
        for follower in [follower, byFingerprint] { #expect(try await follower.current().version == first.version) }
        // The administrator's key brings another country: its certificate as a file, and its list.
        let second = try await lab.bucket.publish([TrustFileBytes(name: "FR.cer", bytes: other.root.der)])
        for follower in [follower, byFingerprint] {
          #expect(await follower.examinedProblem()?.code == "refused")
          #expect(try await follower.current().version == first.version)
        }
        #expect(try await lab.follower().current().version == second.version)
      }
    }

    // MARK: - Changes

    @Test("A follower learns of each version by its announcement") func announcements() async throws {
      try await FleetTrustLab.run(hasBucket: false) { lab in
        // Its own looks come after five minutes.
        let running = RunningFollower(lab.follower())
        try await running.reported(TrustFigures(problem: "bucketMissing"))
        try await lab.bucket.create()
        let country = try TrustCountry()
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
        let country = try TrustCountry()
        let others = try (0..<6).map { _ in try TrustCountry("FR").root }
        // How many certificates each version has.
        let counts = Locked<[UInt64: Int]>([:])
        let first = try await lab.bucket.publish([country.list(days: -25)], roots: [country.root])
        counts.withLock { $0[first.version] = 1 }
        let running = RunningFollower(lab.follower())
        let isLast = Locked(false)
        let seen = Task { [follower = running.follower] in
          var seen: [(version: UInt64?, count: Int)] = []
          while !isLast.withLock({ $0 }) {
            let trust = try await follower.current()
            seen.append((trust.version, trust.material.countrySigners.count))
            // A new inspector, whose download meets the publications.
            let other = try await lab.follower().current()
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
  }
}
