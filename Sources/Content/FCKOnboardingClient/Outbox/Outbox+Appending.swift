internal import Logging
import TesseraCore

extension Outbox {
  /// Adds an entry at the end, unless it is there, and logs what is lost. An entry that is too large is dropped.
  /// Blocks.
  ///
  /// - Returns: false if it cannot be written now.
  func append(_ entry: OutboxEntry, logger: Logger) -> Bool {
    do {
      guard try !contains(entry.id) else { return true }
      let dropped = try append(entry)
      if dropped > 0 { logger.warning("\(dropped) old reports to the onboarding server made room for a new one.") }
      return true
    } catch let error as Failure where error.kind == .usage {
      logger.error("A report is dropped. \(OnboardingLog.cause(error))")
      return true
    } catch {
      logger.error("A report cannot be put into the outbox. \(OnboardingLog.cause(error))")
      return false
    }
  }
}
