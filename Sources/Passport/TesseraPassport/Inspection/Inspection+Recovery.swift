import TesseraSmartCard

/// Resumes a read after the document was removed and replaced: access control is performed again, the beginning of
/// EF.SOD shows whether it is the same document, and the read continues if it stopped.
extension Inspection {
  /// The time to power a card that is still on the reader.
  static let powerCycleTime = Duration.seconds(5)

  /// Waits until a card can be used again and resumes the read.
  ///
  /// - Throws: `error` if the card cannot be recovered or does not return in time; `PassportError.otherDocument`;
  ///   any error of access control.
  func recover(after error: any Error) async throws {
    var error = error
    while let loss = error as? CardError {
      let received = dump.files.reduce(reader.partialByteCount) { $0 + $1.bytes.count }
      let action = state.recovery.action(
        after: loss, hasFailedProbe: session.hasFailedProbe, received: received, gracePeriod: request.gracePeriod)
      switch action {
      case .giveUp: throw loss
      case .powerCycle: try await card.channel.awaitReturn(within: Self.powerCycleTime)
      case .awaitDocument: try await awaitDocument(after: loss)
      }
      do {
        try await resume()
        if action == .awaitDocument { onProgress(.returned) }
        return
      } catch let next {
        error = next
      }
    }
    throw error
  }

  private func awaitDocument(after loss: CardError) async throws {
    onProgress(.lost)
    do {
      try await card.channel.awaitReturn(within: request.gracePeriod)
    } catch CardError.noCard, CardError.cardRemoved {
      throw loss
    }
  }

  /// Brings a card that was just powered to the state in which the interrupted step can continue.
  private func resume() async throws {
    recordFirstAnswer()
    // Without a response under the new keys, Chip Authentication has proved nothing yet.
    let wasAuthenticating = awaitsChipAuthentication
    if wasAuthenticating { dump.evidence.chipAuthentication = nil }
    if dump.evidence.chipAuthentication?.firstAnswer != nil { state.isChipProofStale = true }
    session.restart()
    reader.resetCurrentFile()
    state.recordLoss()
    guard state.access != .none else { return }
    do {
      try await openAccess()
    } catch let error as PassportError where error.isRefusedKey {
      throw PassportError.otherDocument
    }
    if wasAuthenticating { try await authenticateChip() }
    do {
      try await confirmSameDocument()
      recordFirstAnswer()
    } catch  where awaitsChipAuthentication && mayBeAnswerOfAnotherChip(error) {
      // A probe proves nothing about the keys, and a chip may end its session once. Then it is asked again later.
      if session.hasFailedProbe {
        dump.evidence.chipAuthentication = nil
      } else if !asksChipAgain(after: error) {
        recordFirstAnswer()
      }
      try await reopenAccess()
      try await confirmSameDocument()
    }
  }

  /// Compares the beginning of EF.SOD with what was read before. EF.SOD begins with the digests of all data groups.
  /// If it was not read yet, DG1 is compared. Most chips deliver so many bytes in one block.
  func confirmSameDocument() async throws {
    var missing = 200
    for file in [ElementaryFile.sod, .dg1] where missing > 0 {
      guard let known = dump[file] ?? reader.partialBytes(of: file) else { continue }
      let prefix = try await reader.readPrefix(of: file, length: known.count, atLeast: missing)
      guard known.starts(with: prefix) else { throw PassportError.otherDocument }
      missing -= prefix.count
    }
  }
}

extension PassportError {
  /// Whether this error of access control means that the key does not fit the card.
  fileprivate var isRefusedKey: Bool {
    switch self {
    case .accessDenied, .accessKeyRequired, .accessKeyUnsuitable, .accessControlUnsupported, .applicationNotFound,
      .unexpectedStatus:
      true
    case .pace(.wrongPassword), .pace(.passwordUnknown), .pace(.refused(.selection, _)), .pace(.noSupportedOffer): true
    default: false
    }
  }
}
