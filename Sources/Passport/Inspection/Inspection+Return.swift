import SmartCard

/// The document was moved away in the middle and is laid on again: access control is done once more, the beginning of
/// EF.SOD tells that it is the same document, and the read goes on where it stopped.
extension Inspection {
  /// The losses of one read.
  struct Losses {
    private(set) var count = 0
    private var inVain = 0
    private var kept = -1

    /// More than anybody moves a document about, and a bound for a chip that plays dead for ever.
    private static let most = 2000
    private static let mostInVain = 10

    /// Counts one loss.
    ///
    /// - Parameter kept: bytes of files had so far.
    /// - Returns: whether another try is worth it.
    mutating func add(kept: Int) -> Bool {
      count += 1
      inVain = kept > self.kept ? 0 : inVain + 1
      self.kept = kept
      return count <= Self.most && inVain < Self.mostInVain
    }
  }

  /// Waits for the document's return and takes the read up again.
  ///
  /// - Throws: `error` where it is no loss, or the document does not come back in time; `PassportError.otherDocument`;
  ///   what else goes wrong on the way.
  func comeBack(after error: any Error) async throws {
    var error = error
    while let loss = error as? CardError, loss.isPassing {
      if takeLostByTrial() {
        // The document lies where it lay.
        try await card.channel.awaitReturn(within: .seconds(5))
        do {
          return try await takeUp()
        } catch let next {
          error = next
          continue
        }
      }
      let kept = dump.files.reduce(reader.interruptedBytes) { $0 + $1.bytes.count }
      guard request.returnTime > .zero, losses.add(kept: kept) else { throw loss }
      onProgress(.lost)
      do {
        try await card.channel.awaitReturn(within: request.returnTime)
      } catch CardError.noCard, CardError.cardRemoved {
        throw loss
      }
      do {
        try await takeUp()
        return onProgress(.returned)
      } catch let next {
        error = next
      }
    }
    throw error
  }

  /// From power-up to where other steps can go on.
  private func takeUp() async throws {
    keepFirstAnswer()
    // Without an answer under its keys, Chip Authentication has shown nothing yet.
    let wasAuthenticating = awaitsChipAuthentication
    if wasAuthenticating { dump.evidence.chipAuthentication = nil }
    if dump.evidence.chipAuthentication?.firstAnswer != nil { isProofOld = true }
    session.restart()
    reader.forgetPlace()
    _ = reader.takeLostByTrial()
    isOpen = false
    guard hasBeenOpen else { return }
    do {
      try await openAccess()
    } catch let error as PassportError where error.isRefusedKey {
      throw PassportError.otherDocument
    }
    if wasAuthenticating { try await authenticateChip() }
    do {
      try await confirmSameDocument()
      keepFirstAnswer()
    } catch  where awaitsChipAuthentication && isAnswerOfAnotherChip(error) {
      keepFirstAnswer()
      try await reopenAccess()
      try await confirmSameDocument()
    }
  }

  /// EF.SOD begins with the digests of all data groups; before it has come, DG1 tells. So many bytes do, which most chips
  /// deliver in one block.
  func confirmSameDocument() async throws {
    var missing = 200
    for file in [ElementaryFile.sod, .dg1] where missing > 0 {
      guard let known = dump[file] ?? reader.received(of: file) else { continue }
      let again = try await reader.beginning(of: file, of: known.count, atLeast: missing)
      guard known.starts(with: again) else { throw PassportError.otherDocument }
      missing -= again.count
    }
  }
}

extension CardError {
  /// Whether the card may come back, or be powered once more.
  fileprivate var isPassing: Bool {
    switch self {
    case .cardRemoved, .cardReset, .transmission: true
    default: false
    }
  }
}

extension PassportError {
  fileprivate var isRefusedKey: Bool {
    switch self {
    case .accessDenied, .accessKeyRequired, .accessKeyUnsuitable, .accessControlUnsupported, .applicationNotFound,
      .unexpectedStatus:
      true
    case .pace(.wrongPassword), .pace(.passwordUnknown), .pace(.refused(.selection, _)), .pace(.nothingInCommon): true
    default: false
    }
  }
}
