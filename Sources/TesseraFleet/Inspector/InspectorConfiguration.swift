package import TesseraPassport

/// What an inspector does for desks.
package struct InspectorConfiguration: Sendable {
  /// The ways of reading that it offers.
  package var modes: Set<FleetReadingMode> = Set(FleetReadingMode.allCases)
  /// The access key for remote reads of desks that send none.
  package var key: AccessKey?
  /// Whether a desk receives the report of a document that was read remotely, and so the personal data in it.
  package var showsRemoteReports = false
  package var limits = FleetLimits()

  package init() {}
}
