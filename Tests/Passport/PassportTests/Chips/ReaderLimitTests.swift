import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import Testing

/// Readers that announce extended length, or announce nothing, and cannot carry it.
@Suite("Readers that do not carry extended length")
struct ReaderLimitTests {
  /// Answers commands with extended length instead of the chip.
  private actor Reader: CardChannel {
    private let base: any CardChannel
    /// The status with which the reader answers; nil if it reports a transmission error.
    private let status: UInt16?
    private(set) var extendedCommands = 0

    init(_ base: any CardChannel, status: UInt16?) {
      self.base = base
      self.status = status
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      guard command.count > 5, command[4] == 0 else { return try await base.transmit(command) }
      extendedCommands += 1
      guard let status else { throw CardError.transmission(code: 0x8010_0016) }
      return [UInt8(status >> 8), UInt8(status & 0xFF)]
    }

    func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
  }

  private static func read(
    _ bits: Int, _ status: UInt16?, announces: Bool
  ) async throws -> (dump: DocumentDump, files: ChipFiles, extended: Int) {
    var profile = ChipProfile(name: "x", summary: "", requiresBasicAccessControl: true, responseLimit: 4096)
    profile.activeAuthentication = .rsa(bits: bits, .sha256)
    let files = try SpecimenDocument(profile: profile).files
    let chip = try Chip(profile: profile, files: files)
    let answerToReset = announces ? chip.answerToReset : nil
    let reader = Reader(VirtualCard.card(chip).channel, status: status)
    let card = Card(
      channel: reader, readerName: "test", answerToReset: answerToReset, extendedLengthLimit: 65_536)
    let dump = try await Inspection.read(card, InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz)))
    return (dump, files, await reader.extendedCommands)
  }

  /// nil is a transmission error, as libccid reports it.
  static let statuses: [UInt16?] = [0x6700, 0x6E00, 0x6300, 0x6F00, nil]

  @Test(
    "a long signature is beyond such a reader, and no sign of a copy", arguments: statuses, [true, false])
  func longSignature(_ status: UInt16?, _ announces: Bool) async throws {
    let (dump, files, extended) = try await Self.read(2048, status, announces: announces)
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    let report = try Report(dump)
    #expect(report[.activeAuthentication]?.status == .unsupported, "\(report.headline)")
    #expect(report.outcome != .notGenuine && report.failedChecks.isEmpty)
    // The probe while files are read, and the command itself. Neither is repeated.
    #expect(extended <= 3, "\(extended)")
    #expect(dump.statistics.exchanges < 130)
  }

  @Test("a short signature is proven all the same", arguments: statuses)
  func shortSignature(_ status: UInt16?) async throws {
    let (dump, files, _) = try await Self.read(1024, status, announces: true)
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    #expect(try Report(dump)[.activeAuthentication]?.status == .passed)
  }
}
