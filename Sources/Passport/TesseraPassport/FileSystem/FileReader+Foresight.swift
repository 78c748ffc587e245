import TesseraSmartCard

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
    of file: ElementaryFile, from offset: Int, to total: Int, followedBy next: FollowingCommands
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
    return commands + next.commands()
  }
}
