import TesseraSmartCard

/// What will probably be asked of the chip next, for channels whose exchanges each cost a round trip over a network. A
/// wrong guess costs an exchange and changes nothing else.
extension Inspection {
  /// The first block of a file; nothing for nil.
  func beginning(of file: ElementaryFile?) -> [ForeseenCommand] { file.map { reader.firstBlock(of: $0) } ?? [] }

  /// The file that is read after EF.SOD, whose content is not known yet.
  var fileAfterSecurityObject: ElementaryFile? {
    // A chip that offers PACE repeats the offer in DG14.
    if wantsChipAuthentication, dump[.cardAccess] != nil, !isSettled(.dg14) { return .dg14 }
    guard let groups = request.dataGroups?.union(request.securityGroups) else { return .dg2 }
    if groups.contains(2) { return .dg2 }
    return groups.isSubset(of: [1]) ? .com : nil
  }

  /// The file that is read after a data group: the next one of the list, or EF.COM after the last one that EF.SOD lists.
  func fileAfter(
    _ file: ElementaryFile, then rest: some Sequence<ElementaryFile>, listedIn list: ElementaryFile
  ) -> ElementaryFile? {
    if let next = rest.first(where: { !isSettled($0) && !opensLater($0) }) { return next }
    // Active Authentication follows DG15.
    let ends = list == .sod && file != .dg15 && dump[.dg15] == nil && !isSettled(.com)
    return ends ? .com : nil
  }

  /// SELECT of the application, and the beginnings of the two files that are read first. Nothing but SELECT after a loss,
  /// when the read continues elsewhere.
  var selectionAndFirstFiles: [ForeseenCommand] {
    let selection = [ForeseenCommand(command: .selectApplication())]
    guard case .none = state.access else { return selection }
    return selection + beginning(of: .dg1) + beginning(of: .sod)
  }

  /// SELECT of the application, and the challenge of Basic Access Control if there is a key for it.
  var selectionAndChallenge: [ForeseenCommand] {
    let selection = ForeseenCommand(command: .selectApplication())
    guard request.key.map({ request.basicInformation($0) != nil }) ?? false else { return [selection] }
    return [selection, ForeseenCommand(command: .getChallenge)]
  }

  /// Takes commands that were sent ahead off the session, before a protocol whose outcome is evidence: the answer to a
  /// command that nobody asked for is none. If the session ended over one, access control is performed again.
  func settleForeseenCommands() async throws {
    do {
      try await session.discardForeseen()
    } catch PassportError.secureMessaging(.plainAnswer) where session.hasFailedProbe {
      try await reopenAccessIfPossible()
    }
  }
}
