import Foundation
import TesseraCore
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("An inspector's certificates over a restart", .timeLimit(.minutes(15))) struct FleetTrustRestartTests {
    @Test("What was used last refuses an older store, and judges nothing itself; without it the older store is new")
    func olderStore() async throws {
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
        let folder = try TemporaryFolder()
        let lastUsed = TrustStore(folder: folder.file("trust"))
        _ = try await lab.bucket.publish([country.list(days: -1)], roots: [country.root])
        _ = try await lab.follower(lastUsed: lastUsed).current()
        #expect(try lastUsed.load().fingerprints == [country.root.fingerprint])
        var status = stat()
        #expect(stat(folder.file("trust/certificates"), &status) == 0 && status.st_mode & 0o777 == 0o600)

        let older = try await lab.store([country.list(days: -2)], roots: [country.root])
        let restarted = lab.follower(lastUsed: lastUsed)
        let problem = TrustBucketError.olderList(signer: "CN=Signer 7,O=Tessera test,C=UT")
        for _ in 0..<2 {
          await #expect(throws: problem) { try await restarted.current() }
          #expect(restarted.figures == TrustFigures(version: nil, problem: "olderList"))
          #expect(await restarted.examinedProblem() == problem)
        }
        #expect(Failure(problem).remedy?.contains("remove the folder trust") == true)
        // As the remedy says.
        try FileManager.default.removeItem(atPath: folder.file("trust"))
        #expect(try await lab.follower(lastUsed: lastUsed).current().version == older)
      }
    }

    @Test("Nobody brings back older lists by publishing a store without them first", arguments: [false, true])
    func lacking(isKept: Bool) async throws {
      try await FleetTrustLab.run { lab in
        let (country, other) = (try TrustCountry(), try TrustCountry("FR"))
        func revocations(_ country: TrustCountry, _ number: UInt64) throws -> TrustFileBytes {
          TrustFileBytes(
            name: "\(country.root.country ?? "").crl",
            bytes: try country.authority.revocationList(number: number, days: Double(number) - 10..<90))
        }
        let (list, otherRevocations) = (try country.list([other.root]), try revocations(other, 2))
        let own = try revocations(country, 1)
        let older = try country.list([other.root], days: -2)
        let folder = try TemporaryFolder()
        let lastUsed = isKept ? TrustStore(folder: folder.file("trust")) : nil
        let roots = TrustBucketRoots.own([country.root])
        func store(_ files: [TrustFileBytes]) async throws -> UInt64 {
          try await lab.store(files, roots: [country.root])
        }
        let follower = lab.follower(roots, lastUsed: lastUsed)
        _ = try await store([list, own, otherRevocations])
        #expect(await follower.examinedProblem() == nil)
        // Genuine, and without the list of this country and everything of the other one.
        let lacking = try await store([TrustFileBytes(name: "UT.cer", bytes: country.root.der), own])
        #expect(await follower.examinedProblem() == nil)
        #expect(follower.figures.version == lacking)

        let restarted = isKept ? [lab.follower(roots, lastUsed: lastUsed)] : []
        for (files, problem) in [
          ([older, own, otherRevocations], TrustBucketError.olderList(signer: "CN=Signer 7,O=Tessera test,C=UT")),
          ([list, own, try revocations(other, 1)], .olderRevocationList(issuer: other.root.subject)),
          ([list, own], .olderRevocationList(issuer: other.root.subject)),
        ] {
          _ = try await store(files)
          for follower in [follower] + restarted { #expect(await follower.examinedProblem() == problem) }
        }
        #expect(follower.figures.version == lacking)
        let newest = try await store([list, own, otherRevocations])
        for follower in [follower] + restarted {
          #expect(await follower.examinedProblem() == nil)
          #expect(follower.figures.version == newest)
        }
      }
    }

    @Test("Roots that are taken from an inspector do not count any more, although it has used them")
    func otherRoots() async throws {
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
        let folder = try TemporaryFolder()
        let lastUsed = TrustStore(folder: folder.file("trust"))
        _ = try await lab.bucket.publish([country.list()], roots: [country.root])
        _ = try await lab.follower(.own([country.root]), lastUsed: lastUsed).current()
        let restarted = lab.follower(.own([try TrustCountry("FR").root]), lastUsed: lastUsed)
        #expect(await restarted.examinedProblem()?.code == "refused")
        await #expect(throws: TrustBucketError.self) { try await restarted.current() }
      }
    }

    @Test("A memory that is damaged, or cannot be written, is a problem and no reason to trust anything")
    func unusable() async throws {
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
        let folder = try TemporaryFolder()
        let version = try await lab.bucket.publish([country.list()], roots: [country.root]).version
        try FileManager.default.createDirectory(atPath: folder.file("trust"), withIntermediateDirectories: false)
        try Data("damage".utf8).write(to: folder.url.appendingPathComponent("trust/certificates"))
        let damaged = lab.follower(lastUsed: TrustStore(folder: folder.file("trust")))
        let damage = TrustBucketError.damagedMemory(path: folder.file("trust/certificates"))
        #expect(Failure(damage).remedy?.contains("accepts older lists") == true)
        await #expect(throws: damage) { try await damaged.current() }
        #expect(damaged.figures == TrustFigures(version: nil, problem: "notKept"))

        try Data().write(to: folder.url.appendingPathComponent("file"))
        let unwritable = lab.follower(lastUsed: TrustStore(folder: folder.file("file/trust")))
        #expect(await unwritable.examinedProblem()?.code == "notKept")
        // The next look finds it mended.
        try FileManager.default.removeItem(atPath: folder.file("trust/certificates"))
        #expect(await damaged.examinedProblem() == nil)
        #expect(try await damaged.current().version == version)
      }
    }
  }
}
