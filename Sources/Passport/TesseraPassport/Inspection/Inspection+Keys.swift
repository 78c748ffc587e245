import TesseraSmartCard

/// Opening a chip with one key after another, if the right one is not known for sure.
extension Inspection {
  /// Opens the chip unless it is open. As long as it refuses the key, the request may have another one.
  func openAccess() async throws {
    guard state.access != .open else { return }
    var isFirst = true
    while true {
      do {
        return try await isFirst ? openWithKey() : openWithOtherKey()
      } catch let error as PassportError {
        // Once the chip was open, its key is known.
        guard state.access == .none, let refusal = error.keyRefusal,
          let other = try await request.keyAfterRefusal?(refusal)
        else { throw error }
        request.key = .mrz(other)
        isFirst = false
      }
    }
  }

  private func openWithOtherKey() async throws {
    do {
      try await restart(inMasterFile: dump.content.offers(SecurityInfos.Arc.pace))
      try await openWithKey()
    } catch let error as PassportError where error.keyRefusal == nil && error.mayPassAfterPowerCycle {
      // Some chips accept no command after a wrong key until they were powered again.
      do {
        try await card.channel.awaitReturn(within: Self.powerCycleTime)
      } catch is CardError {
        throw error
      }
      try await restart(inMasterFile: false)
      try await openWithKey()
    }
  }
}
