import Glibc
import Synchronization
import Tessera
import TesseraCommandLine

/// Tries the keys that a scan permits at one chip, the most probable one first, and says so on standard error.
///
/// A wrong key does not open a chip. After some, a chip may answer more slowly, and one that counts wrong keys may block
/// its password: then, and with PACE, the user decides.
final class KeyTries: Sendable {
  /// The most keys that a chip receives.
  private static let most = 4

  private let scan: ScannedKeys
  private let line: ProgressLine
  private let state = Mutex(State())

  private struct State {
    /// The indices of the readings that the chip received, and of those that the user ruled out.
    var tried = [0]
    var ruledOut: Set<Int> = []
  }

  init(_ scan: ScannedKeys, _ line: ProgressLine) {
    self.scan = scan
    self.line = line
  }

  /// The key to try after a refusal; nil if none is left, or if the user decides so.
  func key(after refusal: KeyRefusal) throws -> MRZInformation? {
    line.clear()
    let (tried, ruledOut) = state.withLock { ($0.tried, $0.ruledOut) }
    let rest = scan.readings.indices.filter { !tried.contains($0) && !ruledOut.contains($0) }
    guard tried.count < Self.most, let next = rest.first else {
      Note.write("The chip refused \(scan.name(of: tried.map { scan.readings[$0] })).\(untried(rest))")
      return nil
    }
    let refused = scan.name(of: tried.suffix(1).map { scan.readings[$0] })
    guard refusal.access == .pace || refusal.triesLeft != nil else {
      Note.write(
        "The chip refused \(refused). Trying \(scan.name(of: scan.readings[next])); after a wrong key, some chips "
          + "answer more slowly.")
      return accept(next)
    }
    let risk = refusal.triesLeft.map { "leaves \($0) tries" } ?? "may count wrong keys, or answer more slowly"
    guard let terminal = ControllingTerminal(), terminal.isForeground else {
      Note.write("The chip refused \(refused). It \(risk).\(untried(rest))")
      return nil
    }
    terminal.show("The chip refused \(refused). It \(risk): compare the document before you try another reading.\n")
    for index in rest {
      if try terminal.confirm("Try \(scan.name(of: scan.readings[index]))?") { return accept(index) }
      state.withLock { _ = $0.ruledOut.insert(index) }
    }
    return nil
  }

  private func accept(_ index: Int) -> MRZInformation {
    state.withLock { $0.tried.append(index) }
    return scan.readings[index].key
  }

  private func untried(_ rest: [Int]) -> String {
    guard !rest.isEmpty else { return "" }
    return " Not tried: \(scan.name(of: rest.map { scan.readings[$0] }))."
  }

  /// Says which reading is right, and compares the zone of a chip without access control with that one.
  func record(in dump: inout DocumentDump) {
    let zone = (try? dump.zone()).flatMap { try? MRZInformation($0) }
    if dump.accessProtocol == .none, let right = scan.readings.first(where: { $0.key == zone }) {
      dump.givenKey = right.key
    }
    guard let right = scan.readings.first(where: { $0.key == dump.givenKey }) else { return }
    let what = dump.accessProtocol == .none ? "The chip's zone is that with" : "The chip opened with"
    line.clear()
    Note.write(
      "\(what) \(scan.name(of: right)), one of \(scan.readings.count) readings of the scan. Its DG1 has the zone as it "
        + "is printed.")
  }
}
