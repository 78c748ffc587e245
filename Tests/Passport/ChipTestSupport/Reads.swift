package import TesseraPassport
internal import TesseraSmartCard
package import TesseraVirtualChip
internal import TestSupport

/// Reads of software chips in this process.
package enum Reads {
  package static func specimen() throws -> ChipFiles { try SpecimenDocument().files }

  package static func bsi2008() throws -> ChipFiles { try ChipFiles(folder: Fixtures.specimen("bsi2008")) }

  /// A read through a channel that records the commands.
  package static func read(
    _ files: ChipFiles, profile: ChipProfile = .bac, fault: Fault? = nil, at index: Int = 0,
    _ change: (inout InspectionRequest) -> Void = { _ in }
  ) async throws -> (dump: Result<DocumentDump, any Error>, channel: FaultyChannel) {
    let card = VirtualCard.card(try Chip(profile: profile, files: files))
    let channel = FaultyChannel(card.channel, fault: fault, at: index)
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    change(&request)
    do {
      return (.success(try await Inspection.read(card.replacing(channel: channel), request)), channel)
    } catch {
      return (.failure(error), channel)
    }
  }

  /// What was sent unprotected after access control had succeeded, except access control of a new session: SELECT of the
  /// application or the master file, and the commands of BAC and PACE.
  package static func plainCommandsAfterAccess(_ channel: FaultyChannel) async -> [[UInt8]] {
    let commands = await channel.commands
    let responses = await channel.responses
    let granted = zip(commands, responses).enumerated().first { _, exchange in
      exchange.0[1] == 0x82 && exchange.1.suffix(2) == [0x90, 0x00] && exchange.1.count == 42
    }
    guard let granted else { return [] }
    // GET RESPONSE fetches the rest of a protected response and discloses nothing.
    return commands.dropFirst(granted.offset + 1).filter { command in
      let isAccess = [0x82, 0x84, 0x86].contains(command[1]) || command[1] == 0x22 && command[3] == 0xA4
      let isSelection = command[1] == 0xA4 && command[2] != 0x02
      return command[0] & 0x0C != 0x0C && command[1] != 0xC0 && !isAccess && !isSelection
    }
  }

  /// 20,835 bytes, or one or two more: the length of a DER signature varies.
  package static func longDocument(_ profile: ChipProfile) throws -> ChipFiles {
    func group(_ count: Int) -> [UInt8] {
      let image = SpecimenDocument.portrait + [UInt8](repeating: 0, count: max(0, count))
      return DataGroup2(faces: [FacialImage(data: image, width: 413, height: 531)]).encoded
    }
    let group2 = group(19_834 - group(0).count)
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    return try SpecimenDocument(groups: [1: DataGroup1(zone: zone).encoded, 2: group2], issuance: .minimal).files
  }
}
