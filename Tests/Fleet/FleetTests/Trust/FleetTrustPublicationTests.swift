import FleetLab
import Foundation
import TesseraCryptography
import TesseraNATS
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("Publications of country certificates", .timeLimit(.minutes(15))) struct FleetTrustPublicationTests {
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

        let follower = lab.follower()
        for source in [FleetTrust.bucket(follower), .bucket(lab.follower())] {
          let trust = try await source.current()
          #expect(trust.version == publication.version)
          #expect(try Report(dump, trust: trust.material).outcome == .genuine)
          #expect(source.figures == TrustFigures(version: publication.version))
        }
      }
    }

    @Test("A file of several parts arrives whole") func parts() async throws {
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
        let text = String(repeating: "A line of text.\n", count: 100_000) + country.root.pem() + "\n"
        let publication = try await lab.bucket.publish([TrustFileBytes(name: "UT.pem", bytes: Array(text.utf8))])
        let manifest = try #require(try await lab.bucket.manifest()).manifest
        #expect(manifest.sources.map(\.parts.count) == [4] && manifest.parts.count >= 2)
        let trust = try await lab.follower().current()
        #expect(trust.version == publication.version && trust.material.fingerprints == [country.root.fingerprint])
      }
    }

    @Test("What a local import refuses is not published, and the store is unchanged") func refusedPublication()
      async throws
    {
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
        let first = try await lab.bucket.publish([country.list(days: -1)], roots: [country.root])
        let keys = try await Set(lab.entries.keys())
        for files in [
          [try country.list(days: -2)], [try TrustCountry("FR").list()], [TrustFileBytes(name: "x", bytes: [1, 2, 3])],
        ] {
          await #expect(throws: (any Error).self) { try await lab.bucket.publish(files) }
        }
        #expect(try await lab.bucket.version() == first.version)
        #expect(try await Set(lab.entries.keys()) == keys)
      }
    }

    @Test("Whoever uses an inspector's key can read the store and not change it") func inspectorsRead() async throws {
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
        let version = try await lab.bucket.publish([country.list()], roots: [country.root]).version
        let entries = KeyValueBucket(lab.inspector, name: TrustBucket.name)
        await #expect(throws: NATSError.notPermitted(subject: "$KV.\(TrustBucket.name).\(TrustManifest.key)")) {
          try await entries.put(TrustManifest.key, [])
        }
        #expect(try await TrustBucket(lab.inspector).version() == version)
      }
    }

    @Test("Two administrators who publish at once lose nothing of each other") func concurrentPublications()
      async throws
    {
      try await FleetTrustLab.run { lab in
        let countries = try ["UT", "FR", "IT"].map { try TrustCountry($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for country in countries {
            let list = try country.list()
            group.addTask { [bucket = lab.bucket] in _ = try await bucket.publish([list], roots: [country.root]) }
          }
          try await group.waitForAll()
        }
        let trust = try await lab.follower().current()
        #expect(trust.material.fingerprints == Set(countries.map(\.root.fingerprint)))
      }
    }

    @Test("The parts of the version before stay; older ones are removed") func oldParts() async throws {
      try await FleetTrustLab.run { lab in
        let country = try TrustCountry()
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
  }
}
