import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport

@Suite("The number of round trips of a read over a network")
struct RoundTripTests {
  /// One document on a reader with short APDUs.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let roundTrips: Int
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "bac", roundTrips: 7),
    Row(name: "bac-extended", roundTrips: 7),
    Row(name: "open", roundTrips: 7),
    Row(name: "austria-2023", roundTrips: 8),
    Row(name: "canada-2023", roundTrips: 8),
    Row(name: "china-2018", roundTrips: 7),
    Row(name: "finland-2023", roundTrips: 9),
    Row(name: "finland-id-2023", roundTrips: 9),
    Row(name: "france-2017", roundTrips: 8),
    Row(name: "france-id-2024", roundTrips: 8),
    Row(name: "germany-2023", roundTrips: 9),
    Row(name: "hong-kong-2025", roundTrips: 8),
    Row(name: "malaysia-2023", roundTrips: 7),
    Row(name: "netherlands-2025", roundTrips: 8),
    Row(name: "new-zealand-2017", roundTrips: 8),
    Row(name: "russia-2020", roundTrips: 7),
    Row(name: "singapore-2023", roundTrips: 8),
    Row(name: "taiwan-2024", roundTrips: 8),
    Row(name: "united-kingdom-2021", roundTrips: 8),
    Row(name: "united-states-2021", roundTrips: 7),
    Row(name: "dh", roundTrips: 10),
    Row(name: "all", roundTrips: 9),
  ]

  @Test("lists every sound profile once")
  func names() {
    let others = ChipProfile.faulty + ChipProfile.issuances
    let sound = ChipProfile.all.filter { !others.contains($0) }
    #expect(Self.rows.map(\.name).sorted() == sound.map(\.name).sorted())
    #expect(Self.rows.allSatisfy { $0.roundTrips <= 10 })
  }

  @Test("is at most 10 for EF.COM, EF.SOD, DG1 and DG2, with the same result as on the spot", arguments: rows)
  func roundTrips(_ row: Row) async throws {
    let profile = try #require(ChipProfile(named: row.name))
    let files = try SpecimenDocument(profile: profile).files
    let (single, batched) = try await ComparedReads.expectEqual(
      files, profile,
      change: {
        $0.dataGroups = [1, 2]
        $0.chipAuthentication = .never
      })
    let dump = try batched.result.get()
    for file in [ElementaryFile.com, .sod, .dg1, .dg2] { #expect(dump[file] == files[file], "\(file.name)") }
    let roundTrips = await batched.remote.roundTrips
    #expect(roundTrips == row.roundTrips)
    // Not one exchange more with the chip, and the same commands in the same order.
    #expect(dump.statistics.exchanges == (try single.result.get().statistics.exchanges))
    let (sent, usual) = await (batched.channel.commands, single.channel.commands)
    #expect(sent.map { $0.count } == usual.map { $0.count })
    #expect(sent.map { $0.prefix(4) } == usual.map { $0.prefix(4) })
    #expect(sent.reduce(0) { $0 + $1.count } == dump.statistics.bytesSent)
    #expect(await batched.channel.responses.reduce(0) { $0 + $1.count } == dump.statistics.bytesReceived)
  }
  /// One mechanism of access, with the number of round trips.
  struct Access: Sendable, CustomTestStringConvertible {
    var offer: PACEOffer?
    let roundTrips: Int
    var testDescription: String { offer?.description ?? "BAC" }
  }

  static let accesses: [Access] = {
    let curve = AgreementParameters(13)
    let ciphers = KeyDerivation.Cipher.allCases
    var accesses = [Access(roundTrips: 7)]
    // EF.CardAccess; MSE:Set AT and the nonce; three more steps; SELECT, DG1, the first block of EF.SOD; the rest of
    // it and the first block of DG2; the rest of that and EF.COM.
    accesses += ciphers.map { Access(offer: PACEOffer(.generic, $0, curve), roundTrips: 8) }
    accesses += ciphers.map { Access(offer: PACEOffer(.integrated, $0, curve), roundTrips: 8) }
    // One more for the first block of EF.CardSecurity; the rest of it comes with SELECT.
    accesses += ciphers.filter { $0 != .tripleDES }
      .map { Access(offer: PACEOffer(.chipAuthentication, $0, curve), roundTrips: 9) }
    // The public keys of 2048 bits are sent in parts, and fetched with GET RESPONSE.
    accesses.append(Access(offer: PACEOffer(.generic, .aes128, AgreementParameters(0)), roundTrips: 8))
    accesses.append(Access(offer: PACEOffer(.generic, .aes256, AgreementParameters(2)), roundTrips: 10))
    accesses.append(Access(offer: PACEOffer(.integrated, .aes256, AgreementParameters(2)), roundTrips: 9))
    return accesses
  }()

  @Test("is at most 10 with each kind of access and a DG2 of 19,834 bytes", arguments: accesses)
  func everyAccess(_ access: Access) async throws {
    var profile = ChipProfile(name: "trips", summary: "", requiresBasicAccessControl: true, responseLimit: 256)
    profile.announcesChaining = true
    profile.pace = access.offer.map { [$0] } ?? []
    let plain = try Reads.longDocument(profile)
    let groups = [1: plain[.dg1] ?? [], 2: plain[.dg2] ?? []]
    let files = try SpecimenDocument(adding: groups, profile: profile).files
    let (_, batched) = try await ComparedReads.expectEqual(files, profile, change: { $0.dataGroups = [1, 2] })
    let dump = try batched.result.get()
    #expect(dump[.dg2]?.count == 19_834 && dump[.dg2] == files[.dg2])
    #expect(dump.accessProtocol == (access.offer == nil ? .bac : .pace))
    let roundTrips = await batched.remote.roundTrips
    #expect(roundTrips == access.roundTrips)
    #expect(roundTrips <= 10)
  }

  @Test("grows by one for each 128 blocks of a long file")
  func longFile() async throws {
    var files = try SpecimenDocument(profile: .bac).files
    let image = SpecimenDocument.portrait + [UInt8](repeating: 7, count: 60_000)
    files[.dg2] = DataGroup2(faces: [FacialImage(data: image, width: 1, height: 1)]).encoded
    let (single, batched) = try await ComparedReads.expectEqual(files, .bac, change: { $0.dataGroups = [1, 2] })
    let exchanges = try batched.result.get().statistics.exchanges
    #expect(exchanges == (try single.result.get().statistics.exchanges))
    let batches = await batched.remote.batches.map(\.batch.entries.count)
    #expect(batches.allSatisfy { $0 <= 128 } && batches.filter { $0 == 128 }.count == 2)
    #expect(await batched.remote.roundTrips == 9)
  }

  @Test(
    "is much smaller than that of the exchanges for a whole document with every proof",
    arguments: ["germany-2023", "all"])
  func everyProof(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let files = try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile).files
    let (single, batched) = try await ComparedReads.expectEqual(files, profile)
    let usual = try single.result.get().statistics.exchanges
    #expect(try batched.result.get().statistics.exchanges <= usual + 4)
    let roundTrips = await batched.remote.roundTrips
    #expect(roundTrips * 3 < usual, "\(roundTrips) of \(usual)")
    #expect(try batched.result.get().evidence.chipAuthentication?.firstAnswer != nil)
  }

  @Test("is that of the exchanges on a card on the spot")
  func local() async throws {
    let files = try SpecimenDocument(profile: .bac).files
    let single = try await ComparedReads.read(files, .bac, batches: false)
    #expect(await single.remote.roundTrips == 0)
    #expect(await single.channel.commands.count == (try single.result.get().statistics.exchanges))
  }
}
