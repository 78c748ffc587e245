package import TesseraPassport

/// What an inspector does for desks.
package struct InspectorConfiguration: Sendable {
  /// The ways of reading that it offers.
  package var modes: Set<FleetReadingMode> = Set(FleetReadingMode.allCases)
  /// The access key for remote reads of desks that send none.
  package var key: AccessKey?
  /// Whether a desk receives the report of a document that was read remotely, and so the personal data in it.
  package var showsRemoteReports = false
  /// The data groups that are read of every document that has them; nil for all that need no Terminal Authentication. A
  /// desk can have more of them read, and never fewer: it could hide a changed one.
  package var dataGroups: Set<Int>?
  /// When to perform Chip Authentication in a remote read; with `.never`, the chip need not prove itself, and DG14 and
  /// DG15 are read only if `dataGroups` contains them. In a witnessed read it always proves itself.
  package var chipAuthentication = ChipAuthenticationPolicy.always
  package var limits = FleetLimits()
  package var clock = ClockSettings()

  package init() {}

  /// The data groups of one read.
  ///
  /// - Parameter wanted: those that the desk wants; nil for all.
  func dataGroups(with wanted: Set<Int>?) -> Set<Int>? {
    guard let dataGroups, let wanted else { return nil }
    return dataGroups.union(wanted)
  }
}
