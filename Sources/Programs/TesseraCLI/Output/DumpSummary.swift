import Tessera
import TesseraCommandLine

/// The number of verified dumps and the exit status of all.
struct DumpSummary {
  private(set) var count = 0
  private var firstError: Int32 = 0
  private var hasFailedCheck = false

  mutating func add(_ line: DumpLine) {
    count += 1
    if line.status == FailureKind.checkFailed.exitStatus { hasFailedCheck = true }
    if firstError == 0 { firstError = line.status }
  }

  /// A failed check takes precedence over an unreadable dump.
  var exitStatus: Int32 { hasFailedCheck ? FailureKind.checkFailed.exitStatus : firstError }
}
