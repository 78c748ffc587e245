import TesseraPassport
import TesseraSmartCard

/// An elementary file of the chip, with its access condition.
struct CardFile: Sendable {
  let identifier: UInt16
  let shortIdentifier: UInt8
  let content: [UInt8]
  /// The condition for reading it.
  let access: Access
  /// Whether reads beyond the content return zeros without end.
  var isEndless = false

  enum Access: Sendable, Equatable {
    case always
    /// After BAC or PACE, if the chip has one of them.
    case accessControl
    /// After PACE.
    case pace
    /// After Terminal Authentication with this right (BSI TR-03110-3, C.4.1.1).
    case terminal(right: UInt8)
  }

  /// The bytes from `offset` on, at most `count`.
  func bytes(from offset: Int, count: Int) -> [UInt8] {
    guard isEndless else { return Array(content.dropFirst(offset).prefix(count)) }
    let real = content.dropFirst(offset).prefix(count)
    return real + [UInt8](repeating: 0, count: count - real.count)
  }

  // MARK: - The files of a profile

  /// The files of the master file.
  static func masterFiles(_ files: ChipFiles, _ profile: ChipProfile) throws -> [CardFile] {
    let infos = ChipSecurityInfos(profile)
    var result: [CardFile] = []
    if let content = try files[.cardAccess] ?? infos.cardAccess() {
      let file = ElementaryFile.cardAccess
      result.append(
        CardFile(
          identifier: file.identifier, shortIdentifier: file.shortIdentifier, content: content, access: .always))
    }
    for file in MasterFile.allCases {
      let generated: [UInt8]? =
        switch file {
        case .directory where profile.hasInformationFiles: infos.directory()
        case .information where profile.hasInformationFiles: infos.information()
        default: nil
        }
      guard let content = files.masterFiles[file] ?? generated else { continue }
      result.append(
        CardFile(
          identifier: file.rawValue, shortIdentifier: file.shortIdentifier, content: content,
          access: file == .cardSecurity ? .pace : .always))
    }
    return result
  }

  /// The files of the eMRTD application.
  static func applicationFiles(_ files: ChipFiles, _ profile: ChipProfile) -> [CardFile] {
    var result = files.all.filter { $0 != .cardAccess }.map { file in
      let access: Access =
        switch file.dataGroup {
        // Fingerprints and irises require Terminal Authentication.
        case 3: .terminal(right: 0x01)
        case 4: .terminal(right: 0x02)
        default: .accessControl
        }
      return CardFile(
        identifier: file.identifier, shortIdentifier: file.shortIdentifier, content: files[file] ?? [], access: access
      ).corrupted(by: file == .dg2 ? profile.fault : nil)
    }
    if profile.supportsTerminalAuthentication {
      // EF.CVCA: the reference of the trust point's key (Doc 9303-11, 7.1.1).
      result.append(
        CardFile(
          identifier: 0x011C, shortIdentifier: 0x1C,
          content: BERTLV.encode(0x42, Array(SpecimenTerminal.authorityName.utf8)), access: .accessControl))
    }
    return result
  }

  /// A file of another application, with the short identifier of EF.CardAccess.
  static let ofOtherApplication = CardFile(
    identifier: 0x501C, shortIdentifier: ElementaryFile.cardAccess.shortIdentifier,
    content: BERTLV.encode(0x30, [UInt8](repeating: 0, count: 50)), access: .always)

  /// The file with a wrong first length field, if the fault requires it.
  private func corrupted(by fault: ChipFault?) -> CardFile {
    guard fault == .lyingLength || fault == .endlessFile, let header = try? BERTLV.header(of: content[...]),
      let tag = content.first
    else { return self }
    let length =
      fault == .endlessFile ? [0x84, 0x7F, 0xFF, 0xFF, 0xFF] : Self.lengthField(header.length + 1000)
    return CardFile(
      identifier: identifier, shortIdentifier: shortIdentifier,
      content: [tag] + length + content.dropFirst(header.size), access: access, isEndless: fault == .endlessFile)
  }

  private static func lengthField(_ length: Int) -> [UInt8] {
    [0x83] + [16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
  }
}
