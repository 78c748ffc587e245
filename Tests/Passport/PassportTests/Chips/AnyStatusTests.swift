import ChipTestSupport
import Synchronization
import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

/// The reader against a chip that answers with any status word at any exchange.
@Suite("Any status at any exchange")
struct AnyStatusTests {
  /// Bounds of a read: a chip must not keep a reader busy.
  private static let mostExchanges = 700

  static let statuses: [UInt16] = [
    0x6100, 0x6110, 0x6200, 0x6281, 0x6282, 0x6283, 0x6285, 0x6300, 0x6310, 0x63C2, 0x6400, 0x6401, 0x6500, 0x6581,
    0x6600, 0x6700, 0x6881, 0x6882, 0x6883, 0x6884, 0x6900, 0x6981, 0x6982, 0x6983, 0x6984, 0x6985, 0x6986, 0x6987,
    0x6988, 0x6A00, 0x6A80, 0x6A81, 0x6A82, 0x6A83, 0x6A84, 0x6A86, 0x6A87, 0x6A88, 0x6B00, 0x6C00, 0x6C10, 0x6CDF,
    0x6D00, 0x6E00, 0x6F00, 0x6F87, 0x9000, 0x9100,
  ]

  static let profiles: [ChipProfile] = [
    "bac", "canada-2023", "china-2018", "germany-2023", "hong-kong-2025", "united-kingdom-2021",
  ].compactMap { ChipProfile(named: $0) }

  struct Run: Sendable {
    let status: UInt16
    let command: Int
    let isPlain: Bool
    let isPermanent: Bool
  }

  /// A document with a portrait of a few blocks, so that most exchanges are not in the middle of DG2.
  static func files(_ profile: ChipProfile) throws -> ChipFiles {
    let image = FacialImage(data: Array(SpecimenDocument.portrait.prefix(900)), width: 413, height: 531)
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    let group = DataGroup2(faces: [image])
    return try SpecimenDocument(adding: [1: DataGroup1(zone: zone).encoded, 2: group.encoded], profile: profile).files
  }

  @Test("gives a whole read, an incomplete one or a typed error, and never accuses", arguments: profiles)
  func fuzz(_ profile: ChipProfile) async throws {
    let files = try Self.files(profile)
    let usual = try await Reads.read(files, profile: profile).dump.get()
    let count = usual.statistics.exchanges
    var runs: [Run] = []
    for command in 0..<count {
      for status in Self.statuses {
        for isPlain in [false, true] {
          for isPermanent in [false, true] {
            runs.append(Run(status: status, command: command, isPlain: isPlain, isPermanent: isPermanent))
          }
        }
      }
    }
    if !Sweep.isFull { runs = Array(runs.shuffled().prefix(60)) }
    var once = 0
    var whole = 0
    for run in runs {
      let isWhole = try await check(run, profile, files)
      guard !run.isPermanent else { continue }
      once += 1
      whole += isWhole ? 1 : 0
    }
    print("\(profile.name): \(runs.count) runs, \(whole) of \(once) with one refusal are whole")
    #expect(whole * 100 >= once * 85)
  }

  /// - Returns: whether every file was read and every check passed.
  private func check(_ run: Run, _ profile: ChipProfile, _ files: ChipFiles) async throws -> Bool {
    var changed = profile
    changed.quirks.interruption = ChipQuirks.Interruption(
      at: run.command, ChipQuirks.Refusal(run.status, isPlain: run.isPlain), isPermanent: run.isPermanent)
    let (result, channel) = try await Reads.read(files, profile: changed)
    let plain = await Reads.plainCommandsAfterAccess(channel)
    #expect(plain.isEmpty, "\(profile.name), \(run): \(plain.first?.hexadecimal ?? "")")
    #expect(await channel.commands.count < Self.mostExchanges, "\(profile.name), \(run)")
    switch result {
    case .failure(let error):
      #expect(error is PassportError || error is CardError, "\(profile.name), \(run): \(error)")
      return false
    case .success(let dump):
      for (file, bytes) in dump.files where files[file] != nil { #expect(files[file] == bytes, "\(run)") }
      let report = try Report(dump)
      #expect(report.outcome != .notGenuine, "\(profile.name), \(run): \(report.headline)")
      return dump.omissions.isEmpty && files.all.allSatisfy { dump[$0] == files[$0] } && report.isSound
    }
  }
}
