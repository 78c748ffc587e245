internal import TesseraPassport
internal import TesseraSmartCard

/// What will probably be asked of the chip next.
extension Foresight {
  private var request: InspectionRequest { inspection.request }
  private var dump: DocumentDump { inspection.dump }

  /// What follows a file.
  func following(_ file: ElementaryFile) -> [ForeseenCommand] {
    switch file {
    case .dg1: beginning(of: .sod)
    case .sod: beginning(of: fileAfterSecurityObject)
    case .cardSecurity: selectionAndFirstFiles
    default:
      if let listed, listed.file == file {
        beginning(of: fileAfter(file, then: listed.rest, listedIn: listed.list))
      } else {
        []
      }
    }
  }

  /// The first block of a file; nothing for nil.
  private func beginning(of file: ElementaryFile?) -> [ForeseenCommand] {
    file.map { inspection.reader.firstBlock(of: $0) } ?? []
  }

  /// The file that is read after EF.SOD, whose content is not known yet.
  private var fileAfterSecurityObject: ElementaryFile? {
    // A chip that offers PACE repeats the offer in DG14.
    if inspection.wantsChipAuthentication, dump[.cardAccess] != nil, !inspection.isSettled(.dg14) { return .dg14 }
    guard let groups = request.dataGroups?.union(request.securityGroups) else { return .dg2 }
    if groups.contains(2) { return .dg2 }
    return groups.isSubset(of: [1]) ? .com : nil
  }

  /// The file that is read after a data group: the next one of the list, or EF.COM after the last one that EF.SOD lists.
  private func fileAfter(
    _ file: ElementaryFile, then rest: some Sequence<ElementaryFile>, listedIn list: ElementaryFile
  ) -> ElementaryFile? {
    if let next = rest.first(where: { !inspection.isSettled($0) && !inspection.opensLater($0) }) { return next }
    // Active Authentication follows DG15.
    let ends = list == .sod && file != .dg15 && dump[.dg15] == nil && !inspection.isSettled(.com)
    return ends ? .com : nil
  }

  /// SELECT of the application, and the beginnings of the two files that are read first. Nothing but SELECT after a loss,
  /// when the read continues elsewhere.
  var selectionAndFirstFiles: [ForeseenCommand] {
    let selection = [ForeseenCommand(command: .selectApplication)]
    guard case .none = inspection.state.access else { return selection }
    return selection + beginning(of: .dg1) + beginning(of: .sod)
  }

  /// SELECT of the application, and the challenge of Basic Access Control if there is a key for it.
  var selectionAndChallenge: [ForeseenCommand] {
    let selection = ForeseenCommand(command: .selectApplication)
    guard request.key.map({ request.basicInformation($0) != nil }) ?? false else { return [selection] }
    return [selection, ForeseenCommand(command: .getChallenge)]
  }
}

/// The commands that a file will take, as far as is known now. None of them is a probe: a chip that answers a command
/// which nobody has asked for yet must not be surprised by it.
extension FileReader {
  /// The commands that read the first block of a file.
  func firstBlock(of file: ElementaryFile, by addressing: Addressing = .either) -> [ForeseenCommand] {
    let count = firstBlockSize(of: file)
    guard !block.isProbe(count) else { return [] }
    // A chip that delivers less than a whole DG1 will be asked for the rest of it next.
    let least = file == .dg1 ? Self.shortestDataGroup1 : 1
    func read(_ address: ReadBinary.Address) -> ForeseenCommand {
      ForeseenCommand(
        command: ReadBinary(address: address, count: count).command, leastData: least, warnings: .endOfFile)
    }
    if addressingSupport.triesShortIdentifiers, addressing != .selection {
      return [read(.shortIdentifier(file.shortIdentifier))]
    }
    return [ForeseenCommand(command: .select(file)), read(.offset(0))]
  }

  /// The commands that read a file from `offset` on, and what follows if one batch has room for the whole rest.
  func remainingBlocks(
    of file: ElementaryFile, from offset: Int, to total: Int, followedBy next: () -> [ForeseenCommand]
  ) -> [ForeseenCommand] {
    var commands: [ForeseenCommand] = []
    var offset = offset
    while offset < total {
      let missing = total - offset
      let read = ReadBinary(address: .offset(offset), count: nextBlockSize(at: offset, missing: missing).count)
      let received = min(read.requestedFileBytes, missing)
      guard received > 0, !block.isProbe(read.count), commands.count < ForeseenCommands.longestBatch else {
        return commands
      }
      let isLast = received == missing
      commands.append(
        ForeseenCommand(command: read.command, leastData: received, warnings: isLast ? .endOfFile : []))
      offset += received
    }
    return commands + next()
  }
}
