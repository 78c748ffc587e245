package import TesseraBridge

/// Tells the operator of a kiosk whether it has a reader, at the start and after each change. Guests see the same on the
/// page. Documents that come and go are not told.
package enum ReaderWatch {
  /// Follows the states until they end or the task is cancelled.
  ///
  /// - Parameters:
  ///   - advice: what to do when there is no reader, in one sentence or more; nil if nothing is known.
  ///   - count: receives the number of readers at each change, before the advice is sought.
  ///   - log: receives a sentence for each change.
  package static func follow(
    _ states: AsyncStream<NfcReaderState>, advice: @Sendable () async -> String?,
    count: @Sendable (Int) -> Void = { _ in }, log: @Sendable (String) -> Void
  ) async {
    var readers: Int?
    for await state in states where state.readers != readers {
      readers = state.readers
      count(state.readers)
      if state.readers > 0 {
        log("The kiosk has \(state.readers) reader\(state.readers == 1 ? "" : "s").")
      } else {
        let advice = await advice()
        log("The kiosk has no reader." + (advice.map { " \($0)" } ?? ""))
      }
    }
  }
}
