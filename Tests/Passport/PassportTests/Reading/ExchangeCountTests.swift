import ChipTestSupport
import TesseraPassport
import TesseraSmartCard
import TesseraVirtualChip
import Testing

@Suite("The number of exchanges of a read")
struct ExchangeCountTests {
  /// One row of the project's performance goals: EF.COM, EF.SOD, DG1 and a DG2 of 19,834 bytes.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var isPACE = true
    let responseLimit: Int
    let floor: Int
    var testDescription: String { name }

    var profile: ChipProfile {
      var profile = ChipProfile(
        name: name, summary: "", requiresBasicAccessControl: true, responseLimit: responseLimit)
      if isPACE { profile.pace = [PACEOffer(.generic, .aes128, AgreementParameters(13))] }
      return profile
    }
  }

  static let rows = [
    // Three for access; 231 plain bytes in a response under 3DES.
    Row(name: "BAC, short APDUs", isPACE: false, responseLimit: 256, floor: 95),
    // EF.CardAccess, five for PACE, SELECT; 223 plain bytes under AES.
    Row(name: "PACE, short APDUs", responseLimit: 256, floor: 102),
    Row(name: "PACE, extended, 4 KB at once", responseLimit: 4096, floor: 15),
    Row(name: "PACE, extended, whole files", responseLimit: 65_533, floor: 11),
  ]

  @Test("is at most two above the minimum", arguments: rows)
  func exchanges(_ row: Row) async throws {
    let files = try Reads.longDocument(row.profile)
    #expect(files[.dg2]?.count == 19_834 && files[.dg1]?.count == 93 && files[.com]?.count == 22)
    #expect(abs((files[.sod]?.count ?? 0) - 886) < 4)
    let (result, _) = try await Reads.read(files, profile: row.profile) { $0.dataGroups = [1, 2] }
    let dump = try result.get()
    for file in [ElementaryFile.com, .sod, .dg1, .dg2] { #expect(dump[file] == files[file]) }
    #expect((row.floor...row.floor + 2).contains(dump.statistics.exchanges), "\(dump.statistics.exchanges)")
    #expect(dump.accessProtocol == (row.isPACE ? .pace : .bac))
  }
}
