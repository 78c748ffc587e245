internal import Logging
import TesseraDurableFiles

extension Outbox {
  /// Adds entries at the end, and logs what is lost. Blocks.
  ///
  /// - Returns: the entries that cannot be written.
  func append(_ entries: [OutboxEntry], logger: Logger) -> [OutboxEntry] {
    entries.filter { entry in
      do {
        let dropped = try append(entry)
        if dropped > 0 { logger.warning("\(dropped) old reports to the onboarding server made room for a new one.") }
        return false
      } catch let error as FolderError {
        logger.error("A report cannot be stored, so it is sent in this run only. \(OnboardingLog.cause(error))")
        return true
      } catch {
        logger.error("A report is dropped. \(OnboardingLog.cause(error))")
        return false
      }
    }
  }
}
