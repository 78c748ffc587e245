/// The subjects of the fleet. The server's configuration lets a desk use only those with its own name.
package enum FleetSubject {
  /// The queue group of the inspectors.
  package static let inspectors = "inspectors"

  /// Where desks begin their reads. One inspector of the group receives each.
  package static let everyBegin = "tessera.read.*.begin"

  package static func begin(_ desk: DeskName) -> String { "tessera.read.\(desk).begin" }

  /// Further requests of a read, to the inspector that took it.
  package static func read(_ desk: DeskName, _ inspector: FleetIdentifier) -> String {
    "tessera.read.\(desk).\(inspector)"
  }

  /// The requests of all desks to one inspector.
  package static func everyRead(_ inspector: FleetIdentifier) -> String { "tessera.read.*.\(inspector)" }

  /// Where a desk receives command APDUs for its card.
  package static func relay(_ desk: DeskName, _ session: FleetIdentifier) -> String {
    "tessera.relay.\(desk).\(session)"
  }

  /// The record of a finished read.
  package static func record(_ desk: DeskName, _ read: FleetReadID) -> String { "tessera.record.\(desk).\(read)" }

  /// The question for the state of all inspectors.
  package static let ping = "tessera.status.ping"

  /// The prefix of the inboxes of a desk or an inspector.
  ///
  /// - Parameter name: one token of a subject.
  package static func inbox(_ name: String) -> String { "tessera.inbox.\(name)" }

  /// The desk in a subject `tessera.read.<desk>.…`; nil for another subject.
  package static func desk(ofRead subject: String) -> DeskName? {
    let tokens = subject.split(separator: ".", omittingEmptySubsequences: false)
    guard tokens.count == 4, tokens[0] == "tessera", tokens[1] == "read" else { return nil }
    return DeskName(String(tokens[2]))
  }
}
